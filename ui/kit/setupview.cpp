// SPDX-License-Identifier: GPL-3.0-or-later
// Installs the tools of a table; the header's state goes to UiState.
#include "ui/kit/setupview.h"

#include "ui/kit/filterchips.h"
#include "ui/kit/tablefindbar.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QMessageBox>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTreeView>

#include <algorithm>

namespace cudal1::ui {

namespace {

QString cellText(const QModelIndex& index)
{
    const QVariant copy = index.data(CopyRole);
    return copy.isValid() ? copy.toString() : index.data(Qt::DisplayRole).toString();
}

/// RFC 4180: quoted when it holds a quote, a comma or a line break.
QString csvCell(QString text)
{
    if (!text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('\n')) &&
        !text.contains(QLatin1Char('\r')))
        return text;
    text.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    return QLatin1Char('"') + text + QLatin1Char('"');
}

void collect(const QAbstractItemModel& model, const QModelIndex& parent, QModelIndexList& rows)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        if (!model.hasChildren(index))
            rows.append(index);
        collect(model, index, rows);
    }
}

QHeaderView* headerOf(QAbstractItemView* view)
{
    if (auto* table = qobject_cast<QTableView*>(view))
        return table->horizontalHeader();
    if (auto* tree = qobject_cast<QTreeView*>(view))
        return tree->header();
    return nullptr;
}

} // namespace

