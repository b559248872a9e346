// SPDX-License-Identifier: GPL-3.0-or-later
// A lease of a device. One evaluator at a time holds it, since two that measure on the same device would disturb each
// other.
#pragma once

#include <string>
#include <utility>

namespace cudal1::judge {

/// At most one process holds the lease of a device. That goes for all processes in one network namespace of the kernel,
/// which as a rule are those of the whole machine. The lease becomes free when the object is destroyed or when its
/// process ends, in whatever way. A process that waits gets the lease before the process that has just given it back.
/// Candidates cannot take a lease, since they make no sockets in the judge's namespace.
///
/// Evaluators whose environments have different values of CUDAL1_LEASES do not wait for each other. This is for testing
/// several evaluators on one device; their times are disturbed and mean nothing.
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
    int m_turn = -1; ///< the socket that makes this process the next in line; -1 when it is not
    int m_held = -1; ///< the socket that is the lease; -1 while this object does not hold it
};

} // namespace cudal1::judge
