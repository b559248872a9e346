// SPDX-License-Identifier: GPL-3.0-or-later
// The window's help: of the page shown, all keys, and the words. Not modal, so that it can stand beside the work.
#pragma once

#include <QDialog>

#include <vector>

class QLineEdit;

namespace cudal1::ui {

class InfoView;
class Page;
class PageTabs;

class HelpDialog : public QDialog {
    Q_OBJECT
public:
    enum Tab { OfPage, Keys, Words };

    /// Lists the actions of `window` and of `pages`.
    HelpDialog(QWidget& window, std::vector<Page*> pages);

    void open(Tab tab);
    /// Whose help the first tab has.
    void setPage(Page* page);
    QString text() const; ///< of the tab shown, as a person reads it

private:
    void fill();
    QString keysHtml() const;
    QString wordsHtml(const QString& search) const;

    QWidget& m_window;
    std::vector<Page*> m_pages;
    Page* m_page = nullptr;
    PageTabs* m_tabs;
    QLineEdit* m_search;
    InfoView* m_view;
};

} // namespace cudal1::ui
