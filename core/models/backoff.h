// SPDX-License-Identifier: GPL-3.0-or-later
// How long to wait before a request is tried again.
#pragma once

#include <QByteArray>

#include <chrono>
#include <optional>

class QDateTime;

namespace cudal1::models {

/// 1, 2, 4, … up to 60 s before retry 0, 1, 2, …, of which `random`, from 0 to 1, takes up to the half away, so that
/// those who were refused together do not come back together. At least what the server has asked for.
std::chrono::milliseconds pauseBefore(int retry, std::optional<std::chrono::milliseconds> asked, double random);
/// A server that asks for more is not waited for.
inline constexpr std::chrono::minutes longestAsked{10};

/// The header Retry-After: seconds, or a date, which is compared with `now`. At least 0; empty for what is neither.
std::optional<std::chrono::milliseconds> retryAfter(const QByteArray& header, const QDateTime& now);

} // namespace cudal1::models
