// SPDX-License-Identifier: GPL-3.0-or-later
// Single keys are the view's own: here they only stand in tool tips and menus.
#include "ui/timeline/timelinebar.h"

#include "core/base/percenttext.h"
#include "ui/kit/theme.h"
#include "ui/kit/tool.h"
#include "ui/timeline/timelineview.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QToolButton>

namespace cudal1::ui {

namespace {

constexpr double zoomOfButton = 1.4;

} // namespace

TimelineBar::TimelineBar(TimelineView& view, QWidget* parent) : QFrame(parent), m_view(view)
{
    const Theme& theme = Theme::instance();
    setProperty("class", QStringLiteral("bar"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(theme.unit(3), theme.unit(1), theme.unit(2), theme.unit(1));
    layout->setSpacing(theme.unit(1));

    m_choice = addMenu("timelineChoice", tr("Variants to show"), tr("Which variants are shown below the reference"));
    m_choice->setText(tr("Variants"));
    auto* record = addButton(
        QStringLiteral("play"), tr("Record"),
        tr("Run a few calls of the reference and of the chosen variants, and record what runs when"), {},
        [this] { emit recordClicked(); });
    record->setObjectName(QStringLiteral("timelineRecord"));
    record->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_record = record;
    addButton(QStringLiteral("open"), tr("Open Trace…"),
              tr("Open a trace in Chrome's JSON format, ours or torch.profiler's"), {}, [this] { emit openClicked(); })
        ->setObjectName(QStringLiteral("timelineOpen"));
    m_export = addMenu("timelineExport", tr("Export Trace"),
                       tr("Write a recording as Chrome trace JSON, for Perfetto"));
    m_export->setIcon(Theme::instance().icon(QStringLiteral("export")));
    m_closeTrace = addButton(QStringLiteral("close"), tr("Close Trace"),
                             tr("Close the opened trace and show the task's recordings"), {},
                             [this] { emit closeClicked(); });
    m_closeTrace->setObjectName(QStringLiteral("timelineClose"));
    m_closeTrace->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    layout->addStretch(1);

    layout->addWidget(makeBusy());
    layout->addWidget(makeSearch());
    m_found = new QLabel;
    m_found->setObjectName(QStringLiteral("timelineCounter"));
    m_found->setProperty("class", QStringLiteral("muted"));
    layout->addWidget(m_found);
    addButton({}, tr("Zoom In"), tr("Zoom in"), Qt::Key_W, [this] { m_view.zoom(1 / zoomOfButton); })
        ->defaultAction()
        ->setIconText(QStringLiteral("+"));
    addButton({}, tr("Zoom Out"), tr("Zoom out"), Qt::Key_S, [this] { m_view.zoom(zoomOfButton); })
        ->defaultAction()
        ->setIconText(QStringLiteral("−"));
    addButton({}, tr("Fit"), tr("Show the selected event or measured span, else everything"), Qt::Key_F, [this] {
        m_view.fit();
    })->setObjectName(QStringLiteral("timelineFit"));
    addFolds();
    addButton({}, tr("Measure"),
              tr("Measure between two edges: click the first, then the second. The selected event or gap at once, and "
                 "to the end of the next that is selected; without one M begins at the pointer"),
              Qt::Key_M, [this] {
                  m_view.setFocus();
                  m_view.measure();
              });
}

QToolButton* TimelineBar::addButton(const QString& icon, const QString& text, const QString& tip,
                                    const QKeySequence& key, std::function<void()> run)
{
    QAction* action = makeTool(this, icon, text, tip, key);
    connect(action, &QAction::triggered, this, std::move(run));
    QToolButton* button = makeToolButton(action);
    layout()->addWidget(button);
    return button;
}

QToolButton* TimelineBar::addMenu(const char* name, const QString& text, const QString& tip)
{
    auto* button = new QToolButton;
    button->setObjectName(QString::fromLatin1(name));
    button->setAccessibleName(text);
    button->setToolTip(tip);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    layout()->addWidget(button);
    return button;
}

void TimelineBar::addFolds()
{
    QToolButton* button = addMenu(
        "timelineFold", tr("Fold tracks"),
        tr("Fold tracks to strips, or unfold them. A click on a track's name or on a heading does it too"));
    button->setText(tr("Fold"));
    QAction* track = button->menu()->addAction(tr("Fold or Unfold Track") + QStringLiteral("\tC"), &m_view,
                                               &TimelineView::foldTrack);
    button->menu()->addAction(tr("Fold or Unfold Tracks Without Work on a Device") + QStringLiteral("\tShift+C"),
                              &m_view, &TimelineView::foldHostTracks);
    const auto enable = [this, track] { track->setEnabled(bool(m_view.picked())); };
    enable();
    connect(&m_view, &TimelineView::pickedChanged, track, enable);
}

QWidget* TimelineBar::makeBusy()
{
    m_busy = new QWidget;
    auto* layout = new QHBoxLayout(m_busy);
    layout->setContentsMargins(0, 0, 0, 0);
    m_busyText = new QLabel;
    m_progress = new QProgressBar;
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setTextVisible(false); // the bar is lower than a line
    m_progress->setFixedWidth(Theme::instance().unit(30));
    auto* stop = new QToolButton;
    stop->setObjectName(QStringLiteral("timelineStop"));
    stop->setText(tr("Stop"));
    stop->setToolTip(tr("Stop opening or writing the file"));
    connect(stop, &QToolButton::clicked, this, &TimelineBar::stopClicked);
    layout->addWidget(m_busyText);
    layout->addWidget(m_progress);
    layout->addWidget(stop);
    m_busy->hide();
    return m_busy;
}

QLineEdit* TimelineBar::makeSearch()
{
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("timelineSearch"));
    m_search->setPlaceholderText(tr("Search events  ( / )"));
    m_search->setAccessibleName(tr("Search events by name"));
    m_search->setToolTip(tr("A text or a regular expression. Enter goes to the next event, Shift+Enter to the one "
                            "before, Esc back to the timelines"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(Theme::instance().unit(56));
    connect(m_search, &QLineEdit::textChanged, this, &TimelineBar::searchedChanged);
    m_search->installEventFilter(this);
    return m_search;
}

bool TimelineBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            emit nextFoundRequested(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_view.setFocus();
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void TimelineBar::setTraceOpen(bool isOpen)
{
    m_closeTrace->defaultAction()->setVisible(isOpen); // the button goes with it
    m_choice->setEnabled(!isOpen);
    m_export->setEnabled(!isOpen);
}

void TimelineBar::setBusy(bool isBusy)
{
    m_busy->setVisible(isBusy);
}

void TimelineBar::setRecordable(bool recordable)
{
    m_record->defaultAction()->setEnabled(recordable);
}

void TimelineBar::setProgress(const QString& text, double fraction)
{
    m_busyText->setText(
        fraction < 0 ? text : text + QStringLiteral("  ") + QString::fromStdString(base::percentText(fraction)));
    m_progress->setRange(0, fraction < 0 ? 0 : 1000);
    m_progress->setValue(int(1000 * fraction));
}

QString TimelineBar::searched() const
{
    return m_search->text();
}
void TimelineBar::setSearched(const QString& text)
{
    m_search->setText(text);
}
void TimelineBar::setFound(const QString& text)
{
    m_found->setText(text);
}

void TimelineBar::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

} // namespace cudal1::ui
