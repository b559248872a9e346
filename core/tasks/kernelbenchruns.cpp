// SPDX-License-Identifier: GPL-3.0-or-later
// Files and results of KernelBench's run folders.
#include "core/tasks/kernelbenchruns.h"

#include "core/tasks/publishedjson.h"
#include "core/tasks/sourcefile.h"
#include "core/tasks/taskfile.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cudal1::tasks {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

struct KernelName {
    int level = 0, problem = 0, sample = 0;
};

/// The number that follows `word` at the front of `text`, both taken off; -1 when there is none.
int takeNumber(std::string_view& text, std::string_view word)
{
    if (!text.starts_with(word))
        return -1;
    text.remove_prefix(word.size());
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    // Samples count from 0, which parseNumber does not take.
    return number == "0" ? 0 : (parseNumber(number) > 0 ? parseNumber(number) : -1);
}

std::optional<KernelName> parseKernelName(std::string_view name)
{
    KernelName out;
    out.level = takeNumber(name, "level_");
    out.problem = takeNumber(name, "_problem_");
    if (out.level < 1 || out.problem < 1)
        return {};
    if (name.starts_with("_sample_") && (out.sample = takeNumber(name, "_sample_")) < 0)
        return {};
    if (name != "_kernel.py" && name != ".py")
        return {};
    return out;
}

/// Kernels of a folder, and what its results say of them.
struct RunFolder {
    fs::path path;
    std::map<std::tuple<int, int, int>, fs::path> kernels; ///< by level, problem, sample
    json results = json::object();
    std::string resultsFlaw;
};

RunFolder readFolder(const fs::path& folder)
{
    RunFolder out;
    out.path = folder;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (const auto name = parseKernelName(it->path().filename().string()))
            out.kernels.emplace(std::tuple(name->level, name->problem, name->sample), it->path());
    const fs::path file = folder / "eval_results.json";
    if (!fs::exists(file, error))
        return out;
    const auto text = readPublished(file);
    json results = text ? parsePublished(*text) : json(json::value_t::discarded);
    if (results.is_object())
        out.results = std::move(results);
    else
        out.resultsFlaw = text ? "the file is no JSON object; it may have been cut" : text.error().message;
    return out;
}

/// The result of one sample of one problem, or null. The last entry wins, as a later evaluation replaces an earlier.
json resultOf(const json& results, int problem, int sample)
{
    const auto it = results.find(std::to_string(problem));
    if (it == results.end())
        return nullptr;
    json found = nullptr;
    const auto take = [&](const json& entry) {
        if (entry.is_object() && entry.value("sample_id", json(0)) == json(sample))
            found = entry;
    };
    if (it->is_array())
        for (const json& entry : *it)
            take(entry);
    else
        take(*it);
    return found;
}

/// Times of the reference by level and problem.
using Baseline = std::map<std::pair<int, int>, double>;

base::Result<Baseline> readBaseline(const fs::path& file)
{
    Baseline out;
    if (file.empty())
        return out;
    const auto text = readPublished(file);
    if (!text)
        return text.error();
    const json levels = parsePublished(*text);
    if (levels.is_object())
        for (const auto& [name, problems] : levels.items()) {
            std::string_view rest = name;
            const int level = takeNumber(rest, "level");
            if (level < 1 || !rest.empty() || !problems.is_object())
                continue;
            for (const auto& [problem, times] : problems.items())
                if (const auto mean = times.is_object() ? numberIn(times, "mean") : std::nullopt; mean && *mean > 0)
                    out[{level, parseNumber(std::string_view(problem).substr(
                                    0, problem.find_first_not_of("0123456789")))}] = *mean;
        }
    if (out.empty())
        return Error{ErrorCode::Unreadable, "The baseline has no times", file.string(),
                     "Give a file of KernelBench's results/timing, such as baseline_time_torch.json"};
    return out;
}

