// SPDX-License-Identifier: GPL-3.0-or-later
// Copies a project by SQLite, which reads what lies in its log as well.
#include "core/store/committedcopy.h"

#include "core/store/database.h"
#include "core/store/failure.h"
#include "core/store/fileuse.h"
#include "core/store/inspection.h"
#include "core/store/tables.h"

namespace cudal1::store {

namespace fs = std::filesystem;

namespace {

void copyBy(Database::Mode mode, const fs::path& path, const fs::path& copy)
{
    const Database database(path, mode);
    try {
        database.run("VACUUM INTO ?", {bound(copy.string())});
    } catch (const Failure& failure) {
        base::Error error = failure.error();
        if (error.code != base::ErrorCode::Corrupt) // else it is the copy that could not be written
            error.context = copy.string();
        throw Failure(std::move(error));
    }
}

} // namespace

void copyCommitted(const fs::path& path, const fs::path& copy, int newestSchema)
{
    const std::unique_lock opening = FileUse::lockOpening();
    const bool openHere = FileUse::openReadOnly(path).has_value();
    if (!openHere)
        inspect(path, newestSchema, Purpose::Copy);
    if (openHere || hasLog(path))
        return copyBy(Database::Mode::ReadOnly, path, copy);
    copyBy(Database::Mode::Immutable, path, copy);
    // Without locks, another program may have begun to write meanwhile.
    if (!hasLog(path))
        return;
    fs::remove(copy);
    copyBy(Database::Mode::ReadOnly, path, copy);
}

} // namespace cudal1::store
