// SPDX-License-Identifier: GPL-3.0-or-later
// What is irregular about published code, told without Python.
#include "core/tasks/published.h"

#include "core/base/cuttext.h"
#include "core/tasks/modulescan.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace cudal1::tasks {

namespace {

/// The inside of a text that is one fence as a whole; nullopt for any other.
std::optional<std::string> withoutFence(std::string_view text)
{
    constexpr std::string_view fence = "```";
    text = base::trimmed(text);
    const std::size_t firstLine = text.find('\n');
    if (!text.starts_with(fence) || firstLine == std::string_view::npos)
        return {};
    text.remove_prefix(firstLine + 1);
    // A text that was cut has no closing fence.
    if (text.ends_with(fence))
        text.remove_suffix(fence.size());
    return std::string(text);
}

} // namespace

bool PublishedItem::has(const std::string& code) const
{
    return std::any_of(irregularities.begin(), irregularities.end(),
                       [&](const Irregularity& one) { return one.code == code; });
}

void takeCandidate(PublishedItem& item, const std::string& published)
{
    const auto note = [&](const char* code, std::string text) {
        item.irregularities.push_back({code, std::move(text)});
    };
    const std::string_view bare = base::trimmed(published);
    // Writers turn Python's None into text by mistake.
    if (bare.empty() || bare == "None" || bare == "null" || bare == "nan") {
        item.candidate.clear();
        return note("no_code", bare.empty() ? "there is no code" : "the code is the word " + std::string(bare));
    }
    item.candidate = published;
    if (const auto inside = withoutFence(published)) {
        item.candidate = *inside;
        note("fenced", "the code stood in a Markdown fence, which was taken away");
    }
    const ModuleScan scan = scanModule(item.candidate);
    if (scan.flaw)
        return note("does_not_parse", "line " + std::to_string(scan.flaw->line) + ": " + scan.flaw->message);
    if (scan.find("ModelNew"))
        return;
    if (!scan.find("Model"))
        return note("no_model_new", "the code defines no class ModelNew");
    if (!item.candidate.ends_with('\n'))
        item.candidate += '\n';
    item.candidate += "\nModelNew = Model\n";
    note("only_model", "the code defines Model alone; the name ModelNew was added");
}

void markRepeats(Publication& publication)
{
    std::map<std::string, std::vector<const PublishedItem*>> byKey;
    std::vector<std::string> renamed;
    for (PublishedItem& item : publication.items) {
        auto& earlier = byKey[item.key];
        // The same code for another version of the task is another result.
        const auto same = std::find_if(earlier.begin(), earlier.end(), [&](const PublishedItem* one) {
            return one->candidate == item.candidate && one->reference == item.reference;
        });
        const bool repeated = same != earlier.end();
        if (repeated) {
            const std::string where = (*same)->line > 0 ? "line " + std::to_string((*same)->line) : (*same)->key;
            item.irregularities.push_back({"repeated", "the same task, reference and code stand in " + where});
        } else {
            earlier.push_back(&item);
        }
        // Renamed after the loop: the key is still needed to find the next one.
        renamed.push_back(!repeated && earlier.size() > 1 ? item.key + "#" + std::to_string(earlier.size()) : item.key);
    }
    for (std::size_t at = 0; at < renamed.size(); ++at)
        publication.items[at].key = renamed[at];
}

} // namespace cudal1::tasks
