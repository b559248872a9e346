// SPDX-License-Identifier: GPL-3.0-or-later
// One SQLite connection through Qt's driver.
#include "core/store/database.h"

#include "core/store/failure.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QUrl>

#include <atomic>

namespace cudal1::store {

using base::Error;
using base::ErrorCode;

namespace {

// Primary result codes of SQLite's documented interface; its header is not needed for anything else.
enum SqliteCode {
    Busy = 5,
    Locked = 6,
    ReadOnly = 8,
    InputOutput = 10,
    Corrupt = 11,
    Full = 13,
    CannotOpen = 14,
    NotADatabase = 26
};

Error toError(const QSqlError& error, const std::filesystem::path& path)
{
    // The driver reports extended codes, whose low byte is the primary one.
    const int code = error.nativeErrorCode().toInt() & 0xff;
    const std::string context = path.string() + ": " + error.databaseText().toStdString();
    switch (code) {
    case Busy:
    case Locked:
        return {ErrorCode::TimedOut, "Another program is writing to the project and did not finish in time", context,
                "Close the other window or command, or try again."};
    case ReadOnly:
        return {ErrorCode::Unavailable, "The project file cannot be written", context,
                "Check the permissions of the file and of its folder."};
    case InputOutput:
        return {ErrorCode::Unavailable, "The disk failed while the project was read or written", context,
                "Check the disk and the free space, then try again."};
    case Full:
        return {ErrorCode::Unavailable, "The disk is full", context,
                "Free some space, then try again; nothing committed is lost."};
    case CannotOpen:
        return {ErrorCode::Unavailable, "The project file cannot be opened", context,
                "Check that its folder exists and may be written."};
    case Corrupt:
    case NotADatabase:
        return {ErrorCode::Corrupt, "The project file is damaged", context,
                "Restore it from a backup; the file has been left as it is."};
    default: return {ErrorCode::Internal, "The project database refused a statement", context, {}};
    }
}

QString nextName()
{
    static std::atomic<quint64> counter{0};
    return QStringLiteral("cudal1-project-%1").arg(++counter);
}

} // namespace

Database::Database(const std::filesystem::path& path, Mode mode) : m_path(path), m_name(nextName())
{
    const QString file = QString::fromStdString(path.string());
    QString failure;
    QSqlError error;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
        if (!database.isValid()) {
            failure = QStringLiteral("no driver");
        } else {
            QString options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000");
            QString name = file;
            if (mode != Mode::ReadWrite)
                options += QStringLiteral(";QSQLITE_OPEN_READONLY");
            if (mode == Mode::Immutable) {
                options += QStringLiteral(";QSQLITE_OPEN_URI");
                name = QUrl::fromLocalFile(file).toString(QUrl::FullyEncoded) + QStringLiteral("?immutable=1");
            }
            database.setConnectOptions(options);
            database.setDatabaseName(name);
            if (!database.open())
                error = database.lastError();
        }
    }
    if (failure.isEmpty() && !error.isValid())
        return;
    QSqlDatabase::removeDatabase(m_name);
    if (!failure.isEmpty())
        throw Failure({ErrorCode::Unavailable, "Qt's SQLite driver is missing", path.string(),
                       "Install the package libqt6sql6-sqlite."});
    throw Failure(toError(error, m_path));
}

Database::~Database()
{
    {
        QSqlDatabase database = QSqlDatabase::database(m_name, false);
        database.close();
    }
    QSqlDatabase::removeDatabase(m_name);
}

QSqlQuery Database::run(const char* sql, std::initializer_list<QVariant> values) const
{
    QSqlQuery query(QSqlDatabase::database(m_name, false));
    query.setForwardOnly(true);
    if (!query.prepare(QString::fromUtf8(sql)))
        throw Failure(toError(query.lastError(), m_path));
    for (const QVariant& value : values)
        query.addBindValue(value);
    if (!query.exec())
        throw Failure(toError(query.lastError(), m_path));
    return query;
}

QVariant Database::scalar(const char* sql, std::initializer_list<QVariant> values) const
{
    QSqlQuery query = run(sql, values);
    if (!query.next()) {
        check(query);
        return {};
    }
    const QVariant value = query.value(0);
    query.finish();
    return value;
}

void Database::check(const QSqlQuery& query) const
{
    if (query.lastError().isValid())
        throw Failure(toError(query.lastError(), m_path));
}

std::int64_t Database::version() const
{
    // SQLite's number leaves out the commits of the connection that asks, and only ever grows.
    return scalar("PRAGMA data_version").toLongLong() + m_commits;
}

std::int64_t Database::insert(const char* sql, std::initializer_list<QVariant> values) const
{
    return run(sql, values).lastInsertId().toLongLong();
}

} // namespace cudal1::store
