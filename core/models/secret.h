// SPDX-License-Identifier: GPL-3.0-or-later
// A key that must not be written anywhere.
#pragma once

#include <string>
#include <string_view>

namespace cudal1::models {

/// Holds the text of a key, overwrites it in memory when it goes, and takes it out of texts that came from outside.
/// From the first key that a process holds, the kernel writes no core file of that process. Nothing prints or copies
/// it.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string text);
    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret();

    bool empty() const { return m_text.empty(); }
    /// For the header of a request and the keyring, and nothing else.
    const std::string& reveal() const { return m_text; }
    /// `text` with "[key]" in place of the key, and of each part of it of at least eight characters.
    std::string scrubbed(std::string_view text) const;

private:
    void wipe();

    std::string m_text;
};

} // namespace cudal1::models
