// SPDX-License-Identifier: GPL-3.0-or-later
// A lease of a device, which one evaluator at a time holds: two that measured on a device at once would disturb each
// other.
#pragma once

#include <string>
#include <utility>

namespace cudal1::judge {

/// At most one process in a network namespace of the kernel (as a rule: of the machine) holds the lease of a device. It
/// becomes free when the object is destroyed or its process ends, however that happens. A process that waits gets the
/// lease before the one that has just given it back. Candidates cannot take a lease, since they make no sockets in the
/// judge's namespace. For tests of what uses several evaluators: those with different values of CUDAL1_LEASES in their
/// environment do not wait for each other. Their times are disturbed and mean nothing.
class DeviceLease {
public:
    /// `device` is a GPU's UUID, "cpu", or the name of a processor core (TimingCore).
    explicit DeviceLease(std::string device) : m_device(std::move(device)) {}
    DeviceLease(const DeviceLease&) = delete;
    DeviceLease& operator=(const DeviceLease&) = delete;
    ~DeviceLease();

    /// Tries to get the lease and does not wait: true once this object holds it, false while another process does. Keep
    /// calling it until it succeeds. Throws std::system_error where the system gives no local sockets.
    bool take();

private:
    std::string m_device;
    int m_turn = -1; ///< the socket that stands for being next in line; one process has it, and all others wait for it
    int m_held = -1; ///< the socket that is the lease
};

} // namespace cudal1::judge
