// SPDX-License-Identifier: GPL-3.0-or-later
// How a model is asked, from options.
#include "app/cli/samplingoptions.h"

namespace cudal1::cli {

void readSampling(const Context& context, const QCommandLineParser& parser, NumberOptions& numbers,
                  policy::SamplingSettings& out)
{
    numbers.read("temperature", out.temperature);
    numbers.read("top-p", out.topP);
    numbers.readWhole("top-k", out.topK);
    numbers.read("min-p", out.minP);
    numbers.readWhole("max-tokens", out.maxTokens);
    if (context.settings().seed)
        out.seed = context.settings().seed;
    for (const QString& text : parser.values("stop"))
        out.stop.push_back(text.toStdString());
}

void readLimits(NumberOptions& numbers, models::RunLimits& out)
{
    numbers.read("limit-seconds", out.seconds);
    numbers.readWhole("limit-tokens", out.tokens);
    numbers.read("limit-cost", out.cost);
}

} // namespace cudal1::cli
