// SPDX-License-Identifier: GPL-3.0-or-later
// Framed JSON over a stream socket between supervisor, zygote and subjects, with optional file descriptors.
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <stdexcept>
#include <vector>

namespace cudal1::judge {

/// The other side is gone, or sent what is not a frame.
struct WireClosed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Sends one message: 4 bytes of length, then JSON. Descriptors travel with the first byte. Blocks. Throws WireClosed.
void sendMessage(int socket, const nlohmann::json& message, std::span<const int> descriptors = {});

/// Receives one message. Blocks. Descriptors that came along are appended to `descriptors`, or closed when it is null.
/// Throws WireClosed, also for a frame over `maxBytes` or with invalid JSON.
nlohmann::json receiveMessage(int socket, std::vector<int>* descriptors = nullptr, std::size_t maxBytes = 256u << 20);

} // namespace cudal1::judge
