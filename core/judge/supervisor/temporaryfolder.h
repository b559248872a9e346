// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary folders of an evaluator: all below one root, which the next evaluator removes when this one is killed.
#pragma once

#include <string>

namespace cudal1::judge {

/// A temporary folder that goes away with its owner. Lies in this process's root, made with the first of them: root and
/// folder are named cudal1-…, and the root holds a file that stays locked while this process lives.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const std::string& name); ///< throws RequestFailed
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

/// Removes the roots of evaluators that are no more.
void sweepTemporaryFolders();

} // namespace cudal1::judge