void takeResult(PublishedItem& item, const json& result, const Baseline& baseline)
{
    if (result.is_null()) {
        item.irregularities.push_back({"no_result", "eval_results.json says nothing of it"});
        return;
    }
    item.details = result.dump(-1, ' ', false, json::error_handler_t::replace);
    if (const auto correct = result.find("correctness"); correct != result.end() && correct->is_boolean())
        item.claimedCorrect = correct->get<bool>();
    const auto runtime = numberIn(result, "runtime");
    auto reference = numberIn(result, "ref_runtime");
    if (const auto known = baseline.find({item.level, item.number}); known != baseline.end())
        reference = known->second;
    // -1 stands for "not measured".
    if (item.claimedCorrect.value_or(false) && runtime && *runtime > 0 && reference && *reference > 0)
        item.claimedSpeedup = *reference / *runtime;
}

void takeFolder(Publication& out, const RunFolder& folder, const std::string& prefix, const Baseline& baseline)
{
    const std::string resultsFile = prefix + "eval_results.json";
    if (!folder.resultsFlaw.empty())
        out.problems.push_back({resultsFile, folder.resultsFlaw});
    std::map<int, std::set<int>> levels;
    std::set<std::pair<int, int>> samples;
    for (const auto& [name, path] : folder.kernels) {
        levels[std::get<1>(name)].insert(std::get<0>(name));
        samples.emplace(std::get<1>(name), std::get<2>(name));
    }
    for (const auto& [name, path] : folder.kernels) {
        PublishedItem item;
        std::tie(item.level, item.number, std::ignore) = name;
        item.key = prefix + path.stem().string();
        const SourceFile source = readSource(path);
        if (!source.ok() && source.flaw.code != ErrorCode::InvalidArgument) {
            out.problems.push_back({prefix + path.filename().string(), source.flaw.message});
            continue;
        }
        takeCandidate(item, source.text); // an empty file is a generation without code
        if (levels[item.number].size() > 1 && folder.results.contains(std::to_string(item.number)))
            item.irregularities.push_back(
                {"ambiguous_result", "the results name problems without their level, and the folder has "
                                     "problem " +
                                         std::to_string(item.number) + " of several levels"});
        else
            takeResult(item, resultOf(folder.results, item.number, std::get<2>(name)), baseline);
        out.items.push_back(std::move(item));
    }
    for (const auto& [problem, entries] : folder.results.items()) {
        const int number = parseNumber(problem);
        if (number == 0) {
            out.problems.push_back({resultsFile, "\"" + problem + "\" is no number of a problem"});
            continue;
        }
        for (const json& entry : entries.is_array() ? entries : json::array({entries})) {
            const int sample = entry.is_object() && entry.value("sample_id", json(0)).is_number()
                                 ? entry.value("sample_id", json(0)).get<int>()
                                 : 0;
            if (!samples.contains({number, sample}))
                out.problems.push_back({resultsFile, "there is a result for problem " + problem + ", sample " +
                                                         std::to_string(sample) + " and no file with its code"});
        }
    }
}

} // namespace

base::Result<Publication> readKernelBenchRuns(const fs::path& folder, const fs::path& baselineFile)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return Error{fs::exists(folder, error) ? ErrorCode::InvalidArgument : ErrorCode::NotFound,
                     "There is no such folder", folder.string(),
                     "Give a folder of KernelBench's runs, such as runs/NAME"};
    const auto baseline = readBaseline(baselineFile);
    if (!baseline)
        return baseline.error();
    const fs::path root = fs::canonical(folder, error);
    Publication out;
    out.source = "kernelbench-runs: " + root.filename().string();
    std::vector<std::pair<std::string, fs::path>> folders{{"", root}};
    for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->is_directory(ignored))
            folders.emplace_back(it->path().filename().string() + "/", it->path());
    }
    std::sort(folders.begin(), folders.end());
    for (const auto& [prefix, path] : folders)
        takeFolder(out, readFolder(path), prefix, *baseline);
    if (out.items.empty())
        return Error{ErrorCode::NotFound, "The folder holds no generated kernels", folder.string(),
                     "They are named level_L_problem_P_sample_S_kernel.py"};
    markRepeats(out);
    return out;
}

} // namespace cudal1::tasks
