// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a comparison in two linked code views.
#include "ui/compare/diffview.h"

#include "core/base/programdiff.h"
#include "ui/compare/diffoverview.h"
#include "ui/compare/linkedviews.h"
#include "ui/editor/codeview.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/kit/uistate.h"

#include <QApplication>
#include <QFontMetrics>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

namespace cudal1::ui {

namespace {

// Up to this many bytes of both sides a comparison takes well under a frame.
constexpr std::size_t atOnce = 20'000;

using Lines = std::vector<std::string_view>;

CodeRow textRow(const Lines& lines, int line, CodeRow::Mark mark, const std::vector<base::ByteSpan>& words)
{
    CodeRow row = markedRow(line, mark, words);
    row.text = lines[std::size_t(line)];
    return row;
}

CodeRow filler()
{
    CodeRow code;
    code.mark = CodeRow::Mark::Filler;
    return code;
}

/// Scintilla ends lines at "\r" too, so both sides are split the same way before they are numbered.
std::vector<CodeRow> rowsOf(const base::SideBySide& diff, const std::string& text, bool isLeft)
{
    const Lines lines = base::splitLines(text);
    std::vector<CodeRow> rows;
    rows.reserve(diff.rows.size());
    bool wasLeftOut = false; // the row before, by programsSideBySide()
    for (const base::DiffRow& row : diff.rows) {
        const int line = isLeft ? row.a : row.b;
        const CodeRow::Mark mark = row.kind == base::RowKind::Same ? CodeRow::Mark::None
                                 : isLeft                          ? CodeRow::Mark::Removed
                                                                   : CodeRow::Mark::Added;
        rows.push_back(line < 0 ? filler() : textRow(lines, line, mark, isLeft ? row.wordsA : row.wordsB));
        const bool isLeftOut = line < 0 && row.kind == base::RowKind::Same;
        if (isLeftOut && !wasLeftOut)
            rows.back().text = "# not compared: a variant needs no inputs of its own";
        wasLeftOut = isLeftOut;
    }
    return rows;
}

/// Of base::oneColumn(): what both have is shown as the right side has it.
std::vector<CodeRow> columnOf(const base::SideBySide& diff, const std::string& left, const std::string& right)
{
    const Lines linesA = base::splitLines(left), linesB = base::splitLines(right);
    std::vector<CodeRow> rows;
    rows.reserve(diff.rows.size());
    for (const base::DiffRow& row : diff.rows) {
        const bool same = row.kind == base::RowKind::Same;
        CodeRow& code = rows.emplace_back(
            row.b >= 0 ? textRow(linesB, row.b, same ? CodeRow::Mark::None : CodeRow::Mark::Added, row.wordsB)
                       : textRow(linesA, row.a, same ? CodeRow::Mark::None : CodeRow::Mark::Removed, row.wordsA));
        code.first = row.a + 1;
        code.number = row.b + 1;
    }
    return rows;
}

} // namespace

CodeRow markedRow(int line, CodeRow::Mark mark, const std::vector<base::ByteSpan>& words)
{
    CodeRow row;
    row.number = line + 1;
    row.mark = mark;
    for (const base::ByteSpan& word : words)
        row.words.push_back({word.first, word.count});
    return row;
}

DiffView::DiffView(QWidget* parent)
    : QWidget(parent), m_left(new CodeView), m_right(new CodeView), m_leftTitle(new ElidedLabel),
      m_rightTitle(new ElidedLabel), m_overview(new DiffOverview), m_splitter(new QSplitter(Qt::Horizontal)),
      m_links(new LinkedViews(*m_left, *m_right, this))
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

    m_overview->setWindowOf([this] { return main()->window(); });
    for (CodeView* view : {m_left, m_right})
        connect(view, &CodeView::shownRequested, this, &DiffView::unfold);
    connect(m_links, &LinkedViews::scrolled, m_overview, qOverload<>(&QWidget::update));
    connect(m_overview, &DiffOverview::rowRequested, this, &DiffView::goToRow);
}

void DiffView::goToRow(int row)
{
    CodeView* view = main();
    const int line = int(view->SendScintilla(CodeView::SCI_VISIBLEFROMDOCLINE, row));
    view->SendScintilla(CodeView::SCI_SETFIRSTVISIBLELINE,
                        std::max(0, line - int(view->SendScintilla(CodeView::SCI_LINESONSCREEN)) / 3));
    m_links->follow(view);
    for (int i = 0; i < differenceCount(); ++i) {
        const base::TextDifference& difference = m_diff->differences[std::size_t(i)];
        if (row >= difference.firstRow - 1 && row <= difference.firstRow + difference.rowCount)
            return goTo(i);
    }
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
    m_titleA = left;
    m_titleB = right;
    showTitles();
}

