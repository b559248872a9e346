// SPDX-License-Identifier: GPL-3.0-or-later
// The subject whose calls a candidate's are compared with.
#include "core/judge/timedreference.h"

namespace cudal1::judge {

using nlohmann::json;

json TimedReference::handle(const json& request)
{
    const std::string command = request.at("command");
    if (command == "load_timed_reference") {
        joinArena(request);
        takeLayout(request);
        construct(runSource("task", request.at("source")), "Model", literal(request.at("init_inputs")), request.at("init_seed"));
        return json::object();
    }
    return CandidateSubject::handle(request);
}

} // namespace cudal1::judge
