// SPDX-License-Identifier: GPL-3.0-or-later
// The palette's matching, its list and its keys.
#include "ui/shell/commandpalette.h"

#include "ui/kit/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace cudal1::ui {

namespace {

constexpr int hintRole = Qt::UserRole + 1;
constexpr int itemRole = Qt::UserRole + 2;
constexpr int mostRows = 200;

class PaletteDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {Theme::instance().unit(40), Theme::instance().unit(8)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::instance();
        const QRect row = option.rect.adjusted(theme.unit(1), 0, -theme.unit(1), 0);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.color(Role::Selected));
            painter->drawRoundedRect(row, theme.unit(1), theme.unit(1));
        }
        const int side = theme.unit(4);
        const QRect icon(row.left() + theme.unit(2), row.center().y() - side / 2, side, side);
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, icon);
        const QString hint = index.data(hintRole).toString();
        const QRect text = row.adjusted(theme.unit(8), 0, -theme.unit(2), 0);
        painter->setFont(theme.smallFont());
        painter->setPen(theme.color(Role::Muted));
        painter->drawText(text, int(Qt::AlignRight | Qt::AlignVCenter), hint);
        const int hintWidth = QFontMetrics(theme.smallFont()).horizontalAdvance(hint) + theme.unit(3);
        painter->setFont(theme.textFont());
        painter->setPen(theme.color(Role::Text));
        const QRect title = text.adjusted(0, 0, -hintWidth, 0);
        painter->drawText(
            title, int(Qt::AlignLeft | Qt::AlignVCenter),
            QFontMetrics(theme.textFont()).elidedText(index.data().toString(), Qt::ElideRight, title.width()));
        painter->restore();
    }
};

} // namespace

int paletteScore(const QString& text, const QString& typed)
{
    int score = 0;
    qsizetype at = 0;
    bool inARow = false;
    for (const QChar wanted : typed) {
        if (wanted.isSpace()) {
            inARow = false;
            continue;
        }
        const qsizetype found = text.indexOf(wanted, at, Qt::CaseInsensitive);
        if (found < 0)
            return -1;
        const bool start = found == 0 || !text.at(found - 1).isLetterOrNumber() ||
                           (text.at(found).isUpper() && text.at(found - 1).isLower());
        score += 1 + (start ? 8 : 0) + (inARow && found == at ? 6 : 0);
        at = found + 1;
        inARow = true;
    }
    // Of two that fit alike, the shorter text was meant.
    return score * 100 - int(std::min<qsizetype>(text.size(), 99));
}

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window), m_edit(new QLineEdit(this)), m_list(new QListView(this)), m_nothing(new QLabel(this)),
      m_model(new QStandardItemModel(this))
{
    setObjectName(QStringLiteral("palette"));
    setProperty("class", QStringLiteral("popup"));
    setAccessibleName(tr("Command palette"));
    setAutoFillBackground(true);
    const Theme& theme = Theme::instance();
    m_edit->setAccessibleName(tr("Command"));
    m_edit->setMinimumHeight(theme.unit(9));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(this));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(2), theme.unit(2), theme.unit(2), theme.unit(2));
    layout->setSpacing(theme.unit(2));
    layout->addWidget(m_edit);
    layout->addWidget(m_list);
    m_nothing->setText(tr("Nothing here has these letters. Backspace takes some away again; Esc closes this."));
    m_nothing->setWordWrap(true);
    m_nothing->setMargin(theme.unit(2));
    m_nothing->hide();
    layout->addWidget(m_nothing);

    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) {
        m_list->setCurrentIndex(index);
        runCurrent();
    });
    m_edit->installEventFilter(this);
    window->installEventFilter(this);
    hide();
}

void CommandPalette::open(const QString& placeholder, std::vector<PaletteItem> items)
{
    m_items = std::move(items);
    if (!isVisible())
        m_before = window()->focusWidget();
    m_edit->setPlaceholderText(placeholder);
    m_edit->clear();
    filter({});
    place();
    show();
    raise();
    m_edit->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::filter(const QString& typed)
{
    std::vector<std::pair<int, int>> order; // score, item
    for (int i = 0; i < int(m_items.size()); ++i)
        if (const int score = typed.isEmpty() ? 0 : paletteScore(m_items[std::size_t(i)].title, typed);
            typed.isEmpty() || score >= 0)
            order.emplace_back(score, i);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    m_model->clear();
    for (const auto& [score, i] : order) {
        if (m_model->rowCount() == mostRows)
            break;
        const PaletteItem& item = m_items[std::size_t(i)];
        auto* row = new QStandardItem(item.icon, item.title);
        row->setData(item.hint, hintRole);
        row->setData(i, itemRole);
        m_model->appendRow(row);
    }
    m_list->setCurrentIndex(m_model->index(0, 0));
    m_nothing->setVisible(order.empty());
    m_list->setVisible(!order.empty());
    if (isVisible())
        place();
}

void CommandPalette::place()
{
    const Theme& theme = Theme::instance();
    const QWidget* window = parentWidget();
    const int width = std::min(theme.unit(140), window->width() - theme.unit(8));
    const int rows = std::clamp(m_model->rowCount(), 1, 10);
    const int height = std::min(rows * theme.unit(8) + theme.unit(17), window->height() - theme.unit(24));
    setGeometry((window->width() - width) / 2, theme.unit(18), width, height);
}

void CommandPalette::runCurrent()
{
    const QModelIndex index = m_list->currentIndex();
    dismiss();
    if (!index.isValid())
        return;
    const auto run = m_items[std::size_t(index.data(itemRole).toInt())].run;
    if (run)
        run();
}

void CommandPalette::dismiss()
{
    hide();
    if (m_before)
        m_before->setFocus(Qt::PopupFocusReason);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == parentWidget() && isVisible()) {
        if (event->type() == QEvent::Resize)
            place();
        return false;
    }
    if (watched != m_edit)
        return false;
    if (event->type() == QEvent::FocusOut && isVisible() && !isAncestorOf(window()->focusWidget()))
        hide();
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    if (event->type() != QEvent::KeyPress)
        return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const int row = m_list->currentIndex().row();
    const int rows = m_model->rowCount();
    const auto go = [&](int target) {
        if (rows > 0)
            m_list->setCurrentIndex(m_model->index(std::clamp(target, 0, rows - 1), 0));
        return true;
    };
    switch (key->key()) {
    case Qt::Key_Escape: dismiss(); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: runCurrent(); return true;
    case Qt::Key_Down: return go((row + 1) % std::max(1, rows));
    case Qt::Key_Up: return go((row - 1 + rows) % std::max(1, rows));
    case Qt::Key_PageDown: return go(row + 9);
    case Qt::Key_PageUp: return go(row - 9);
    default: return false;
    }
}

} // namespace cudal1::ui
