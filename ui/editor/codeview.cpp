// SPDX-License-Identifier: GPL-3.0-or-later
// QScintilla set up as a reader's view; filler rows exist in the document and are left out of what is copied.
#include "ui/editor/codeview.h"

#include "ui/editor/codecolors.h"
#include "ui/editor/codefindbar.h"
#include "ui/editor/embeddedcode.h"
#include "ui/kit/theme.h"

#include <Qsci/qscilexerpython.h>

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTimer>

namespace cudal1::ui {

namespace {

enum Margin { Numbers = 0, Signs = 1, Folds = 2 };
constexpr int signMask = 1 << CurrentSign;

} // namespace

CodeView::CodeView(QWidget* parent)
    : QsciScintilla(parent), m_lexer(new QsciLexerPython(this)), m_find(new CodeFindBar(*this))
{
    setUtf8(true);
    setReadOnly(true);
    setFrameShape(QFrame::NoFrame);
    m_lexer->setFoldComments(false);
    setLexer(m_lexer);
    setTabWidth(4);
    setIndentationGuides(true);
    setBraceMatching(QsciScintilla::SloppyBraceMatch);
    setCaretLineVisible(false);
    setMarginType(Numbers, QsciScintilla::NumberMargin);
    setMarginType(Signs, QsciScintilla::SymbolMargin);
    setMarginMarkerMask(Signs, signMask);
    setMarginWidth(Signs, 0);
    setMarginSensitivity(Folds, true);
    setMarginMarkerMask(Numbers, 0);
    setMarginMarkerMask(Folds, int(SC_MASK_FOLDERS));
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1);
    SendScintilla(SCI_SETMARGINLEFT, 0, 6L);
    applyTheme();
    connect(&Theme::instance(), &Theme::changed, this, &CodeView::applyTheme);
    auto* typed = new QTimer(this);
    typed->setSingleShot(true);
    typed->setInterval(100);
    connect(typed, &QTimer::timeout, this, &CodeView::highlightEmbedded);
    connect(this, &QsciScintilla::textChanged, typed, [this, typed] {
        if (m_editable)
            typed->start();
    });
}

void CodeView::setLanguage(CodeLanguage language)
{
    if (language == m_language)
        return;
    m_language = language;
    m_shown.clear();
    setLexer(language == CodeLanguage::Python ? m_lexer : nullptr);
    applyTheme();
}

void CodeView::setEditable(bool editable)
{
    m_editable = editable;
    setReadOnly(!editable);
    SendScintilla(SCI_SETUNDOCOLLECTION, editable ? 1 : 0);
    setAutoIndent(editable);
    setIndentationsUseTabs(false);
    setCaretLineVisible(editable);
}

void CodeView::setCode(std::string_view utf8)
{
    const QByteArray text(utf8.data(), qsizetype(utf8.size()));
    if (!m_editable && m_filler.empty() && text == m_shown && !m_shown.isEmpty())
        return;
    m_filler.clear();
    setMarginType(Numbers, QsciScintilla::NumberMargin);
    setMarginMarkerMask(Signs, 0);
    m_changeBars = 0;
    setFolding(QsciScintilla::PlainFoldStyle, Folds);
    setDocument(text);
    m_numbers = lines();
    m_twoNumbers = false;
    applyTheme();
}

void CodeView::setRows(const std::vector<CodeRow>& rows)
{
    QByteArray text;
    for (const CodeRow& row : rows)
        text.append(row.text.data(), qsizetype(row.text.size())).append('\n');
    if (!rows.empty())
        text.chop(1);
    setFolding(QsciScintilla::NoFoldStyle, Folds);
    setMarginType(Numbers, QsciScintilla::TextMarginRightJustified);
    setMarginMarkerMask(Signs, signMask);
    m_changeBars = 1;
    setDocument(text);
    m_filler.assign(rows.size(), false);
    m_numbers = 0;
    m_twoNumbers = false;
    for (const CodeRow& code : rows) {
        m_numbers = std::max({m_numbers, code.number, code.first.value_or(0)});
        m_twoNumbers = m_twoNumbers || code.first.has_value();
    }
    const auto numberText = [](int number) { return number > 0 ? QByteArray::number(number) : QByteArray(); };
    for (int row = 0; row < int(rows.size()); ++row) {
        const CodeRow& code = rows[row];
        m_filler[row] = code.mark == CodeRow::Mark::Filler;
        if (code.number > 0 || code.first.value_or(0) > 0) {
            // The sign says the same as the colour of the line.
            const char* sign = code.mark == CodeRow::Mark::Removed ? " -"
                             : code.mark == CodeRow::Mark::Added   ? " +"
                                                                   : "  ";
            const QByteArray numbers = m_twoNumbers ? numberText(code.first.value_or(0)).rightJustified(digits()) +
                                                          ' ' + numberText(code.number).rightJustified(digits())
                                                    : numberText(code.number);
            SendScintilla(SCI_MARGINSETTEXT, row, (numbers + sign).constData());
            SendScintilla(SCI_MARGINSETSTYLE, row, long(STYLE_LINENUMBER));
        }
        mark(row, code);
    }
    applyTheme();
}

