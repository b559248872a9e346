// SPDX-License-Identifier: GPL-3.0-or-later
// A folder for each candidate source, kept for a while, so that what one has compiled is there when it is judged again.
#pragma once

#include "core/judge/supervisor/temporaryfolder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace cudal1::judge {

/// Nobody but this source's own processes sees its folder. What it left there beside compiled code is removed before
/// each use; that compiled code of its own could hold results of earlier calls helps it nothing, since inputs are
/// fresh.
class CandidateFolders {
public:
    /// The folder of this source, ready for its next process. The least recently used go when there are many.
    const std::string& use(const std::string& source);
    /// Whether anything has been compiled for this source already.
    bool built(const std::string& source) const;
    void setBuilt(const std::string& source);
    /// Throws away all that is there: a compiler was interrupted.
    void forget(const std::string& source);

    static constexpr std::size_t kept = 128;

private:
    struct Entry {
        std::unique_ptr<TemporaryFolder> folder;
        std::uint64_t used = 0;
        bool built = false;
    };
    std::map<std::string, Entry> m_entries;
    std::uint64_t m_uses = 0;
};

} // namespace cudal1::judge
