// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the arguments of cuDNN's operator.
#include "core/policy/recurrences.h"

namespace cudal1::policy {

std::optional<protocol::GraphNode> recurrentLayerOf(const protocol::GraphNode& node)
{
    constexpr std::size_t h0 = 4, c0 = 5, mode = 6, projection = 8, layers = 9, batchFirst = 10, dropout = 11,
                          bidirectional = 13, batchSizes = 14, dropoutState = 15;
    const nlohmann::json& args = node.args;
    if (node.op != "aten._cudnn_rnn.default" || args.size() <= dropoutState || node.outputs.size() != 5)
        return {};
    const bool lstm = args[mode] == 2, gru = args[mode] == 3, hasBiases = args[2] == 4;
    const bool plain = args[projection] == 0 && args[dropout] == 0.0 && args[batchSizes].empty() &&
                       args[dropoutState].is_null();
    if ((!lstm && !gru) || !hasBiases || !plain || args[h0].is_null() || args[c0].is_null() == lstm)
        return {};
    protocol::GraphNode layer = node;
    layer.op = lstm ? "cudal1.lstm" : "cudal1.gru";
    layer.args = {args[0],         lstm ? nlohmann::json{args[h0], args[c0]} : args[h0],
                  args[1],         true,
                  args[layers],    0.0,
                  false,           args[bidirectional],
                  args[batchFirst]};
    layer.outputs.resize(lstm ? 3 : 2);
    return layer;
}

} // namespace cudal1::policy