void CodeView::mark(int row, const CodeRow& code)
{
    if (code.mark == CodeRow::Mark::None)
        return;
    const bool removed = code.mark == CodeRow::Mark::Removed, filler = code.mark == CodeRow::Mark::Filler;
    markerAdd(row, filler ? FillerMarker : removed ? RemovedMarker : AddedMarker);
    if (filler)
        return;
    const long start = SendScintilla(SCI_POSITIONFROMLINE, row);
    SendScintilla(SCI_SETINDICATORCURRENT, removed ? RemovedWordIndicator : AddedWordIndicator);
    for (const CodeRow::Bytes& word : code.words)
        SendScintilla(SCI_INDICATORFILLRANGE, start + word.first, long(word.count));
}

void CodeView::setChanged(const std::vector<CodeRow>& rows)
{
    const long length = SendScintilla(SCI_GETLENGTH);
    for (const int indicator : {RemovedWordIndicator, AddedWordIndicator}) {
        SendScintilla(SCI_SETINDICATORCURRENT, indicator);
        SendScintilla(SCI_INDICATORCLEARRANGE, 0, length);
    }
    for (const CodeMarker marker : {RemovedMarker, AddedMarker, RemovedSign, AddedSign})
        markerDeleteAll(marker);
    for (const CodeRow& row : rows) {
        mark(row.number - 1, row);
        markerAdd(row.number - 1, row.mark == CodeRow::Mark::Removed ? RemovedSign : AddedSign);
    }
    m_signs = true;
    setMarginMarkerMask(Signs, (1 << RemovedSign) | (1 << AddedSign));
    sizeMargins();
}

void CodeView::setWrapped(bool wrapped)
{
    setWrapMode(wrapped ? QsciScintilla::WrapWord : QsciScintilla::WrapNone);
    setWrapIndentMode(QsciScintilla::WrapIndentIndented);
    setWrapVisualFlags(QsciScintilla::WrapFlagNone,
                       wrapped ? QsciScintilla::WrapFlagByText : QsciScintilla::WrapFlagNone);
}

void CodeView::setSpaceShown(bool shown)
{
    setWhitespaceVisibility(shown ? QsciScintilla::WsVisible : QsciScintilla::WsInvisible);
}

int CodeView::heightOf(int row) const
{
    return SendScintilla(SCI_GETLINEVISIBLE, row) ? int(SendScintilla(SCI_WRAPCOUNT, row)) : 0;
}

void CodeView::layOut()
{
    SendScintilla(SCI_ENSUREVISIBLE, 0UL); // wraps all lines, and no row 0 is ever hidden
}

void CodeView::setEmptyLines(std::vector<EmptyLines> lines)
{
    if (lines == m_empty)
        return;
    m_empty = std::move(lines);
    annotate();
}

/// Empty lines, and notes of what is hidden.
void CodeView::annotate()
{
    std::map<int, QByteArray> notes;
    for (const EmptyLines& lines : m_empty)
        notes[lines.row] = QByteArray(lines.count, '\n').replace('\n', " \n").chopped(1);
    for (const HiddenRows& run : m_hidden) {
        QByteArray& note = notes[run.first - 1];
        note = (note.isEmpty() ? note : note + '\n') + noteOf(run.count).toUtf8();
    }
    for (const auto& [row, note] : m_notes)
        if (!notes.contains(row))
            SendScintilla(SCI_ANNOTATIONSETTEXT, row, static_cast<const char*>(nullptr));
    for (const auto& [row, note] : notes) {
        if (const auto before = m_notes.find(row); before != m_notes.end() && before->second == note)
            continue;
        SendScintilla(SCI_ANNOTATIONSETTEXT, row, note.constData());
        SendScintilla(SCI_ANNOTATIONSETSTYLE, row, long(STYLE_LINENUMBER));
    }
    m_notes = std::move(notes);
    SendScintilla(SCI_ANNOTATIONSETVISIBLE, long(ANNOTATION_STANDARD));
}

