// SPDX-License-Identifier: GPL-3.0-or-later
// One SQLite connection: opening, statements, mapping of SQLite's codes to errors for people.
#pragma once

#include "core/base/ids.h"

#include <QSqlQuery>
#include <QString>
#include <QVariant>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::store {

/// A connection with a name of its own, closed and removed with the object. Every method throws Failure.
/// Statements are forward-only; one that is not read to its end must be finished, or it holds back checkpoints.
class Database {
public:
    enum class Mode {
        ReadWrite, ///< opens or creates
        ReadOnly,  ///< reads through the write-ahead log, changes neither it nor the file
        Immutable, ///< reads the file alone and leaves nothing beside it; only while nobody can write to it
    };

    Database(const std::filesystem::path& path, Mode mode);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Runs one statement with its values bound in order.
    QSqlQuery run(const char* sql, std::initializer_list<QVariant> values = {}) const;
    /// The first column of the first row; an invalid QVariant when there is no row.
    QVariant scalar(const char* sql, std::initializer_list<QVariant> values = {}) const;
    /// Calls `row(query)` for every row; throws as well when reading fails in between.
    template<class Row> void each(const char* sql, std::initializer_list<QVariant> values, Row&& row) const
    {
        QSqlQuery query = run(sql, values);
        while (query.next())
            row(query);
        check(query);
    }
    /// The row id given by the last insert.
    std::int64_t insert(const char* sql, std::initializer_list<QVariant> values) const;

    const std::filesystem::path& path() const { return m_path; }

    /// Commits of this connection so far; SQLite's own data_version counts those of the others only.
    std::int64_t commits() const { return m_commits; }
    void countCommit() { ++m_commits; }

    /// A number that changes with each commit of any connection.
    std::int64_t version() const;
    /// What `read(database)` has given under this name since the last commit: for what every read of a list needs and
    /// takes long to find out.
    template<class Read> const std::vector<std::string>& keptUntilCommit(const char* name, Read&& read) const
    {
        if (const std::int64_t now = version(); m_keptAt != now) {
            m_kept.clear();
            m_keptAt = now;
        }
        const auto known = m_kept.find(name);
        return known != m_kept.end() ? known->second : m_kept.emplace(name, read(*this)).first->second;
    }

private:
    void check(const QSqlQuery& query) const;

    std::filesystem::path m_path;
    QString m_name;
    std::int64_t m_commits = 0;
    mutable std::map<std::string, std::vector<std::string>, std::less<>> m_kept;
    mutable std::optional<std::int64_t> m_keptAt;
};

// ---- values --------------------------------------------------------------------------------------------------------

inline QVariant bound(const std::string& text)
{
    return QString::fromStdString(text);
}
inline QVariant bound(std::int64_t number)
{
    return QVariant::fromValue<qlonglong>(number);
}
template<class Tag> QVariant bound(base::RowId<Tag> id)
{
    return id ? bound(id.value) : QVariant();
}
/// No value becomes NULL.
template<class Value> QVariant orNull(const std::optional<Value>& value)
{
    return value ? QVariant::fromValue(*value) : QVariant();
}
inline QVariant orNull(const std::optional<std::int64_t>& value)
{
    return value ? bound(*value) : QVariant();
}
/// Empty text becomes NULL, for optional references.
inline QVariant boundOrNull(const std::string& text)
{
    return text.empty() ? QVariant() : bound(text);
}

inline std::string text(const QSqlQuery& row, int column)
{
    return row.value(column).toString().toStdString();
}
inline std::int64_t number(const QSqlQuery& row, int column)
{
    return row.value(column).toLongLong();
}

/// For measured numbers, whose last digits are nearly random: higher levels cost several times the time and save
/// little.
constexpr int compressionLevel = 1;

/// Text as columns named "…_zlib" hold it, and back; damaged ones give empty text.
inline QByteArray packed(const std::string& text)
{
    return qCompress(reinterpret_cast<const uchar*>(text.data()), static_cast<qsizetype>(text.size()));
}
inline std::string unpacked(const QVariant& blob)
{
    return qUncompress(blob.toByteArray()).toStdString();
}

} // namespace cudal1::store
