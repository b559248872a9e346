// SPDX-License-Identifier: GPL-3.0-or-later
// Keys are read off the actions that there are, so the sheet cannot miss one.
#include "ui/shell/helpdialog.h"

#include "ui/kit/page.h"
#include "ui/kit/pagetabs.h"
#include "ui/kit/theme.h"
#include "ui/shell/helptexts.h"
#include "ui/variants/infoview.h"

#include <QAction>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace cudal1::ui {

namespace {

QString plain(QString title)
{
    return title.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

QString keyRow(const QString& keys, const QString& what)
{
    return QStringLiteral("<tr><td class=key><span class=mono>%1</span></td><td class=value>%2</td></tr>")
        .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

using Known = std::set<std::pair<QString, QString>>;

/// Rows of the actions of `widget` itself that have a key; one that stands at two places has one row.
QString actionRows(const QList<QAction*>& actions, Known& known)
{
    QString rows;
    for (const QAction* action : actions) {
        // A key that a menu only shows stands behind a tab.
        const QString text = plain(action->text()), shown = text.section(QLatin1Char('\t'), 1);
        QString key = shown.isEmpty() ? action->shortcut().toString(QKeySequence::NativeText) : shown;
        const QString name = text.section(QLatin1Char('\t'), 0, 0);
        if (!key.isEmpty() && !name.isEmpty() && known.emplace(name, key).second)
            rows += keyRow(key, name);
    }
    return rows;
}

QString textRows(const QString& page)
{
    QString rows;
    for (const auto& [keys, what] : pageKeys(page))
        rows += keyRow(keys, what);
    return rows;
}

} // namespace

HelpDialog::HelpDialog(QWidget& window, std::vector<Page*> pages)
    : QDialog(&window), m_window(window), m_pages(std::move(pages)), m_tabs(new PageTabs), m_search(new QLineEdit),
      m_view(new InfoView)
{
    const Theme& theme = Theme::instance();
    setObjectName(QStringLiteral("help"));
    setWindowTitle(tr("Help"));
    m_tabs->setObjectName(QStringLiteral("helpTabs"));
    m_tabs->setAccessibleName(tr("Page, keys or words"));
    m_tabs->setMarked(true);
    for (const QString& title : {tr("This page"), tr("Keys"), tr("Words")})
        m_tabs->addTab(title);
    m_search->setPlaceholderText(tr("Search the words"));
    m_search->setAccessibleName(m_search->placeholderText());
    m_search->setClearButtonEnabled(true);
    m_view->setAccessibleName(tr("Help"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tabs);
    layout->addWidget(m_search);
    layout->addWidget(m_view, 1);
    connect(m_tabs, &QTabBar::currentChanged, this, &HelpDialog::fill);
    connect(m_search, &QLineEdit::textChanged, this, &HelpDialog::fill);
    resize(theme.unit(140), theme.unit(150));
}

void HelpDialog::open(Tab tab)
{
    m_tabs->setCurrentIndex(tab);
    fill();
    show();
    raise();
    activateWindow();
    m_view->setFocus();
}

void HelpDialog::setPage(Page* page)
{
    m_page = page;
    if (isVisible())
        fill();
}

QString HelpDialog::text() const
{
    return m_view->toPlainText();
}

void HelpDialog::fill()
{
    const auto tab = Tab(m_tabs->currentIndex());
    m_search->setVisible(tab == Words);
    if (tab == Words)
        return m_view->setBody(wordsHtml(m_search->text()));
    if (tab == Keys)
        return m_view->setBody(keysHtml());
    QString body;
    if (m_page) {
        Known known;
        body = InfoView::heading(m_page->title()) + pageHelp(m_page->objectName());
        const QString rows = actionRows(m_page->actions(), known) + textRows(m_page->objectName());
        if (!rows.isEmpty())
            body += InfoView::heading(tr("Keys of this page")) + QStringLiteral("<table>%1</table>").arg(rows);
    }
    m_view->setBody(body);
}

QString HelpDialog::keysHtml() const
{
    Known known;
    QString out = InfoView::heading(tr("Everywhere")) +
                  QStringLiteral("<table>%1</table>")
                      .arg(actionRows(m_window.findChildren<QAction*>(QString(), Qt::FindDirectChildrenOnly), known) +
                           textRows({}));
    for (const Page* page : m_pages) {
        const QString rows = actionRows(page->actions(), known) + textRows(page->objectName());
        if (!rows.isEmpty())
            out += InfoView::heading(page->title()) + QStringLiteral("<table>%1</table>").arg(rows);
    }
    return out;
}

QString HelpDialog::wordsHtml(const QString& search) const
{
    QString rows;
    for (const auto& [word, meaning] : glossary())
        if (word.contains(search, Qt::CaseInsensitive) || meaning.contains(search, Qt::CaseInsensitive))
            rows += QStringLiteral("<p><b>%1</b><br>%2</p>").arg(word.toHtmlEscaped(), meaning.toHtmlEscaped());
    return rows.isEmpty() ? QStringLiteral("<p class=muted>%1</p>").arg(tr("No word has this text.")) : rows;
}

} // namespace cudal1::ui
