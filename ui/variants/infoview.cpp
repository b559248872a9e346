// SPDX-License-Identifier: GPL-3.0-or-later
// The document style of information texts.
#include "ui/variants/infoview.h"

#include "ui/kit/theme.h"

#include <QRegularExpression>
#include <QScrollBar>

namespace cudal1::ui {

InfoView::InfoView(QWidget* parent) : QTextBrowser(parent)
{
    setProperty("class", QStringLiteral("flat"));
    setTabChangesFocus(true);
    setOpenLinks(false);
    setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
    document()->setDocumentMargin(Theme::instance().unit(3));
    connect(&Theme::instance(), &Theme::changed, this, &InfoView::render);
}

void InfoView::setBody(const QString& body, bool sameSubject)
{
    if (body == m_body)
        return;
    m_body = body;
    const int place = verticalScrollBar()->value();
    render();
    verticalScrollBar()->setValue(sameSubject ? place : 0);
}

void InfoView::render()
{
    const Theme& theme = Theme::instance();
    const auto name = [&](Role role) { return theme.color(role).name(); };
    const double base = theme.textFont().pointSizeF();
    const auto points = [](double size) { return QString::number(size, 'f', 1) + QStringLiteral("pt"); };
    const QString mono = QStringLiteral("font-family:'%1'; font-size:%2;")
                             .arg(theme.monoFont().family(), points(theme.monoFont().pointSizeF()));
    const QString style =
        QStringLiteral("body { color:%1; font-size:%2; }"
                       ".muted { color:%3; } .gain { color:%4; } .loss { color:%5; } .warn { color:%6; }"
                       ".other { color:%13; }"
                       ".mono { %7 } .big { font-size:%8; font-weight:600; }"
                       ".h2 { font-weight:600; font-size:%2; margin-top:%9px; margin-bottom:%10px; }"
                       ".key { color:%3; padding-right:%9px; } .value { }"
                       ".box { background-color:%11; %7 } a { color:%12; text-decoration:underline; }"
                       "p { margin-top:0px; margin-bottom:%10px; } td { padding-bottom:2px; }")
            .arg(name(Role::Text), points(base), name(Role::Muted), name(Role::GainText), name(Role::LossText),
                 name(Role::WarningText), mono, points(base * 1.7), QString::number(theme.unit(3)))
            .arg(QString::number(theme.unit(1)), name(Role::Raised), name(Role::Link), name(Role::VariantText));
    document()->setDefaultFont(theme.textFont());
    document()->setDefaultStyleSheet(style);
    setHtml(m_body);
}

QString InfoView::styleClass(Role role)
{
    switch (role) {
    case Role::GainText: return QStringLiteral("gain");
    case Role::LossText: return QStringLiteral("loss");
    case Role::WarningText: return QStringLiteral("warn");
    case Role::VariantText: return QStringLiteral("other");
    default: return QStringLiteral("muted");
    }
}

QString InfoView::row(const QString& key, const QString& value)
{
    // Fixed-pitch text rises less above its base line: without this it would stand higher than the key beside it.
    const int lower = value.startsWith(QLatin1String("<span class=mono")) ? std::max(1, Theme::instance().unit(1) / 2)
                                                                          : 0;
    return QStringLiteral("<tr><td class=key>%1</td><td class=value style='padding-top:%3px'>%2</td></tr>")
        .arg(key.toHtmlEscaped(), value)
        .arg(lower);
}

QString InfoView::heading(const QString& text)
{
    return QStringLiteral("<p class=h2>%1</p>").arg(text.toHtmlEscaped());
}

QString InfoView::escaped(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
}

QString InfoView::prose(const std::string& text)
{
    QString out;
    bool list = false;
    static const QRegularExpression code(QStringLiteral("`([^`]+)`"));
    static const QRegularExpression blank(QStringLiteral("\\n[ \\t]*\\n"));
    for (const QString& paragraph : QString::fromStdString(text).trimmed().split(blank, Qt::SkipEmptyParts)) {
        QString open;
        for (const QString& line : paragraph.split(u'\n')) {
            const bool item = line.startsWith(QLatin1String("- ")) || line.startsWith(QLatin1String("* "));
            if (item != list || (item && !open.isEmpty())) {
                out += open.isEmpty() ? QString()
                                      : (list ? QStringLiteral("<li>%1</li>") : QStringLiteral("<p>%1</p>")).arg(open);
                open.clear();
            }
            if (item != list)
                out += item ? QStringLiteral("<ul style='margin-left:-20px; margin-top:0px'>")
                            : QStringLiteral("</ul>");
            list = item;
            open += (open.isEmpty() ? QString() : QStringLiteral(" ")) + (item ? line.mid(2) : line).toHtmlEscaped();
        }
        if (!open.isEmpty())
            out += (list ? QStringLiteral("<li>%1</li>") : QStringLiteral("<p>%1</p>")).arg(open);
    }
    if (list)
        out += QStringLiteral("</ul>");
    return out.replace(code, QStringLiteral("<span class=mono>\\1</span>"));
}

} // namespace cudal1::ui
