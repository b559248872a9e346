// SPDX-License-Identifier: GPL-3.0-or-later
// Loss and gradients of a model in float64, as JSON, to be compared with the framework's own.
// Run as: dump_gradients MODEL REQUESTS.json, a list of {"sequences": [{"tokens", "prompt_tokens"}], "limit",
// "checkpoints", "temperature", "lora"}.
#include "core/training/trainingmodel.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace cudal1;
using namespace cudal1::training;
using nlohmann::json;

namespace {

/// Minus the mean of the log-probabilities, which are kept.
struct MeanLoss : Likelihood {
    explicit MeanLoss(double tokens) : Likelihood(tokens) {}
    double take(std::size_t sequence, std::size_t token, double logProbability, double entropy) override
    {
        told.push_back({sequence, token, logProbability, entropy});
        return Likelihood::take(sequence, token, logProbability, entropy);
    }
    json told = json::array();
};

/// LoRA's matrices, one behind the other in the order of their names, become 0.1 sin(1), 0.1 sin(2) and so on.
void fillAdapters(TrainingModel& model)
{
    auto state = model.state();
    std::size_t number = 0;
    for (auto& part : state)
        if (part.name.ends_with(".matrices.master"))
            for (std::size_t i = 0; i < part.count; ++i) {
                const double value = 0.1 * std::sin(static_cast<double>(++number));
                std::memcpy(part.bytes.data() + i * sizeof value, &value, sizeof value);
            }
    if (const auto set = model.setState(state); !set)
        throw std::runtime_error(set.error().text());
    model.acceptState();
}

json answer(const decoder::Checkpoint& checkpoint, const json& request)
{
    std::vector<Sequence> sequences;
    std::vector<std::size_t> lengths;
    double tokens = 0;
    for (const json& given : request.at("sequences")) {
        sequences.push_back({given.at("tokens"), given.at("prompt_tokens")});
        lengths.push_back(sequences.back().tokens.size());
        tokens += static_cast<double>(sequences.back().replyTokens());
    }
    ModelSettings settings;
    settings.numbers = "float64";
    settings.sharesPrompts = request.value("shares", false);
    settings.checkpoints = request.value("checkpoints", false);
    settings.logitBytes = 8 * checkpoint.config().vocabulary * 5; // five rows at once
    settings.lora.rank = request.value("lora", 0u);
    Workgroup alone;
    auto model = TrainingModel::make(checkpoint, settings, alone);
    if (!model)
        throw std::runtime_error(model.error().text());
    if (settings.lora.rank > 0)
        fillAdapters(**model);
    MeanLoss objective(tokens);
    (*model)->learn(sequences, packed(lengths, request.at("limit")), objective, request.value("temperature", 1.0));
    json out{{"loss", objective.sums().loss / tokens}, {"told", objective.told}, {"gradients", json::object()}};
    for (const std::string& name : (*model)->trainedNames())
        out["gradients"][name] = (*model)->gradient(name);
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::puts("dump_gradients MODEL REQUESTS.json");
        return 2;
    }
    const auto checkpoint = decoder::Checkpoint::open(argv[1]);
    if (!checkpoint) {
        std::fprintf(stderr, "%s\n", checkpoint.error().text().c_str());
        return 1;
    }
    std::ifstream file(argv[2]);
    json out = json::array();
    for (const json& request : json::parse(file))
        out.push_back(answer(*checkpoint, request));
    std::puts(out.dump().c_str());
    return 0;
}
