// SPDX-License-Identifier: GPL-3.0-or-later
// Tools from left to right: counter, capture, jumps, fold, how it is read, swap, edit, kinds of code, sources,
// evaluate.
#include "ui/compare/comparebar.h"

#include "ui/compare/diffview.h"
#include "ui/kit/elidedlabel.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/kit/uistate.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

namespace cudal1::ui {

CompareBar::CompareBar(QWidget& page, DiffView& view)
    : m_page(page), m_layout(new QHBoxLayout(this)), m_counter(new ElidedLabel)
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("bar"));
    m_layout->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    m_layout->setSpacing(theme.unit(1));
    m_counter->setProperty("class", QStringLiteral("muted"));
    m_counter->setObjectName(QStringLiteral("counter"));
    m_layout->addWidget(m_counter, 1);
    addCapture(); // the first, so that nothing moves under the pointer when it comes
    addJumps(view);
    addReading(view);
    QAction* swap = addTool(QStringLiteral("compare"), tr("Swap sides"), tr("Swap the left and the right side"),
                            Qt::Key_X);
    addButton(swap);
    connect(swap, &QAction::triggered, this, &CompareBar::swapRequested);
    m_edit = addTool(QStringLiteral("edit"), tr("Edit a copy"),
                     tr("Change a copy of the variant by hand, then judge it"), Qt::Key_F2);
    m_edit->setObjectName(QStringLiteral("editCopy"));
    addButton(m_edit);
    connect(m_edit, &QAction::triggered, this, &CompareBar::editRequested);
    addKinds();
    addSources();
    addEvaluate();
}

QAction* CompareBar::addTool(const QString& icon, const QString& text, const QString& tip, const QKeySequence& key)
{
    QAction* action = makeTool(&m_page, icon, text, tip, key);
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    return action;
}

QToolButton* CompareBar::addButton(QAction* action)
{
    QToolButton* button = makeToolButton(action);
    m_layout->addWidget(button);
    return button;
}

void CompareBar::addCapture()
{
    m_capture = addTool(QStringLiteral("play"), tr("Capture kernels"),
                        tr("Run the variant once on the chosen GPU and keep the code of its own kernels"), {});
    m_capture->setObjectName(QStringLiteral("captureKernels"));
    addButton(m_capture)->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_capture->setIconText(tr("Capture")); // nothing else says how kernels come here
    connect(m_capture, &QAction::triggered, this, &CompareBar::captureRequested);
}

void CompareBar::addJumps(DiffView& view)
{
    m_jumps = {addTool(QStringLiteral("up"), tr("Previous difference"), tr("Previous difference"), Qt::Key_BracketLeft),
               addTool(QStringLiteral("down"), tr("Next difference"), tr("Next difference"), Qt::Key_BracketRight)};
    connect(m_jumps[0], &QAction::triggered, &view, &DiffView::previousDifference);
    connect(m_jumps[1], &QAction::triggered, &view, &DiffView::nextDifference);
    m_fold = addTool(QStringLiteral("fold"), tr("Fold equal parts"),
                     tr("Hide what both sides have alike, but for lines around each difference"), Qt::Key_E);
    m_fold->setCheckable(true);
    m_fold->setObjectName(QStringLiteral("foldEqual"));
    connect(m_fold, &QAction::toggled, &view, &DiffView::setFolded);
    for (QAction* action : {m_jumps[0], m_jumps[1], m_fold})
        addButton(action);
}

void CompareBar::addReading(DiffView& view)
{
    const auto add = [this](std::size_t which, const QString& text, const QString& tip, Qt::Key key, const char* name) {
        QAction* action = addTool({}, text, tip, key);
        action->setCheckable(true);
        action->setObjectName(QLatin1String(name));
        m_reading[which] = action;
        return action;
    };
    add(0, tr("One column"),
        tr("Show what is gone above what came in its place, over the whole width. A narrow page has it by itself"),
        Qt::Key_I, "oneColumn");
    addColumns(view);
    connect(add(1, tr("Wrap long lines"), tr("Let long lines go on below themselves"), Qt::Key_W, "wrapLines"),
            &QAction::toggled, this, &CompareBar::wrapToggled);
    connect(add(2, tr("Show white space"), tr("Draw blanks and tabs"), Qt::Key_S, "showSpace"), &QAction::toggled, this,
            &CompareBar::spaceToggled);
    connect(add(3, tr("Ignore white space"), tr("Count no difference that lies in blanks or empty lines alone"),
                Qt::Key_G, "ignoreSpace"),
            &QAction::toggled, &view, &DiffView::setSpaceIgnored);
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("reading"));
    button->setIcon(Theme::instance().icon(QStringLiteral("layout")));
    button->setToolTip(tr("How the code is shown: columns, long lines, white space"));
    button->setAccessibleName(button->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->setToolTipsVisible(true);
    for (QAction* action : m_reading)
        menu->addAction(action);
    button->setMenu(menu);
    m_layout->addWidget(button);
}