void DiffView::showTitles()
{
    m_leftTitle->setText(isInline() ? tr("%1, and what B %2 has in its place").arg(m_titleA, m_titleB) : m_titleA);
    m_rightTitle->setText(m_titleB);
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
    m_textA = std::make_shared<const std::string>(left);
    m_textB = std::make_shared<const std::string>(right);
    m_differences = differences;
    compareAgain();
}

void DiffView::compareAgain()
{
    m_asker.forget();
    const auto compute = [a = m_textA, b = m_textB, differences = m_differences,
                          space = m_space]() -> std::shared_ptr<const base::SideBySide> {
        return std::make_shared<base::SideBySide>(differences(*a, *b, space));
    };
    if (m_textA->size() + m_textB->size() <= atOnce)
        display(compute());
    else
        m_asker.ask(compute, [this](std::shared_ptr<const base::SideBySide> diff) { display(std::move(diff)); });
}

void DiffView::setUnrelated(const std::string& left, const std::string& right)
{
    m_asker.forget();
    m_textA = std::make_shared<const std::string>(left);
    m_textB = std::make_shared<const std::string>(right);
    m_differences = nullptr;
    auto diff = std::make_shared<base::SideBySide>();
    const int a = int(base::splitLines(left).size()), b = int(base::splitLines(right).size());
    for (int line = 0; line < std::max(a, b); ++line)
        diff->rows.push_back({line < a ? line : -1, line < b ? line : -1, base::RowKind::Same, {}, {}});
    display(std::move(diff));
}

void DiffView::display(std::shared_ptr<const base::SideBySide> diff)
{
    m_sides = std::move(diff);
    displayRows();
}

/// Beside each other one bar is enough, that of the right side.
void DiffView::showScrollBars()
{
    m_left->setVerticalScrollBarPolicy(isInline() ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
}

void DiffView::displayRows()
{
    const bool column = isInline();
    if (column && m_splitter->widget(1)->isAncestorOf(QApplication::focusWidget()))
        m_left->setFocus(Qt::OtherFocusReason); // or it would go to another panel
    m_splitter->widget(1)->setVisible(!column);
    showScrollBars();
    showTitles();
    m_diff = column ? std::make_shared<const base::SideBySide>(base::oneColumn(*m_sides)) : m_sides;
    m_current = -1;
    m_links->forgetPlaces();
    std::vector<std::pair<int, int>> rows;
    if (column) {
        m_left->setRows(columnOf(*m_diff, *m_textA, *m_textB));
        m_right->setRows({});
    } else {
        m_left->setRows(rowsOf(*m_diff, *m_textA, true));
        m_right->setRows(rowsOf(*m_diff, *m_textB, false));
        for (int row = 0; row < int(m_diff->rows.size()); ++row)
            rows.emplace_back(row, row);
    }
    m_links->setRows(std::move(rows));
    m_overview->setDiff(m_diff);
    m_hidden.clear();
    hideEqual();
    emit shown();
    emit currentChanged(m_current);
}

void DiffView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    constexpr int letters = 40, aside = 6; // numbers of lines and marks
    const int room = 2 * (letters + aside) * QFontMetrics(Theme::instance().monoFont()).averageCharWidth();
    const bool narrow = width() < room;
    if (narrow != std::exchange(m_isNarrow, narrow))
        emit narrowChanged(narrow);
}

void DiffView::setInline(bool one)
{
    // Unrelated texts have no common column.
    if (one == m_inline)
        return;
    m_inline = one;
    displayRows();
}

void DiffView::setWrapped(bool wrapped)
{
    m_left->setWrapped(wrapped);
    m_right->setWrapped(wrapped);
    showScrollBars(); // which an editor decides anew
    m_links->align();
}

void DiffView::setSpaceShown(bool shown)
{
    m_left->setSpaceShown(shown);
    m_right->setSpaceShown(shown);
}

void DiffView::setSpaceIgnored(bool ignored)
{
    m_space = ignored ? base::WhiteSpace::Ignored : base::WhiteSpace::Counts;
    if (m_differences)
        compareAgain();
}

void DiffView::goTo(int difference)
{
    if (difference < 0 || difference >= differenceCount())
        return;
    m_current = difference;
    const base::TextDifference& rows = m_diff->differences[difference];
    main()->reveal(rows.firstRow, rows.rowCount);
    m_links->follow(main());
    for (CodeView* view : {m_left, m_right}) {
        if (isInline() && view == m_right)
            continue;
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
    if (!isInline())
        m_right->setHidden(rows);
    m_links->align();
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
    CodeView* view = left || isInline() ? m_left : m_right;
    (view == m_left ? m_right : m_left)->setLinkedRows({});
    view->setLinkedRows(rows);
    if (rows.empty())
        return;
    view->reveal(rows.front().first, rows.front().count);
    view->setCursorPosition(rows.front().first, 0);
    m_links->follow(view);
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
