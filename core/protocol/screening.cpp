// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of screenings.
#include "core/protocol/screening.h"

#include "core/protocol/fields.h"

namespace cudal1::protocol {

void fields(auto& io, Is<ScreenRequest> auto& v)
{
    io.list("tasks", v.tasks);
    io("trials", v.trials);
    io("seed", v.seed);
    io("limit_s", v.limit_s);
}
CUDAL1_JSON(ScreenRequest)

void fields(auto& io, Is<Screening::Item> auto& v)
{
    io("name", v.name);
    io("graph", v.graph, v.runs());
    io("trials", v.trials);
    io("nulls", v.nulls);
    io("finite", v.finite);
    io("call_ns", v.call_ns);
    io("message", v.message);
    io("line", v.line);
}

void fields(auto& io, Is<Screening> auto& v)
{
    io.list("items", v.items);
}
CUDAL1_JSON(Screening)

} // namespace cudal1::protocol
