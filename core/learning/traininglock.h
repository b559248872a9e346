// SPDX-License-Identifier: GPL-3.0-or-later
// The lock on the folder of a training: one process at a time writes checkpoints there.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>

class QLockFile;

namespace cudal1::learning {

/// Held for as long as the object lives. The file training.lock in the folder has host and process of the one that
/// holds it; that of a process which has died on this machine is taken over.
class TrainingLock {
public:
    /// Makes the folder where it is not there. Unavailable, with process and host, where another process holds the
    /// lock, and where no file can be written.
    static base::Result<std::unique_ptr<TrainingLock>> take(const std::string& folder);
    ~TrainingLock();

private:
    explicit TrainingLock(std::unique_ptr<QLockFile> file);

    std::unique_ptr<QLockFile> m_file;
};

} // namespace cudal1::learning