void CodeView::setDocument(const QByteArray& utf8)
{
    m_shown = utf8;
    m_find->dismiss();
    setReadOnly(false);
    // Never kept: a read-only view needs no undo, and every text would stay in memory.
    SendScintilla(SCI_SETUNDOCOLLECTION, 0);
    markerDeleteAll();
    clearMarginText();
    m_hidden.clear();
    m_empty.clear();
    m_notes.clear();
    m_signs = false;
    SendScintilla(SCI_ANNOTATIONCLEARALL);
    SendScintilla(SCI_SHOWLINES, 0, long(lines() - 1));
    SendScintilla(SCI_CLEARALL);
    SendScintilla(SCI_SETSCROLLWIDTH, 1);
    SendScintilla(SCI_APPENDTEXT, static_cast<unsigned long>(utf8.size()), utf8.constData());
    highlightEmbedded();
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setReadOnly(!m_editable);
    SendScintilla(SCI_SETUNDOCOLLECTION, m_editable ? 1 : 0);
    setCursorPosition(0, 0);
    verticalScrollBar()->setValue(0);
    horizontalScrollBar()->setValue(0);
}

void CodeView::highlightEmbedded()
{
    const long length = SendScintilla(SCI_GETLENGTH);
    for (int kind = 0; kind < int(CodeToken::Kind::Count); ++kind) {
        SendScintilla(SCI_SETINDICATORCURRENT, FirstTokenIndicator + kind);
        SendScintilla(SCI_INDICATORCLEARRANGE, 0, length);
    }
    if (m_language != CodeLanguage::Python)
        return;
    const QByteArray text = m_editable ? QsciScintilla::text().toUtf8() : m_shown;
    const std::string_view all(text.constData(), std::size_t(text.size()));
    for (const EmbeddedText& embedded : embeddedCpp(all)) {
        for (const CodeToken& token :
             cppTokens(all.substr(std::size_t(embedded.first), std::size_t(embedded.count)), embedded.first)) {
            SendScintilla(SCI_SETINDICATORCURRENT, FirstTokenIndicator + int(token.kind));
            SendScintilla(SCI_INDICATORFILLRANGE, token.first, long(token.count));
        }
    }
}

QString CodeView::noteOf(int count) const
{
    return tr("⋯  %1 equal lines, click to show").arg(count);
}

void CodeView::setHidden(std::vector<HiddenRows> runs)
{
    if (runs == m_hidden)
        return;
    SendScintilla(SCI_SHOWLINES, 0, long(lines() - 1));
    m_hidden = std::move(runs);
    for (const HiddenRows& run : m_hidden)
        SendScintilla(SCI_HIDELINES, run.first, long(run.first + run.count - 1));
    annotate();
}

std::pair<int, int> CodeView::window() const
{
    const int first = firstVisibleLine(), shown = int(SendScintilla(SCI_LINESONSCREEN));
    const int row = int(SendScintilla(SCI_DOCLINEFROMVISIBLE, first));
    return {row, m_hidden.empty() ? shown : int(SendScintilla(SCI_DOCLINEFROMVISIBLE, first + shown)) - row};
}

void CodeView::setLinkedRows(const std::vector<HiddenRows>& rows)
{
    markerDeleteAll(LinkedMarker);
    for (const HiddenRows& run : rows)
        for (int row = run.first; row < run.first + run.count; ++row)
            markerAdd(row, LinkedMarker);
}

QString CodeView::withoutFiller(int first, int last) const
{
    QStringList out;
    for (int row = first; row <= last; ++row)
        if (!isFiller(row))
            out << text(row).remove(u'\n').remove(u'\r');
    return out.join(u'\n');
}

QString CodeView::selectedCode() const
{
    if (m_filler.empty())
        return selectedText();
    int line = 0, column = 0, endLine = 0, endColumn = 0;
    getSelection(&line, &column, &endLine, &endColumn);
    if (line < 0)
        return {};
    if (line == endLine)
        return selectedText();
    const QString selected = selectedText();
    QStringList out, rows = selected.split(u'\n');
    for (int i = 0; i < rows.size(); ++i)
        if (!isFiller(line + i))
            out << rows[i];
    return out.join(u'\n');
}

QString CodeView::code() const
{
    return m_filler.empty() ? text() : withoutFiller(0, lines() - 1);
}

void CodeView::copySelected()
{
    const QString selected = selectedCode();
    QApplication::clipboard()->setText(selected.isEmpty() ? code() : selected);
}

void CodeView::find()
{
    const QString word = hasSelectedText() && !selectedText().contains(u'\n') ? selectedText() : QString();
    m_find->open(word);
}

