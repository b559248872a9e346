// SPDX-License-Identifier: GPL-3.0-or-later
// A card of the overview.
#include "ui/charts/numbercard.h"

#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <utility>

namespace cudal1::ui {

NumberCard::NumberCard(const QString& caption, const QString& toolTip, QWidget* parent)
    : QFrame(parent), m_caption(caption), m_number(new QLabel), m_detail(new QLabel), m_text(new ElidedLabel),
      m_segments(new QVBoxLayout)
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("card"));
    setToolTip(toolTip);
    m_number->setFont(theme.titleFont(0));
    m_text->setProperty("class", QStringLiteral("muted"));
    m_text->setText(caption);
    m_detail->setProperty("class", QStringLiteral("muted"));
    auto* line = new QHBoxLayout;
    line->setSpacing(theme.unit(2));
    line->addWidget(m_number, 0, Qt::AlignBottom);
    line->addWidget(m_detail, 1, Qt::AlignBottom);
    m_detail->setContentsMargins(0, 0, 0, theme.unit(1));
    auto* texts = new QVBoxLayout;
    texts->setSpacing(theme.unit(1));
    texts->addLayout(line);
    texts->addWidget(m_text);
    m_segments->setSpacing(theme.unit(1));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(3), theme.unit(4), theme.unit(3));
    layout->setSpacing(theme.unit(2));
    layout->addLayout(texts, 1);
    layout->addLayout(m_segments);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&Theme::instance(), &Theme::changed, this, [this] { showSegments(); });
}

void NumberCard::setNumber(const QString& number, const QString& detail)
{
    m_number->setText(number);
    m_detail->setText(detail);
    setAccessibleName(QStringLiteral("%1: %2 %3").arg(m_caption, number, detail));
}

void NumberCard::setSegments(std::vector<Segment> segments)
{
    m_counted = std::move(segments);
    QStringList spoken;
    for (const Segment& segment : m_counted)
        if (segment.count > 0)
            spoken << QStringLiteral("%1 %2").arg(segment.count).arg(segment.text);
    if (!spoken.isEmpty())
        setAccessibleName(accessibleName() + QStringLiteral("; ") + spoken.join(QStringLiteral(", ")));
    showSegments();
}

void NumberCard::showSegments()
{
    while (QLayoutItem* item = m_segments->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const Theme& theme = Theme::instance();
    m_segments->addStretch(1);
    for (const Segment& segment : m_counted) {
        if (segment.count == 0)
            continue;
        auto* label = new QLabel(
            QStringLiteral("<b style=\"color:%1\">+%2</b> <a href=\"%3\" style=\"color:%4\">%5</a>")
                .arg(theme.color(segment.role).name())
                .arg(segment.count)
                .arg(segment.key, theme.color(Role::Muted).name(), segment.text.toHtmlEscaped()));
        label->setTextFormat(Qt::RichText);
        label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        label->setToolTip(tr("Show these tasks alone in the list below; the badge of each says why"));
        connect(label, &QLabel::linkActivated, this, &NumberCard::segmentActivated);
        m_segments->addWidget(label);
        label->ensurePolished();                           // the style sheet has the size of the text
        label->setMinimumWidth(label->sizeHint().width()); // else a narrow window would cut the words
    }
    m_segments->addStretch(1);
}

QString NumberCard::number() const
{
    return m_number->text();
}

} // namespace cudal1::ui
