// SPDX-License-Identifier: GPL-3.0-or-later
// Remembers where things are: window geometry, docks, splitters and table headers; and puts them back where they began.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>
#include <vector>

class QHeaderView;
class QMainWindow;
class QSplitter;

namespace cudal1::ui {

/// State is restored by keep() and written by save(). One for the program.
class UiState : public QObject {
    Q_OBJECT
public:
    static UiState& instance();

    /// Each remembers its present state as the one that reset() goes back to, then restores what was saved under
    /// `name`.
    void keep(QSplitter* splitter, const QString& name);
    void keep(QHeaderView* header, const QString& name);
    void keep(QMainWindow* window, const QString& name);

    void save();
    /// Forgets what was saved and restores the state each thing had when it was given to keep().
    void reset();

private:
    struct Kept {
        QPointer<QObject> object;
        QString key;
        QByteArray original;
        std::function<QByteArray()> take;
        std::function<bool(const QByteArray&)> put;
    };
    void add(Kept kept);

    std::vector<Kept> m_kept;
};

} // namespace cudal1::ui
