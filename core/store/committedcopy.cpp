// SPDX-License-Identifier: GPL-3.0-or-later
// Copies a project by SQLite, which reads what lies in its log as well.
#include "core/store/committedcopy.h"

#include "core/store/database.h"
#include "core/store/fileuse.h"
#include "core/store/inspection.h"
#include "core/store/tables.h"

namespace cudal1::store {

namespace fs = std::filesystem;

void copyCommitted(const fs::path& path, const fs::path& copy, int newestSchema)
{
    const std::unique_lock opening = FileUse::lockOpening();
    if (!FileUse::openReadOnly(path))
        inspect(path, newestSchema);
    std::error_code error;
    const bool logged = fs::exists(path.string() + "-wal", error);
    const Database database(path, logged ? Database::Mode::ReadOnly : Database::Mode::Immutable);
    database.run("VACUUM INTO ?", {bound(copy.string())});
}

} // namespace cudal1::store
