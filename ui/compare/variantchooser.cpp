// SPDX-License-Identifier: GPL-3.0-or-later
// The field and the switch stand left of the cards.
#include "ui/compare/variantchooser.h"

#include "ui/compare/stripmodel.h"
#include "ui/compare/variantstrip.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"
#include "ui/variants/texts.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace cudal1::ui {

VariantChooser::VariantChooser(QWidget& page)
    : m_strip(new VariantStrip), m_filter(new QLineEdit), m_count(new QLabel),
      m_list(makeTool(&page, QStringLiteral("tasks"), tr("Variants as a list"),
                      tr("Show the variants as a list, one in a line, in place of cards"), Qt::Key_L))
{
    const Theme& theme = Theme::instance();
    m_filter->setObjectName(QStringLiteral("variantFilter"));
    m_filter->setPlaceholderText(tr("Filter (/)"));
    m_filter->setAccessibleName(tr("Filter the variants"));
    m_filter->setToolTip(tr("Words of a variant's number, verdict or techniques, for example “correct fused”"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(theme.unit(36));
    m_count->setProperty("class", QStringLiteral("muted"));
    m_count->setObjectName(QStringLiteral("variantCount"));
    m_list->setCheckable(true);
    m_list->setObjectName(QStringLiteral("variantList"));
    m_list->setShortcut(Qt::Key_L);
    QAction* filter = makeTool(&page, QStringLiteral("filter"), tr("Filter the variants"),
                               tr("Leave the variants that have some words"), Qt::Key_Slash);
    filter->setShortcut(Qt::Key_Slash);
    for (QAction* action : {m_list, filter})
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(filter, &QAction::triggered, m_filter, [this] { m_filter->setFocus(Qt::ShortcutFocusReason); });

    auto* below = new QHBoxLayout;
    below->setSpacing(theme.unit(1));
    below->addWidget(m_count, 1);
    below->addWidget(makeToolButton(m_list));
    auto* column = new QVBoxLayout;
    column->setContentsMargins(theme.unit(2), theme.unit(1), theme.unit(1), theme.unit(1));
    column->setSpacing(theme.unit(1));
    column->addWidget(m_filter);
    column->addLayout(below);
    column->addStretch();
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(column);
    layout->addWidget(m_strip, 1);

    connect(m_filter, &QLineEdit::textChanged, m_strip->stripModel(), &StripModel::setFilter);
    connect(m_filter, &QLineEdit::returnPressed, m_strip, [this] { m_strip->chooseFirst(); });
    connect(m_list, &QAction::toggled, m_strip, &VariantStrip::setList);
    connect(m_strip->stripModel(), &QAbstractItemModel::modelReset, this, &VariantChooser::showCount);
    UiState::instance().keep(m_list, QStringLiteral("compare/list"));
    showCount();
}

bool VariantChooser::isList() const
{
    return m_list->isChecked();
}

void VariantChooser::showCount()
{
    const StripModel* model = m_strip->stripModel();
    const int shown = model->rowCount() - 1, all = model->variantCount(); // the reference always stays
    m_count->setText(shown == all ? counted(all, tr("variant"), tr("variants")) : tr("%1 of %2").arg(shown).arg(all));
}

} // namespace cudal1::ui
