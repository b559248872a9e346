// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a comparison in two linked code views.
#include "ui/compare/diffview.h"

#include "core/base/programdiff.h"
#include "ui/compare/diffoverview.h"
#include "ui/editor/codeview.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

namespace cudal1::ui {

namespace {

// Up to this many bytes of both sides a comparison takes well under a frame.
constexpr std::size_t atOnce = 20'000;

// Scintilla ends lines at "\r" too, so both sides are split the same way before they are numbered.
std::vector<CodeRow> rowsOf(const base::SideBySide& diff, const std::string& text, bool isLeft)
{
    const std::vector<std::string_view> lines = base::splitLines(text);
    std::vector<CodeRow> rows;
    rows.reserve(diff.rows.size());
    for (const base::DiffRow& row : diff.rows) {
        const int line = isLeft ? row.a : row.b;
        CodeRow code;
        if (line < 0) {
            code.mark = CodeRow::Mark::Filler;
        } else {
            code.text = lines[line];
            code.number = line + 1;
            if (row.kind != base::RowKind::Same)
                code.mark = isLeft ? CodeRow::Mark::Removed : CodeRow::Mark::Added;
            for (const base::ByteSpan& word : isLeft ? row.wordsA : row.wordsB)
                code.words.push_back({word.first, word.count});
        }
        rows.push_back(std::move(code));
    }
    return rows;
}

} // namespace

DiffView::DiffView(QWidget* parent)
    : QWidget(parent), m_left(new CodeView), m_right(new CodeView), m_leftTitle(new ElidedLabel),
      m_rightTitle(new ElidedLabel), m_overview(new DiffOverview), m_splitter(new QSplitter(Qt::Horizontal))
{
    m_left->setAccessibleName(tr("Left source"));
    m_right->setAccessibleName(tr("Right source"));
    m_left->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_splitter->addWidget(makeSide(QStringLiteral("A"), m_leftTitle, {m_left, m_overview}));
    m_splitter->addWidget(makeSide(QStringLiteral("B"), m_rightTitle, {m_right}));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(Theme::instance().unit(1));
    m_splitter->setSizes({1000, 1000});
    UiState::instance().keep(m_splitter, QStringLiteral("compareSources"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);

    link(m_left, m_right);
    link(m_right, m_left);
    m_overview->setWindowOf([this] { return m_right->window(); });
    for (CodeView* view : {m_left, m_right})
        connect(view, &CodeView::shownRequested, this, &DiffView::unfold);
    connect(m_overview, &DiffOverview::rowRequested, this, [this](int row) {
        const int line = int(m_right->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, row));
        m_right->SendScintilla(CodeView::SCI_SETFIRSTVISIBLELINE,
                               std::max(0, line - int(m_right->SendScintilla(CodeView::SCI_LINESONSCREEN)) / 3));
        follow(m_right, m_left);
        for (int i = 0; i < differenceCount(); ++i) {
            const base::TextDifference& difference = m_diff->differences[i];
            if (row >= difference.firstRow - 1 && row <= difference.firstRow + difference.rowCount)
                return goTo(i);
        }
    });
}

QWidget* DiffView::makeSide(const QString& letter, ElidedLabel* title, const std::vector<QWidget*>& below)
{
    const Theme& theme = Theme::instance();
    auto* head = new QFrame;
    head->setProperty("class", QStringLiteral("bar"));
    auto* headLayout = new QHBoxLayout(head);
    headLayout->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    headLayout->setSpacing(theme.unit(2));
    auto* badge = new QLabel(QStringLiteral("<b>%1</b>").arg(letter));
    headLayout->addWidget(badge);
    headLayout->addWidget(title, 1);

    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(head);
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    for (QWidget* one : below)
        row->addWidget(one, one == below.front() ? 1 : 0);
    layout->addLayout(row, 1);
    return side;
}

void DiffView::setTitles(const QString& left, const QString& right)
{
    m_leftTitle->setText(left);
    m_rightTitle->setText(right);
}

void DiffView::link(CodeView* from, CodeView* to)
{
    // A scroll bar says what the mouse did; the editor itself, with the next paint, what keys, find and jumps did.
    for (const QScrollBar* bar : {from->verticalScrollBar(), from->horizontalScrollBar()})
        connect(bar, &QScrollBar::valueChanged, this, [this, from, to] { follow(from, to); });
    connect(from, &QsciScintilla::SCN_UPDATEUI, this, [this, from, to](int updated) {
        if (updated & (CodeView::SC_UPDATE_V_SCROLL | CodeView::SC_UPDATE_H_SCROLL))
            follow(from, to);
    });
    connect(from, &QsciScintilla::SCN_ZOOM, to, [from, to] {
        const long zoom = from->SendScintilla(CodeView::SCI_GETZOOM);
        if (to->SendScintilla(CodeView::SCI_GETZOOM) != zoom)
            to->zoomTo(int(zoom));
    });
}

/// Both have the same rows, so places agree. Where one side ends first the other may go on: a side that was put
/// somewhere does not pull back the one that put it there.
void DiffView::follow(CodeView* from, CodeView* to)
{
    const auto placeOf = [](CodeView* view) {
        return std::pair(view->firstVisibleLine(), int(view->SendScintilla(CodeView::SCI_GETXOFFSET)));
    };
    const auto place = placeOf(from);
    if (m_places[from] == place)
        return;
    m_places[from] = place;
    to->SendScintilla(CodeView::SCI_SETFIRSTVISIBLELINE, place.first);
    to->SendScintilla(CodeView::SCI_SETXOFFSET, place.second);
    m_places[to] = placeOf(to);
    m_overview->update();
}

void DiffView::setTexts(const std::string& left, const std::string& right)
{
    compare(left, right, base::sideBySide);
}

void DiffView::setPrograms(const std::string& left, const std::string& right)
{
    compare(left, right, base::programsSideBySide);
}

void DiffView::compare(const std::string& left, const std::string& right, Differences* differences)
{
    m_asker.forget();
    auto a = std::make_shared<const std::string>(left);
    auto b = std::make_shared<const std::string>(right);
    const auto compute = [a, b, differences]() -> std::shared_ptr<const base::SideBySide> {
        return std::make_shared<base::SideBySide>(differences(*a, *b));
    };
    if (a->size() + b->size() <= atOnce) {
        display(a, b, compute());
        return;
    }
    m_asker.ask(compute,
                [this, a, b](std::shared_ptr<const base::SideBySide> diff) { display(a, b, std::move(diff)); });
}

void DiffView::setUnrelated(const std::string& left, const std::string& right)
{
    m_asker.forget();
    auto diff = std::make_shared<base::SideBySide>();
    const int a = int(base::splitLines(left).size()), b = int(base::splitLines(right).size());
    for (int line = 0; line < std::max(a, b); ++line)
        diff->rows.push_back({line < a ? line : -1, line < b ? line : -1, base::RowKind::Same, {}, {}});
    display(std::make_shared<const std::string>(left), std::make_shared<const std::string>(right), std::move(diff));
}

void DiffView::display(const std::shared_ptr<const std::string>& left, const std::shared_ptr<const std::string>& right,
                       std::shared_ptr<const base::SideBySide> diff)
{
    m_diff = std::move(diff);
    m_current = -1;
    m_places.clear();
    m_left->setRows(rowsOf(*m_diff, *left, true));
    m_right->setRows(rowsOf(*m_diff, *right, false));
    m_overview->setDiff(m_diff);
    m_hidden.clear();
    hideEqual();
    emit shown();
    emit currentChanged(m_current);
}

void DiffView::goTo(int difference)
{
    if (difference < 0 || difference >= differenceCount())
        return;
    m_current = difference;
    const base::TextDifference& rows = m_diff->differences[difference];
    m_right->reveal(rows.firstRow, rows.rowCount);
    follow(m_right, m_left);
    for (CodeView* view : {m_left, m_right}) {
        view->setCurrentRows(rows.firstRow, rows.rowCount);
        // So that selecting with the keyboard, and find, go on from here.
        view->setCursorPosition(rows.firstRow, 0);
    }
    m_overview->setCurrent(difference);
    emit currentChanged(difference);
}

void DiffView::setLanguage(CodeLanguage language)
{
    m_left->setLanguage(language);
    m_right->setLanguage(language);
}

void DiffView::setFolded(bool folded)
{
    if (folded == m_folded)
        return;
    m_folded = folded;
    hideEqual();
    emit foldedChanged(folded);
}

void DiffView::hideEqual()
{
    m_hidden = m_folded ? base::equalRuns(*m_diff) : std::vector<base::EqualRun>();
    unfold(-1);
}

void DiffView::unfold(int first)
{
    std::erase_if(m_hidden, [first](const base::EqualRun& run) { return run.firstRow == first; });
    std::vector<HiddenRows> rows;
    for (const base::EqualRun& run : m_hidden)
        rows.push_back({run.firstRow, run.rowCount});
    m_left->setHidden(rows);
    m_right->setHidden(rows);
    m_overview->update();
}

void DiffView::showLines(bool left, const std::vector<LineRange>& lines)
{
    std::vector<HiddenRows> rows;
    for (const LineRange& range : lines) {
        for (int line = range.first; line <= range.last; ++line) {
            const int row = base::rowOfLine(*m_diff, line - 1, left);
            if (row < 0)
                continue;
            if (!rows.empty() && rows.back().first + rows.back().count == row)
                ++rows.back().count;
            else
                rows.push_back({row, 1});
        }
    }
    CodeView* view = left ? m_left : m_right;
    CodeView* other = left ? m_right : m_left;
    view->setLinkedRows(rows);
    other->setLinkedRows({});
    if (rows.empty())
        return;
    view->reveal(rows.front().first, rows.front().count);
    view->setCursorPosition(rows.front().first, 0);
    follow(view, other);
}

void DiffView::nextDifference()
{
    if (differenceCount() > 0)
        goTo((m_current + 1) % differenceCount());
}

void DiffView::previousDifference()
{
    if (differenceCount() > 0)
        goTo((std::max(m_current, 0) + differenceCount() - 1) % differenceCount());
}

} // namespace cudal1::ui
