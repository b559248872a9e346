// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of text that end in an ellipsis where there is no room, with the whole of them as the tool tip then.
#pragma once

#include <QLabel>

namespace cudal1::ui {

class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    void setText(const QString& text);
    const QString& fullText() const { return m_full; }
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QSize sizeFor(const QString& widest) const;
    void elide();

    QString m_full;
};

} // namespace cudal1::ui
