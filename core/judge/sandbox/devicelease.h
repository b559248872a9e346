// SPDX-License-Identifier: GPL-3.0-or-later
// One evaluator at a time works on a device: what two windows or commands measured there at once would be neither's.
#pragma once

#include <string>
#include <utility>

namespace cudal1::judge {

/// Held by at most one process of this machine (of its network namespace) for each device; free again when the object or its
/// process ends, however that ends. Who waits comes before who has just had it. Candidates cannot take part: they make no
/// sockets in the judge's namespace.
class DeviceLease {
public:
    /// `device` is a GPU's UUID, "cpu", or the name of a processor core (TimingCore).
    explicit DeviceLease(std::string device) : m_device(std::move(device)) {}
    DeviceLease(const DeviceLease&) = delete;
    DeviceLease& operator=(const DeviceLease&) = delete;
    ~DeviceLease();

    /// True from the call on that got it; false while another holds it. Does not wait. Throws std::system_error where the
    /// system gives no local sockets.
    bool take();

private:
    std::string m_device;
    int m_turn = -1; ///< the socket that stands for being the next; whoever else waits, waits for that
    int m_held = -1;
};

} // namespace cudal1::judge
