// SPDX-License-Identifier: GPL-3.0-or-later
// A field and a list over the window: type a few letters, press Enter. Used for every action and for going to a task.
#pragma once

#include <QFrame>
#include <QIcon>
#include <QPointer>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace cudal1::ui {

struct PaletteItem {
    QString title;
    QString hint; ///< muted, at the right: a shortcut or a number
    QIcon icon;
    std::function<void()> run;
};

/// How well `text` fits what was typed: every letter in order, better at starts of words and in a row; below 0 for no
/// fit.
int paletteScore(const QString& text, const QString& typed);

class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);

    void open(const QString& placeholder, std::vector<PaletteItem> items);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& typed);
    void place();
    void runCurrent();
    void dismiss();

    QLineEdit* m_edit;
    QListView* m_list;
    QLabel* m_nothing; ///< in the place of the list where nothing fits
    QStandardItemModel* m_model;
    std::vector<PaletteItem> m_items;
    QPointer<QWidget> m_before; ///< had the focus
};

} // namespace cudal1::ui
