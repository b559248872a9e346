// SPDX-License-Identifier: GPL-3.0-or-later
// Fenced blocks of a reply.
#include "core/serve/replycode.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;

namespace {

constexpr std::string_view ours = "class ModelNew";

struct Fences {
    std::vector<std::string> blocks;
    bool open = false; ///< the last one is never closed
};

/// A fence is a line that begins, behind blanks, with three backticks or more; it is closed by one with nothing behind
/// as many.
Fences fencesOf(const std::string& text)
{
    Fences out;
    std::size_t ticks = 0;
    std::string block;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line(text.data() + at, end - at);
        at = end + 1;
        std::string_view inner = line;
        while (!inner.empty() && (inner.front() == ' ' || inner.front() == '\t'))
            inner.remove_prefix(1);
        while (!inner.empty() && (inner.back() == '\r' || inner.back() == ' ' || inner.back() == '\t'))
            inner.remove_suffix(1);
        const std::size_t here = std::min(inner.find_first_not_of('`'), inner.size());
        if (ticks == 0 && here >= 3) {
            ticks = here;
            block.clear();
        } else if (ticks > 0 && here >= ticks && here == inner.size()) {
            out.blocks.push_back(std::move(block));
            block = {};
            ticks = 0;
        } else if (ticks > 0) {
            block.append(line).push_back('\n');
        }
    }
    out.open = ticks > 0;
    return out;
}

} // namespace

base::Result<std::string> codeOfReply(const std::string& reply)
{
    const Fences fences = fencesOf(reply);
    const auto holdsOurs = [](const std::string& block) { return block.find(ours) != std::string::npos; };
    const auto found = std::find_if(fences.blocks.rbegin(), fences.blocks.rend(), holdsOurs);
    if (found != fences.blocks.rend())
        return *found;
    if (fences.open)
        return Error{ErrorCode::InvalidArgument,
                     "The reply ends within a block of code",
                     {},
                     "It was probably cut off: allow more tokens"};
    if (!fences.blocks.empty())
        return fences.blocks.back();
    if (holdsOurs(reply))
        return reply;
    return Error{ErrorCode::InvalidArgument,
                 "The reply has no code",
                 {},
                 "Put the whole module that defines ModelNew into a block between ```python and ```"};
}

} // namespace cudal1::serve
