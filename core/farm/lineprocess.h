// SPDX-License-Identifier: GPL-3.0-or-later
// A process that is spoken with in lines, one run of it: started, read, ended in good order or not.
#pragma once

#include "core/farm/linereader.h"

#include <QByteArray>
#include <QObject>
#include <QStringList>

#include <optional>
#include <string>

class QProcess;

namespace cudal1::farm {

/// In a process group of its own: Ctrl+C in a terminal is for us to translate, and a kill takes the whole group. Used
/// on one thread with an event loop. Signals come from the event loop, `ended` or `notStarted` as the last one; lines
/// that were not taken by then can still be taken.
class LineProcess : public QObject {
    Q_OBJECT
public:
    explicit LineProcess(QObject* parent = nullptr);
    ~LineProcess() override; ///< kills what still runs

    /// Once; the program and its arguments.
    void start(const QStringList& words);
    void write(const QByteArray& bytes);
    /// The next line that is not empty; nothing when there is none yet.
    std::optional<QByteArray> takeLine();
    bool overflowed() const { return m_reader.overflowed(); } ///< a line grew beyond LineReader's limit
    /// The last 64 KiB that it wrote to its standard error.
    const QByteArray& standardError() const { return m_error; }
    /// The end of that, for the context of an error.
    std::string lastWords() const;

    void kill();
    /// Ends it in good order: writes `farewell`, closes its input, waits up to half a second, then terminates, then
    /// kills. No signal comes any more.
    void shutDown(const QByteArray& farewell);

signals:
    void readable();
    void ended(bool bySignal, int status);
    void notStarted(const QString& why);
    void complained(const QString& line); ///< of its standard error; not empty

private:
    void readError();

    QProcess* m_process;
    LineReader m_reader, m_complaints;
    QByteArray m_error;
};

} // namespace cudal1::farm
