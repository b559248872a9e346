// SPDX-License-Identifier: GPL-3.0-or-later
// Framed JSON over a stream socket between supervisor, zygote and subjects, with optional file descriptors.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <span>
#include <stdexcept>
#include <vector>

namespace cudal1::judge {

/// The other side is gone.
struct WireClosed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What came is no frame, or was not complete in time. The other side may still be there.
struct FrameRefused : WireClosed {
    using WireClosed::WireClosed;
};

/// Sends one message: 4 bytes of length, then JSON. Descriptors travel with the first byte. Blocks. Throws WireClosed.
void sendMessage(int socket, const nlohmann::json& message, std::span<const int> descriptors = {});

/// Receives one message. Blocks. Descriptors that came along are appended to `descriptors`, or closed when it is null.
/// Throws WireClosed, and FrameRefused for a frame over `maxBytes`, with invalid JSON, or not complete by `deadline`.
/// `sender` gets the sending process, in the caller's numbers, where the socket was told to pass that (passSender).
nlohmann::json
receiveMessage(int socket, std::vector<int>* descriptors = nullptr, std::size_t maxBytes = 256u << 20,
               std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max(),
               int* sender = nullptr);

/// Has the kernel say with each message who sent it.
void passSender(int socket);

} // namespace cudal1::judge