void CompareBar::addColumns(DiffView& view)
{
    QAction* shown = m_reading[0];
    m_oneColumn = new QAction(this);
    m_oneColumn->setCheckable(true);
    connect(m_oneColumn, &QAction::toggled, shown, &QAction::setChecked);
    connect(shown, &QAction::toggled, this, [this, &view](bool one) {
        m_hasChosenColumns = m_hasChosenColumns || view.isNarrow();
        m_oneColumn->setChecked(one);
        view.setInline(one);
    });
    connect(&view, &DiffView::narrowChanged, this, [this, shown, &view](bool narrow) {
        if (m_hasChosenColumns)
            return;
        const bool one = narrow || m_oneColumn->isChecked();
        const QSignalBlocker isNoChoice(shown);
        shown->setChecked(one);
        view.setInline(one);
    });
}

void CompareBar::keepReading()
{
    UiState::instance().keep(m_oneColumn, QStringLiteral("compare/oneColumn"));
    for (QAction* action : {m_reading[1], m_reading[2], m_reading[3]})
        UiState::instance().keep(action, QStringLiteral("compare/") + action->objectName());
}

void CompareBar::addKinds()
{
    auto* group = new QActionGroup(this);
    const std::pair<QString, QString> titles[] = {
        {tr("Source"), tr("Show the Python sources")},
        {tr("PTX"), tr("Show the PTX of the variants' own kernels")},
        {tr("SASS"), tr("Show the machine code of the variants' own kernels")},
        {tr("Counters"), tr("Show what the hardware does in the kernels of both sides")}};
    for (std::size_t i = 0; i < m_kinds.size(); ++i) {
        m_kinds[i] = addTool({}, titles[i].first, titles[i].second, {});
        addButton(m_kinds[i]);
        m_kinds[i]->setCheckable(true);
        m_kinds[i]->setObjectName(titles[i].first);
        group->addAction(m_kinds[i]);
        connect(m_kinds[i], &QAction::triggered, this, [this, i] { emit kindRequested(CodeKind(i)); });
    }
    m_kinds[0]->setChecked(true);
}

void CompareBar::addSources()
{
    auto* more = new QToolButton;
    more->setObjectName(QStringLiteral("sources"));
    more->setIcon(Theme::instance().icon(QStringLiteral("export")));
    more->setToolTip(tr("Copy, save or open a source"));
    more->setAccessibleName(more->toolTip());
    more->setFocusPolicy(Qt::TabFocus);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    fillMenu(*menu);
    more->setMenu(menu);
    m_layout->addWidget(more);
}

void CompareBar::fillMenu(QMenu& menu)
{
    for (const bool left : {true, false}) {
        const QString side = left ? tr("A, left") : tr("B, right");
        const auto add = [&](const QString& icon, const QString& text, const QString& name,
                             void (CompareBar::*request)(bool left)) {
            QAction* action = addTool(icon, QStringLiteral("%1 (%2)").arg(text, side), text, {});
            action->setObjectName(name + (left ? QStringLiteral("Left") : QStringLiteral("Right")));
            connect(action, &QAction::triggered, this, [this, left, request] { emit(this->*request)(left); });
            menu.addAction(action);
        };
        add(QStringLiteral("copy"), tr("Copy source"), QStringLiteral("copy"), &CompareBar::copyRequested);
        add(QStringLiteral("export"), tr("Save source as…"), QStringLiteral("save"), &CompareBar::saveRequested);
        add(QStringLiteral("open"), tr("Open in the system's editor"), QStringLiteral("open"),
            &CompareBar::openRequested);
        if (left)
            menu.addSeparator();
    }
}

void CompareBar::addEvaluate()
{
    m_evaluate = new QToolButton;
    m_evaluate->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_evaluate->setText(tr("Evaluate again"));
    m_evaluate->setToolTip(tr("Judge the variant on the right once more"));
    m_evaluate->setIcon(Theme::instance().icon(QStringLiteral("refresh")));
    connect(m_evaluate, &QToolButton::clicked, this, &CompareBar::evaluateRequested);
    m_layout->addWidget(m_evaluate);
}

void CompareBar::setState(const State& state)
{
    m_edit->setEnabled(state.hasSubject && !state.isEditing && state.startable);
    m_edit->setText(state.hasDraft ? tr("Go on with the draft") : tr("Edit a copy"));
    const bool isCounters = state.kind == CodeKind::Counters, compares = !state.isEditing && !isCounters;
    m_fold->setEnabled(compares);
    for (QAction* ofTheComparison : {m_reading[0], m_reading[3]})
        ofTheComparison->setEnabled(compares);
    for (QAction* jump : m_jumps)
        jump->setEnabled(compares);
    m_counter->setText(isCounters ? QString() : m_differences);
    m_isCounters = isCounters;
    m_evaluate->setEnabled(state.hasSubject && state.startable);
    m_capture->setVisible(state.kind != CodeKind::Source);
    m_capture->setEnabled(state.hasSubject && state.startable);
    const QString tip = isCounters
                          ? tr("Run the variant and the reference on the chosen GPU and count in their kernels")
                          : tr("Run the variant once on the chosen GPU and keep the code of its own kernels");
    m_capture->setText(isCounters ? tr("Capture counters") : tr("Capture kernels"));
    m_capture->setIconText(tr("Capture"));
    m_capture->setToolTip(tip);
    for (QAction* kind : m_kinds)
        kind->setEnabled(!state.isEditing);
}

void CompareBar::setKind(CodeKind kind)
{
    m_kinds[std::size_t(kind)]->setChecked(true);
}

void CompareBar::setCounter(const QString& text)
{
    m_differences = text;
    m_counter->setText(m_isCounters ? QString() : text);
}

} // namespace cudal1::ui
