// SPDX-License-Identifier: GPL-3.0-or-later
// Facts and explanations as selectable text, in the colours of the theme.
#pragma once

#include "ui/kit/themecolors.h"

#include <QTextBrowser>

namespace cudal1::ui {

/// Bodies use the classes muted, gain, loss, warn, other, mono, big, key, value, box and h2; colours come from the
/// theme and follow it.
class InfoView : public QTextBrowser {
    Q_OBJECT
public:
    explicit InfoView(QWidget* parent = nullptr);

    /// Keeps the place when `body` is of the same subject as before.
    void setBody(const QString& body, bool sameSubject = false);
    const QString& body() const { return m_body; }

    /// The class of the view's style sheet that has the colour of this role, of those that verdicts and speed-ups have.
    static QString styleClass(Role role);
    /// "<tr>" with a muted key and a value; the value is HTML.
    static QString row(const QString& key, const QString& value);
    /// A section's title.
    static QString heading(const QString& text);
    /// Text of a person or program: escaped, line breaks kept.
    static QString escaped(const std::string& text);
    /// Text with blank-line paragraphs, "- " lists and `code`.
    static QString prose(const std::string& text);

private:
    void render();

    QString m_body;
};

} // namespace cudal1::ui
