// SPDX-License-Identifier: GPL-3.0-or-later
// One evaluator at a time works on a GPU: what two windows or commands measured there at once would be neither's.
#pragma once

#include <string>
#include <utility>

namespace cudal1::judge {

/// Held by at most one process of this machine (of its network namespace) for each GPU; free again when the object or its
/// process ends, however that ends. Who waits comes before who has just had it. Candidates cannot take part: they make no
/// sockets in the judge's namespace.
class GpuLease {
public:
    explicit GpuLease(std::string uuid) : m_uuid(std::move(uuid)) {}
    GpuLease(const GpuLease&) = delete;
    GpuLease& operator=(const GpuLease&) = delete;
    ~GpuLease();

    /// True from the call on that got it; false while another holds it. Does not wait. Throws std::system_error where the
    /// system gives no local sockets.
    bool take();

private:
    std::string m_uuid;
    int m_turn = -1; ///< the socket that stands for being the next; whoever else waits, waits for that
    int m_held = -1;
};

} // namespace cudal1::judge
