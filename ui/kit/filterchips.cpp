// SPDX-License-Identifier: GPL-3.0-or-later
// Chips of filters, laid out line by line.
#include "ui/kit/filterchips.h"

#include "ui/kit/flowlayout.h"
#include "ui/kit/theme.h"

#include <QKeyEvent>
#include <QToolButton>

#include <algorithm>

namespace cudal1::ui {

FilterChips::FilterChips(QWidget* parent)
    : QWidget(parent), m_lines(new FlowLayout(this)), m_clear(button(tr("Clear all"), {}))
{
    setObjectName(QStringLiteral("filterChips"));
    setAccessibleName(tr("Active filters"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_clear->setProperty("class", QStringLiteral("quiet"));
    m_clear->setToolTip(tr("Remove all filters"));
    connect(m_clear, &QToolButton::clicked, this, &FilterChips::cleared);
    m_lines->addWidget(m_clear);
    hide();
}

QToolButton* FilterChips::button(const QString& text, const QString& icon)
{
    auto* made = new QToolButton(this);
    made->setText(text);
    made->setProperty("class", QStringLiteral("chip"));
    made->setFocusPolicy(Qt::StrongFocus);
    if (!icon.isEmpty()) {
        made->setIcon(Theme::instance().icon(icon, Role::Muted));
        made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        made->setLayoutDirection(Qt::RightToLeft); // the mark stands behind the text
    }
    made->installEventFilter(this);
    return made;
}

void FilterChips::setChips(const std::vector<FilterChip>& chips)
{
    const auto same = [](const FilterChip& a, const FilterChip& b) { return a.id == b.id && a.text == b.text; };
    if (std::equal(chips.begin(), chips.end(), m_chips.begin(), m_chips.end(), same))
        return;
    const bool focused = std::any_of(m_buttons.begin(), m_buttons.end(),
                                     [](const QToolButton* chip) { return chip->hasFocus(); });
    m_chips = chips;
    for (QToolButton* old : m_buttons) {
        m_lines->removeWidget(old);
        old->hide();
        old->deleteLater(); // later, since it may be the one that was clicked
    }
    m_buttons.clear();
    m_lines->removeWidget(m_clear); // it stands behind them
    for (const FilterChip& chip : chips) {
        QToolButton* made = button(chip.text, QStringLiteral("close"));
        made->setChecked(true);
        made->setObjectName(QStringLiteral("chip-") + chip.id);
        made->setToolTip(tr("Remove this filter: %1").arg(chip.text));
        made->setAccessibleName(made->toolTip());
        connect(made, &QToolButton::clicked, this, [this, id = chip.id] { emit removed(id); });
        m_lines->addWidget(made);
        made->show();
        m_buttons.push_back(made);
    }
    m_lines->addWidget(m_clear);
    m_clear->setVisible(chips.size() > 1);
    setVisible(!chips.empty());
    if (focused && !m_buttons.empty())
        m_buttons.front()->setFocus();
}

QStringList FilterChips::texts() const
{
    QStringList out;
    for (const FilterChip& chip : m_chips)
        out << chip.text;
    return out;
}

bool FilterChips::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Delete || key == Qt::Key_Backspace || key == Qt::Key_Return || key == Qt::Key_Enter) {
            static_cast<QToolButton*>(watched)->click();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace cudal1::ui
