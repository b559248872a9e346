// SPDX-License-Identifier: GPL-3.0-or-later
// A folder for each candidate source.
#include "core/judge/supervisor/candidatefolders.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace cudal1::judge {

namespace fs = std::filesystem;

namespace {

/// Where subjectEnvironment() points compilers to.
constexpr std::array compiled{"extensions", "triton", "inductor", "cuda", "cache"};

} // namespace

const std::string& CandidateFolders::use(const std::string& source)
{
    Entry& entry = m_entries[source];
    entry.used = ++m_uses;
    if (!entry.folder) {
        entry.folder = std::make_unique<TemporaryFolder>("candidate");
    } else {
        std::error_code error;
        for (fs::directory_iterator item(entry.folder->path(), error), end; !error && item != end;
             item.increment(error))
            if (std::find(compiled.begin(), compiled.end(), item->path().filename().string()) == compiled.end()) {
                std::error_code ignored;
                fs::remove_all(item->path(), ignored);
            }
    }
    if (m_entries.size() > kept)
        m_entries.erase(std::min_element(m_entries.begin(), m_entries.end(),
                                         [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    return entry.folder->path();
}

bool CandidateFolders::built(const std::string& source) const
{
    const auto entry = m_entries.find(source);
    return entry != m_entries.end() && entry->second.built;
}

void CandidateFolders::setBuilt(const std::string& source)
{
    m_entries[source].built = true;
}

void CandidateFolders::forget(const std::string& source)
{
    m_entries.erase(source);
}

} // namespace cudal1::judge
