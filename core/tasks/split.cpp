// SPDX-License-Identifier: GPL-3.0-or-later
// The split by hash.
#include "core/tasks/split.h"

#include "core/base/sha256.h"
#include "core/tasks/taskfile.h"

#include <cstdint>

namespace cudal1::tasks {

Split splitOf(int level, int number)
{
    if (level <= 0)
        return Split::Train;
    const std::string digest = base::sha256Hex("split 717: " + std::to_string(level) + "/" + std::to_string(number));
    const std::uint64_t place = std::stoull(digest.substr(0, 8), nullptr, 16);
    return place * 5 < (std::uint64_t{1} << 32) ? Split::HeldOut : Split::Train;
}

Split splitOf(int level, const base::TaskId& id)
{
    std::string_view text = id.value;
    text = text.substr(0, text.find('@'));
    const std::size_t slash = text.find('/');
    return slash == std::string_view::npos ? Split::Train : splitOf(level, parseNumber(text.substr(slash + 1)));
}

std::optional<Split> splitFromText(std::string_view text)
{
    if (text == "train")
        return Split::Train;
    if (text == "held_out" || text == "held-out")
        return Split::HeldOut;
    return {};
}

std::string_view toString(Split split)
{
    return split == Split::HeldOut ? "held_out" : "train";
}

} // namespace cudal1::tasks