void CodeView::reveal(int row, int count)
{
    for (const HiddenRows& run : m_hidden) {
        if (row >= run.first && row < run.first + run.count) {
            emit shownRequested(run.first);
            break;
        }
    }
    const int first = firstVisibleLine(), shown = int(SendScintilla(SCI_LINESONSCREEN));
    row = int(SendScintilla(SCI_VISIBLEFROMDOCLINE, row));
    if (row < first + 1 || row + std::min(count, shown / 2) > first + shown - 1)
        SendScintilla(SCI_SETFIRSTVISIBLELINE, std::max(0, row - shown / 3));
}

void CodeView::revealLine(const QString& text)
{
    constexpr int wanted = 8, above = 1; // lines from it on, and before it
    for (int row = 0; row < lines(); ++row) {
        if (!QsciScintilla::text(row).trimmed().startsWith(text))
            continue;
        if (row + std::min(wanted, lines() - row) > int(SendScintilla(SCI_LINESONSCREEN)))
            SendScintilla(SCI_SETFIRSTVISIBLELINE, std::max(0, row - above));
        return;
    }
}

void CodeView::setCurrentRows(int first, int count)
{
    markerDeleteAll(CurrentSign);
    for (int row = first; row < first + count; ++row)
        markerAdd(row, CurrentSign);
}

int CodeView::widthOf(int characters) const
{
    return QFontMetrics(Theme::instance().monoFont()).horizontalAdvance(u'0') * characters;
}

bool CodeView::event(QEvent* event)
{
    // QScintilla claims every printable key as text to type; here they are free for the page's shortcuts.
    if (event->type() == QEvent::ShortcutOverride && !m_editable)
        return false;
    return QsciScintilla::event(event);
}

void CodeView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copySelected();
        event->accept();
    } else if (event->key() == Qt::Key_Escape && m_find->isVisible()) {
        m_find->dismiss();
        event->accept();
    } else if (!m_editable && (event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab)) {
        focusNextPrevChild(event->key() == Qt::Key_Tab);
        event->accept();
    } else if (m_editable ? event->key() != Qt::Key_Escape
                          : event->text().isEmpty() || event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) {
        QsciScintilla::keyPressEvent(event);
    } else {
        event->ignore();
    }
}

void CodeView::mousePressEvent(QMouseEvent* event)
{
    const int height = int(SendScintilla(SCI_TEXTHEIGHT, 0));
    const int line = firstVisibleLine() + event->pos().y() / std::max(1, height);
    const int row = int(SendScintilla(SCI_DOCLINEFROMVISIBLE, line));
    // A note stands below the line in front of the rows that it hides.
    if (event->button() == Qt::LeftButton &&
        line >= int(SendScintilla(SCI_VISIBLEFROMDOCLINE, row) + SendScintilla(SCI_WRAPCOUNT, row))) {
        for (const HiddenRows& run : m_hidden) {
            if (run.first == row + 1) {
                emit shownRequested(run.first);
                return;
            }
        }
    }
    QsciScintilla::mousePressEvent(event);
}

void CodeView::contextMenuEvent(QContextMenuEvent* event)
{
    if (m_editable) {
        QsciScintilla::contextMenuEvent(event);
        return;
    }
    QMenu menu(this);
    menu.addAction(hasSelectedText() ? tr("Copy") : tr("Copy all"), QKeySequence::Copy, this, &CodeView::copySelected);
    menu.addAction(tr("Select all"), QKeySequence::SelectAll, this, [this] { selectAll(); });
    menu.addSeparator();
    menu.addAction(tr("Find…"), QKeySequence::Find, this, &CodeView::find);
    if (m_filler.empty())
        menu.addAction(tr("Fold or unfold all"), this, [this] { foldAll(true); });
    menu.exec(event->globalPos());
}

void CodeView::resizeEvent(QResizeEvent* event)
{
    QsciScintilla::resizeEvent(event);
    m_find->place();
}

void CodeView::changeEvent(QEvent* event)
{
    QsciScintilla::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        applyTheme();
}

void CodeView::applyTheme()
{
    applyCodeColors(*this, *m_lexer);
    if (!lexer())
        setFont(Theme::instance().monoFont());
    sizeMargins();
}

int CodeView::digits() const
{
    return std::max(3, int(QByteArray::number(m_numbers).size()));
}

void CodeView::sizeMargins()
{
    // A sign has its own two characters behind the number.
    const int letters = digits() * (m_twoNumbers ? 2 : 1) + (m_twoNumbers ? 1 : 0) + (m_changeBars ? 2 : 1);
    setMarginWidth(Numbers, widthOf(letters) + Theme::instance().unit(1));
    setMarginWidth(Signs, m_signs        ? widthOf(1) + Theme::instance().unit(1)
                          : m_changeBars ? Theme::instance().unit(1) + 1
                                         : 0);
    setMarginWidth(Folds, m_changeBars ? 0 : widthOf(2));
}

} // namespace cudal1::ui