ViewTools::ViewTools(QAbstractItemView* view, const QString& name) : QObject(view), m_view(view), m_name(name)
{
    m_bar = new TableFindBar(view);
    connect(m_bar, &TableFindBar::filterRequested, this, [this](const QString& pattern) {
        if (pattern == m_filter)
            return;
        m_filter = pattern;
        if (auto* proxy = qobject_cast<QSortFilterProxyModel*>(m_view->model()))
            proxy->setFilterRegularExpression(QRegularExpression(pattern, QRegularExpression::CaseInsensitiveOption));
        if (auto* tree = qobject_cast<QTreeView*>(m_view); tree && !pattern.isEmpty())
            tree->expandAll();
        emit filterChanged(pattern);
    });
    if (auto* proxy = qobject_cast<QSortFilterProxyModel*>(view->model())) {
        proxy->setFilterKeyColumn(-1);
        proxy->setRecursiveFilteringEnabled(true);
    }
    addTool(tr("Copy"), QStringLiteral("copy"), QKeySequence::Copy, &ViewTools::copy);
    addTool(tr("Copy as CSV"), QStringLiteral("copy"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
            &ViewTools::copyCsv);
    // Ctrl+F is the window's too: two actions with one key would leave neither working, so here it is an ordinary key.
    QAction* find = addTool(tr("Find in Table…"), QStringLiteral("search"), {}, &ViewTools::find);
    const QString keys = QKeySequence(QKeySequence::Find).toString(QKeySequence::NativeText);
    find->setText(find->text() + QLatin1Char('\t') + keys);
    find->setToolTip(QStringLiteral("%1 (%2)").arg(find->toolTip(), keys));
    view->installEventFilter(this);
    if (canFilter())
        addTool(tr("Filter Rows…"), QStringLiteral("filter"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L),
                &ViewTools::filterRows);
    addTool(tr("Export as CSV…"), QStringLiteral("export"), {}, &ViewTools::exportCsv);
    if (view->contextMenuPolicy() == Qt::DefaultContextMenu)
        view->setContextMenuPolicy(Qt::ActionsContextMenu);
    keepHeader();
}

QAction* ViewTools::addTool(const QString& text, const QString& icon, const QKeySequence& shortcut,
                            void (ViewTools::*tool)())
{
    auto* action = new QAction(Theme::instance().icon(icon, Role::Muted), text, m_view);
    action->setShortcut(shortcut);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QString tip = text;
    tip.remove(QStringLiteral("…"));
    action->setToolTip(
        shortcut.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, shortcut.toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, tool);
    m_view->addAction(action);
    return action;
}

void ViewTools::keepHeader()
{
    if (QHeaderView* header = headerOf(m_view); header && !m_name.isEmpty())
        UiState::instance().keep(header, m_name);
}

QString ViewTools::text(bool csv, bool hiddenColumns) const
{
    const QAbstractItemModel& model = *m_view->model();
    QModelIndexList rows;
    if (const QItemSelectionModel* selection = m_view->selectionModel())
        for (const QModelIndex& index : selection->selectedIndexes())
            if (const QModelIndex row = index.siblingAtColumn(0); !rows.contains(row))
                rows.append(row);
    if (rows.isEmpty())
        collect(model, {}, rows);
    else
        std::sort(rows.begin(), rows.end());

    const QChar separator = csv ? QLatin1Char(',') : QLatin1Char('\t');
    const int columns = model.columnCount();
    QHeaderView* header = headerOf(m_view);
    QString out;
    const auto addRow = [&](auto cell) {
        QStringList cells;
        for (int visual = 0; visual < columns; ++visual) {
            const int column = header && header->count() == columns ? header->logicalIndex(visual) : visual;
            if (hiddenColumns || !header || !header->isSectionHidden(column))
                for (const QString& part : csv ? cell(column).split(QLatin1Char('\t')) : QStringList(cell(column)))
                    cells.append(csv ? csvCell(part) : part);
        }
        out += cells.join(separator) + QLatin1Char('\n');
    };
    if (csv)
        addRow([&](int column) {
            const QVariant parts = model.headerData(column, Qt::Horizontal, CopyRole);
            return parts.isValid() ? parts.toString() : model.headerData(column, Qt::Horizontal).toString();
        });
    for (const QModelIndex& row : rows)
        addRow([&](int column) { return cellText(row.siblingAtColumn(column)); });
    return out;
}

QString ViewTools::csv() const
{
    return text(true, true);
}

void ViewTools::copy()
{
    QApplication::clipboard()->setText(text(false, false));
}

void ViewTools::copyCsv()
{
    QApplication::clipboard()->setText(text(true, false));
}

void ViewTools::find()
{
    m_bar->open();
}

void ViewTools::filterRows()
{
    m_bar->openToFilter();
}

bool ViewTools::canFilter() const
{
    return qobject_cast<QSortFilterProxyModel*>(m_view->model()) != nullptr;
}

bool ViewTools::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool leaves = key->key() == Qt::Key_Escape && m_bar->isVisible();
        if (key->matches(QKeySequence::Find) || leaves) {
            event->accept();
            if (event->type() == QEvent::KeyPress)
                leaves ? m_bar->dismiss() : find();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

FilterChips* ViewTools::makeChips()
{
    auto* chips = new FilterChips;
    connect(this, &ViewTools::filterChanged, chips, [chips](const QString& pattern) {
        chips->setChips(pattern.isEmpty() ? std::vector<FilterChip>()
                                          : std::vector<FilterChip>{
                                                {QStringLiteral("pattern"), QStringLiteral("/%1/").arg(pattern)}});
    });
    connect(chips, &FilterChips::removed, this, [this] { setFilter({}); });
    return chips;
}

ViewTools* ViewTools::around(QWidget* widget)
{
    for (; widget && !widget->isWindow(); widget = widget->parentWidget())
        if (auto* tools = widget->findChild<ViewTools*>(QString(), Qt::FindDirectChildrenOnly))
            return tools;
    return nullptr;
}

void ViewTools::setFilter(const QString& pattern)
{
    m_bar->setPattern(pattern);
}

void ViewTools::exportCsv()
{
    const QString file = QFileDialog::getSaveFileName(
        m_view->window(), tr("Export as CSV"), m_name + QStringLiteral(".csv"), tr("Comma-separated values (*.csv)"));
    if (file.isEmpty())
        return;
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(csv().toUtf8()) < 0 || !out.commit())
        QMessageBox::warning(m_view->window(), tr("Export as CSV"),
                             tr("%1 cannot be written: %2").arg(file, out.errorString()));
}

ViewTools* setupView(QAbstractItemView* view, const QString& name)
{
    return new ViewTools(view, name);
}

} // namespace cudal1::ui
