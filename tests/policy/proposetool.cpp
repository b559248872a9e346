// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a prompt as JSON from standard input and prints the technique library's reply as JSON, for tests in Python.
#include "core/policy/techniquelibrary.h"

#include <iostream>

using namespace cudal1;

int main()
{
    const auto in = nlohmann::json::parse(std::cin);
    policy::Prompt prompt;
    prompt.task.name = in.value("name", "test");
    prompt.task.source = in.at("source").get<std::string>();
    prompt.graph = in.at("graph").get<protocol::OperatorGraph>();
    prompt.device.model = in.value("model", "");
    prompt.compiler = in.value("compiler", "");
    protocol::fromString(in.value("precision", "kernelbench"), prompt.precision);
    prompt.limit = in.value("limit", 64);
    prompt.round = in.value("round", 0);
    prompt.least.emplace().bytesPerSecond = in.value("bytes_per_second", 0.0);
    for (const auto& exemplar : in.value("exemplars", nlohmann::json::array())) {
        policy::Exemplar e;
        e.source = exemplar.value("source", "");
        e.techniques = exemplar.value("techniques", std::vector<std::string>());
        const double speedup = exemplar.value("speedup", 0.0);
        e.verdict = speedup > 0 ? protocol::Verdict::Correct : protocol::Verdict::Incorrect;
        e.wall = {speedup, speedup * 0.99, speedup * 1.01};
        prompt.exemplars.push_back(std::move(e));
    }
    policy::TechniqueLibrary library;
    const policy::Reply reply = library.propose(prompt);
    nlohmann::json out{{"proposals", nlohmann::json::array()}, {"declined", nlohmann::json::object()}};
    for (const policy::Proposal& p : reply.proposals)
        out["proposals"].push_back({{"techniques", p.techniques},
                                    {"source", p.source},
                                    {"analysis", p.performanceAnalysis},
                                    {"design", p.algorithmDesign},
                                    {"code", p.codeImplementation}});
    for (const policy::Declined& d : reply.declined)
        out["declined"][d.technique] = d.why;
    std::cout << out.dump(1) << "\n";
}
