// SPDX-License-Identifier: GPL-3.0-or-later
// The table of toggles and how an effect is painted in it.
#include "ui/ablation/togglesview.h"

#include "ui/ablation/panes.h"
#include "ui/ablation/togglesmodel.h"
#include "ui/kit/theme.h"
#include "ui/variants/barpainter.h"
#include "ui/variants/texts.h"

#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>

namespace cudal1::ui {

namespace {

/// Number and bar; the interval is in the tool tip, for which a narrow pane has more room.
class EffectDelegate : public QStyledItemDelegate {
public:
    EffectDelegate(const TogglesModel& model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem cell(option);
        initStyleOption(&cell, index);
        cell.text.clear();
        QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
        const base::Interval effect = m_model.effect(index.row());
        if (!effect.valid())
            return;
        const Theme& theme = Theme::instance();
        const QRect area = option.rect.adjusted(theme.unit(2), 0, -theme.unit(2), 0);
        const int wide = QFontMetrics(theme.monoFont()).horizontalAdvance(QStringLiteral("unclear "));
        painter->save();
        painter->setFont(theme.monoFont());
        painter->setPen(theme.color(speedupRole(effect)));
        painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter, speedupPhrase(effect));
        const double height = theme.unit(2);
        if (area.width() - wide >= theme.unit(4))
            paintSpeedupBar(
                *painter, QRectF(area.left() + wide, area.center().y() - height / 2 + 0.5, area.width() - wide, height),
                m_model.axis(), effect);
        painter->restore();
    }

private:
    const TogglesModel& m_model;
};

} // namespace

QWidget* makeTogglesPane(TogglesModel& model)
{
    auto* view = new QTableView;
    view->setObjectName(QStringLiteral("toggles"));
    view->setAccessibleName(QObject::tr("Toggles of the variant"));
    view->setModel(&model);
    makeDense(*view);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setItemDelegateForColumn(TogglesModel::Effect, new EffectDelegate(model, view));
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->horizontalHeader()->setSectionResizeMode(TogglesModel::Name, QHeaderView::ResizeToContents);
    view->horizontalHeader()->setStretchLastSection(true);
    return paneColumn({{paneTitle(QObject::tr("Toggles")), 0}, {view, 1}});
}

} // namespace cudal1::ui
