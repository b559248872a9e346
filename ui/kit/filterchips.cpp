// SPDX-License-Identifier: GPL-3.0-or-later
// Chips of filters, laid out line by line.
#include "ui/kit/filterchips.h"

#include "ui/kit/theme.h"

#include <QKeyEvent>
#include <QToolButton>

#include <algorithm>

namespace cudal1::ui {

FilterChips::FilterChips(QWidget* parent) : QWidget(parent), m_clear(button(tr("Clear all"), {}))
{
    setObjectName(QStringLiteral("filterChips"));
    setAccessibleName(tr("Active filters"));
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_clear->setProperty("class", QStringLiteral("quiet"));
    m_clear->setToolTip(tr("Remove all filters"));
    connect(m_clear, &QToolButton::clicked, this, &FilterChips::cleared);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        updateGeometry();
        arrange(width(), true);
    });
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
        old->hide();
        old->deleteLater(); // later, since it may be the one that was clicked
    }
    m_buttons.clear();
    for (const FilterChip& chip : chips) {
        QToolButton* made = button(chip.text, QStringLiteral("close"));
        made->setChecked(true);
        made->setObjectName(QStringLiteral("chip-") + chip.id);
        made->setToolTip(tr("Remove this filter: %1").arg(chip.text));
        made->setAccessibleName(made->toolTip());
        connect(made, &QToolButton::clicked, this, [this, id = chip.id] { emit removed(id); });
        made->show();
        m_buttons.push_back(made);
    }
    m_clear->setVisible(chips.size() > 1);
    m_clear->raise();
    setVisible(!chips.empty());
    if (focused && !m_buttons.empty())
        m_buttons.front()->setFocus();
    arrange(width(), true);
    updateGeometry();
}

QStringList FilterChips::texts() const
{
    QStringList out;
    for (const FilterChip& chip : m_chips)
        out << chip.text;
    return out;
}

QSize FilterChips::sizeHint() const
{
    return {Theme::instance().unit(40), arrange(width(), false)};
}

QSize FilterChips::minimumSizeHint() const
{
    return {Theme::instance().unit(20), arrange(width(), false)};
}

int FilterChips::arrange(int width, bool move) const
{
    const int gap = Theme::instance().unit(1);
    int x = 0, y = 0, line = 0;
    std::vector<QToolButton*> all = m_buttons;
    if (m_chips.size() > 1)
        all.push_back(m_clear);
    for (QToolButton* chip : all) {
        const QSize size = chip->sizeHint().boundedTo({std::max(width, 1), chip->sizeHint().height()});
        if (x > 0 && x + size.width() > width) {
            x = 0;
            y += line + gap;
            line = 0;
        }
        if (move)
            chip->setGeometry(x, y, size.width(), size.height());
        x += size.width() + gap;
        line = std::max(line, size.height());
    }
    return y + line;
}

void FilterChips::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange(width(), true);
    updateGeometry();
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
