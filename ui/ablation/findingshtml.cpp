// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences of core/ablation/findingstext.h under headings.
#include "ui/ablation/findingshtml.h"

#include "core/ablation/findingstext.h"
#include "ui/kit/tr.h"
#include "ui/variants/infoview.h"

namespace cudal1::ui {

namespace {

QString paragraph(const std::string& text)
{
    return QStringLiteral("<p>%1</p>").arg(InfoView::escaped(text));
}

QString aside(const QString& html)
{
    return QStringLiteral("<p class=muted>%1</p>").arg(html);
}

} // namespace

QString findingsHtml(const AblationView& view)
{
    QString out;
    for (const ablation::Topic& topic : ablation::findingsOf(view.plan.names(), view.rows, view.wall, view.event)) {
        out += InfoView::heading(QString::fromStdString(topic.title));
        if (!topic.aside.empty())
            out += aside(InfoView::escaped(topic.aside));
        for (const std::string& sentence : topic.sentences)
            out += paragraph(sentence);
    }
    return out.isEmpty()
             ? aside(tr("What each toggle does, alone and with others, is said here when combinations are judged."))
             : out;
}

} // namespace cudal1::ui
