// SPDX-License-Identifier: GPL-3.0-or-later
// The panel, and what opens it.
#include "ui/variants/whymarked.h"

#include "ui/kit/theme.h"
#include "ui/variants/badge.h"
#include "ui/variants/infoview.h"
#include "ui/variants/judgedhtml.h"
#include "ui/work/projectmodel.h"

#include <QAbstractItemView>
#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QScreen>
#include <QVBoxLayout>

namespace cudal1::ui {

void WhyMarked::open(ProjectModel& project, base::VariantId variant, QWidget* beside, const QRect& area)
{
    auto* panel = new WhyMarked(project, variant, beside, area);
    panel->place();
    panel->show();
    panel->m_text->setFocus(Qt::PopupFocusReason);
}

void WhyMarked::follow(QLabel* label, ProjectModel& project, std::function<base::VariantId()> variant)
{
    connect(label, &QLabel::linkActivated, label, [label, &project, variant = std::move(variant)] {
        if (const base::VariantId id = variant())
            open(project, id, label, label->rect());
    });
}

WhyMarked::WhyMarked(ProjectModel& project, base::VariantId variant, QWidget* beside, const QRect& area)
    : QFrame(beside, Qt::Popup), m_project(project), m_variant(variant),
      m_beside(beside->mapToGlobal(area.topLeft()), area.size()), m_text(new InfoView)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("whyMarked"));
    setProperty("class", QStringLiteral("card"));
    setAccessibleName(tr("Why the speed-up is marked"));
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setAccessibleName(accessibleName());
    auto* layout = new QVBoxLayout(this);
    const int edge = Theme::instance().unit(1);
    layout->setContentsMargins(edge, edge, edge, edge);
    layout->addWidget(m_text);
    connect(&project, &ProjectModel::evaluationLoaded, this, [this](base::VariantId loaded) {
        if (loaded == m_variant)
            fill();
    });
    fill();
}

void WhyMarked::fill()
{
    const auto evaluation = m_project.evaluation(m_variant);
    if (!evaluation)
        m_text->setBody(QStringLiteral("<p class=muted>%1</p>").arg(tr("Reading…")));
    else if (!*evaluation)
        m_text->setBody(InfoView::prose(evaluation->error().text()));
    else
        m_text->setBody(whyMarkedHtml(**evaluation));
    if (isVisible())
        place();
}

/// As high as its text, within half of the screen.
void WhyMarked::place()
{
    const Theme& theme = Theme::instance();
    const QRect screen = parentWidget()->screen()->availableGeometry();
    const int width = std::min(theme.unit(110), screen.width());
    m_text->document()->setTextWidth(width - theme.unit(6));
    const int height = std::clamp(int(m_text->document()->size().height()) + theme.unit(5), theme.unit(16),
                                  std::max(theme.unit(16), screen.height() / 2));
    const bool below = m_beside.bottom() + height <= screen.bottom();
    setGeometry(std::clamp(m_beside.left(), screen.left(), std::max(screen.left(), screen.right() - width)),
                below ? m_beside.bottom() + 1 : std::max(screen.top(), m_beside.top() - height), width, height);
}

void WhyMarked::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        close();
    else
        QFrame::keyPressEvent(event);
}

BadgeClicks::BadgeClicks(QAbstractItemView* view, ProjectModel& project, VariantOf variantOf)
    : QObject(view), m_view(view), m_project(project), m_variantOf(std::move(variantOf))
{
    view->viewport()->installEventFilter(this);
    view->viewport()->setMouseTracking(true);
    auto* action = new QAction(Theme::instance().icon(QStringLiteral("help"), Role::Muted), tr("Why is it marked?"),
                               view);
    action->setObjectName(QStringLiteral("whyMarked"));
    action->setShortcut(Qt::CTRL | Qt::Key_I);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setToolTip(tr("Why the speed-up of this row is questioned, or in what its precision is another (%1)")
                           .arg(action->shortcut().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, &BadgeClicks::openCurrent);
    view->addAction(action);
}

QModelIndex BadgeClicks::badgeAt(const QPoint& position, QRect* badge) const
{
    const QModelIndex index = m_view->indexAt(position);
    const auto* delegate = index.isValid() ? qobject_cast<BadgedDelegate*>(m_view->itemDelegateForIndex(index))
                                           : nullptr;
    if (!delegate || !m_variantOf(index))
        return {};
    *badge = delegate->badgeRect(m_view->visualRect(index), index);
    return badge->contains(position) ? index : QModelIndex();
}

void BadgeClicks::openCurrent()
{
    const QModelIndex index = m_view->currentIndex();
    if (!index.isValid() || !m_variantOf(index))
        return;
    m_view->scrollTo(index);
    WhyMarked::open(m_project, m_variantOf(index), m_view->viewport(), m_view->visualRect(index));
}

/// A click on a badge is no click on its row: neither selects it nor opens anything else.
bool BadgeClicks::eventFilter(QObject* watched, QEvent* event)
{
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    if (!mouse)
        return QObject::eventFilter(watched, event);
    QRect badge;
    switch (event->type()) {
    case QEvent::MouseMove:
        if (mouse->buttons() == Qt::NoButton)
            badgeAt(mouse->pos(), &badge).isValid() ? m_view->viewport()->setCursor(Qt::PointingHandCursor)
                                                    : m_view->viewport()->unsetCursor();
        break;
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        m_pressed = mouse->button() == Qt::LeftButton && badgeAt(mouse->pos(), &badge).isValid();
        return m_pressed;
    case QEvent::MouseButtonRelease: {
        if (!m_pressed)
            break;
        m_pressed = false;
        if (const QModelIndex index = badgeAt(mouse->pos(), &badge); index.isValid())
            WhyMarked::open(m_project, m_variantOf(index), m_view->viewport(), badge);
        return true;
    }
    default: break;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace cudal1::ui
