// SPDX-License-Identifier: GPL-3.0-or-later
// Remembers how the user has arranged the window (its place and size, docks, splitters, headers of tables, what is
// switched on) from one start to the next, and can put everything back.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QHeaderView;
class QMainWindow;
class QSplitter;

namespace cudal1::ui {

/// There is one for the program, used from the GUI thread. What it keeps lies in QSettings under "layout". It owns
/// nothing, and an object that was destroyed is forgotten.
class UiState : public QObject {
    Q_OBJECT
public:
    static UiState& instance();

    // Each notes the object's present state as the one that reset() goes back to, and then restores the state that was
    // saved under `name`, if there is one. So call it when the object has its standard layout. Another object with the
    // same name takes the place of the one before.
    void keep(QSplitter* splitter, const QString& name);
    void keep(QHeaderView* header, const QString& name);
    /// True where a saved state was put back.
    bool keep(QMainWindow* window, const QString& name);
    void keep(QAction* checkable, const QString& name);

    /// Saves the present state of every object. Nothing is saved without this call.
    void save();
    /// The text has another size now than it had: columns of tables get as many characters as before.
    void scaleColumns(double factor);
    /// Forgets what was saved, and gives every object the state back that it had before keep() restored another.
    void reset();

signals:
    /// Everything is back where it began.
    void wasReset();

private:
    struct Kept {
        QPointer<QObject> object;
        QString key;
        QByteArray original;
        std::function<QByteArray()> take;
        std::function<bool(const QByteArray&)> put;
    };
    bool add(Kept kept);

    std::vector<Kept> m_kept;
};

} // namespace cudal1::ui
