// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of variants as typed, lineages as text, raw pairs as CSV.
#include "app/cli/namedvariant.h"

#include "app/cli/output.h"
#include "core/protocol/pairs.h"

#include <algorithm>

namespace cudal1::cli {

base::Result<base::VariantId> variantId(const QString& text)
{
    bool good = false;
    const base::VariantId id{text.toLongLong(&good)};
    if (!good || id.value <= 0)
        return base::Error{base::ErrorCode::InvalidArgument,
                           "\"" + text.toStdString() + "\" is no number of a variant",
                           {},
                           "`cudal1 variants TASK` lists them"};
    return id;
}

std::string lineageText(const std::vector<store::LineageNode>& nodes, base::VariantId of)
{
    std::string path, made;
    for (const store::LineageNode& node : nodes) {
        if (node.ancestor || node.id == of)
            path += (path.empty() ? "" : " → ") + std::to_string(node.id.value);
        else
            made += (made.empty() ? "" : ", ") + std::to_string(node.id.value);
    }
    return path + (made.empty() ? std::string() : "; made from it: " + made);
}

base::Status writePairs(const QString& path, const std::vector<const VariantFacts*>& variants)
{
    std::string text;
    for (const VariantFacts* facts : variants) {
        const auto timed = std::find_if(facts->evaluations.begin(), facts->evaluations.end(),
                                        [](const auto& one) { return !one.pairs.empty(); });
        if (timed == facts->evaluations.end())
            return base::Error{base::ErrorCode::InvalidArgument,
                               "Variant " + std::to_string(facts->id.value) + " was never timed: it has no pairs",
                               {},
                               "Only correct variants are timed"};
        const std::string csv = protocol::pairsCsv(protocol::pairPoints(*timed));
        const std::size_t body = csv.find('\n') + 1;
        if (text.empty())
            text = "variant," + csv.substr(0, body);
        for (std::size_t at = body; at < csv.size();) {
            const std::size_t end = csv.find('\n', at) + 1;
            text += std::to_string(facts->id.value) + ',' + csv.substr(at, end - at);
            at = end;
        }
    }
    return write(path, text, "The table of pairs", "Choose another file");
}

} // namespace cudal1::cli
