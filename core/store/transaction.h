// SPDX-License-Identifier: GPL-3.0-or-later
// A write transaction that is rolled back unless it was committed.
#pragma once

#include "core/store/database.h"
#include "core/store/failure.h"

namespace cudal1::store {

/// Takes SQLite's write lock at once, so that a transaction never fails half-way because another writer came first.
class Transaction {
public:
    explicit Transaction(Database& database) : m_database(database) { m_database.run("BEGIN IMMEDIATE"); }
    ~Transaction()
    {
        if (m_done)
            return;
        try {
            m_database.run("ROLLBACK");
        } catch (const Failure&) {
            // SQLite has rolled back by itself already (disk full, damaged file); the first failure is the one to
            // report.
        }
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit()
    {
        m_database.run("COMMIT");
        m_done = true;
        m_database.countCommit();
    }

private:
    Database& m_database;
    bool m_done = false;
};

} // namespace cudal1::store
