// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a reply, in wrapped lines.
#pragma once

#include <QLabel>

namespace cudal1::ui {

/// At most six lines from the first one on, as wide as the place is: a reason can be the log of a compiler, and a word
/// of it a long path. What has no room ends in an ellipsis, and the tool tip has all of it then. The accessible name
/// always has.
class VerdictLabel : public QLabel {
    Q_OBJECT
public:
    static constexpr int mostLines = 6;

    explicit VerdictLabel(QWidget* parent = nullptr);

    void setText(const QString& text);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    int heightOf(const QStringList& lines) const;
    void wrap();

    QString m_full;
};

} // namespace cudal1::ui
