// SPDX-License-Identifier: GPL-3.0-or-later
// The underline is painted here, since a style sheet's border of a tab is cut off by the bar's own height.
#include "ui/kit/pagetabs.h"

#include "ui/kit/theme.h"

#include <QApplication>
#include <QPainter>
#include <QStyle>

namespace cudal1::ui {

PageTabs::PageTabs(QWidget* parent) : QTabBar(parent)
{
    setProperty("class", QStringLiteral("pages"));
    setAccessibleName(tr("Pages"));
    setDrawBase(false);
    setExpanding(false);
    setFocusPolicy(Qt::TabFocus);
}

void PageTabs::setMarked(bool marked)
{
    m_marked = marked;
    update();
}

void PageTabs::showEvent(QShowEvent* event)
{
    QTabBar::showEvent(event);
    fit();
}

void PageTabs::resizeEvent(QResizeEvent* event)
{
    QTabBar::resizeEvent(event);
    fit();
}

void PageTabs::fit()
{
    const auto widthOf = [this] {
        int all = 0;
        for (int tab = 0; tab < count(); ++tab)
            all += tabSizeHint(tab).width();
        return all;
    };
    if (!isVisible() || count() == 0)
        return;
    if (m_tight && width() >= m_loose)
        setTight(false);
    if (!m_icons.empty() && !m_tight && width() >= m_wide) {
        for (int tab = 0; tab < int(m_icons.size()); ++tab)
            setTabIcon(tab, m_icons[std::size_t(tab)]);
        m_icons.clear();
    }
    if (m_icons.empty() && widthOf() > width()) {
        m_wide = widthOf();
        for (int tab = 0; tab < count(); ++tab) {
            m_icons.push_back(tabIcon(tab));
            setTabIcon(tab, {});
        }
    }
    if (!m_tight && widthOf() > width()) {
        m_loose = widthOf();
        setTight(true);
    }
}

void PageTabs::setTight(bool tight)
{
    m_tight = tight;
    setProperty("tight", tight);
    style()->unpolish(this);
    style()->polish(this);
    QEvent changed(QEvent::StyleChange); // has the tabs laid out anew
    QApplication::sendEvent(this, &changed);
}

void PageTabs::paintEvent(QPaintEvent* event)
{
    QTabBar::paintEvent(event);
    if (!m_marked || currentIndex() < 0)
        return;
    const Theme& theme = Theme::instance();
    const QRect tab = tabRect(currentIndex()).adjusted(theme.unit(2), 0, -theme.unit(2), 0);
    const int thickness = std::max(2, theme.unit(1) / 2);
    QPainter painter(this);
    painter.fillRect(QRect(tab.left(), height() - thickness, tab.width(), thickness), theme.color(Role::Accent));
}

} // namespace cudal1::ui
