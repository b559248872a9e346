// SPDX-License-Identifier: GPL-3.0-or-later
// Writes and reads checkpoints.
#include "core/training/trainingfolder.h"

#include "core/training/safetensorswriter.h"

#include <fcntl.h>
#include <ftw.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

namespace cudal1::training {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* prefix = "step-";
constexpr int recordFormat = 2; ///< 1 had the optimizer's state of all layers in one

base::Error unwritable(const std::string& path, const std::string& why)
{
    return {base::ErrorCode::Unreadable, "The checkpoint cannot be written: " + why, path,
            "Free some room on this disk, or write elsewhere"};
}

base::Error damaged(const std::string& path, const std::string& why)
{
    return {base::ErrorCode::Unreadable, "The checkpoint cannot be taken up: " + why, path,
            "Name an older checkpoint, or train into another folder"};
}

std::string nameOf(int step)
{
    char name[32];
    std::snprintf(name, sizeof name, "%s%06d", prefix, step);
    return name;
}

void flushFolder(const fs::path& path)
{
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    ::fsync(folder);
    ::close(folder);
}

/// config.json and what belongs to the tokenizer.
base::Result<std::uint64_t> copyDescription(const fs::path& from, const fs::path& to, const std::string& numbers)
{
    static const std::set<std::string> copied{"generation_config.json",
                                              "tokenizer.json",
                                              "tokenizer_config.json",
                                              "special_tokens_map.json",
                                              "added_tokens.json",
                                              "chat_template.jinja",
                                              "vocab.json",
                                              "merges.txt",
                                              "tokenizer.model",
                                              "LICENSE",
                                              "NOTICE"};
    std::ifstream file(from / "config.json");
    json config = json::parse(file, nullptr, false);
    if (!config.is_object())
        return unwritable(from.string(), "its config.json cannot be read");
    for (const char* key : {"dtype", "torch_dtype"})
        if (config.contains(key))
            config[key] = numbers;
    const auto written = writeText(to / "config.json", config.dump(2) + '\n');
    if (!written)
        return written.error();
    std::uint64_t bytes = *written;
    for (const std::string& name : copied) {
        if (!fs::exists(from / name))
            continue;
        std::error_code error;
        fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing, error);
        if (error)
            return unwritable((to / name).string(), error.message());
        bytes += fs::file_size(to / name);
    }
    return bytes;
}

base::Result<std::uint64_t> exportAdapter(const fs::path& folder, const TrainingModel& model, const std::string& base)
{
    std::vector<SafetensorsWriter::Entry> entries;
    std::vector<std::vector<float>> values;
    model.eachAdapter([&](const std::string& name, const std::vector<std::size_t>& shape, std::vector<float> numbers) {
        entries.push_back({"base_model.model." + name, "F32", shape});
        values.push_back(std::move(numbers));
    });
    if (entries.empty())
        return std::uint64_t{0};
    std::error_code error;
    fs::create_directories(folder, error);
    auto writer = SafetensorsWriter::open((folder / "adapter_model.safetensors").string(), entries);
    if (!writer)
        return writer.error();
    for (const auto& numbers : values)
        writer->add(std::span<const float>(numbers));
    const auto written = writer->finish();
    if (!written)
        return written.error();
    const LoraSettings& lora = model.settings().lora;
    const json config{{"peft_type", "LORA"},    {"task_type", "CAUSAL_LM"},
                      {"r", lora.rank},         {"lora_alpha", lora.alpha},
                      {"lora_dropout", 0.0},    {"target_modules", lora.targets},
                      {"bias", "none"},         {"fan_in_fan_out", false},
                      {"inference_mode", true}, {"base_model_name_or_path", fs::absolute(base).string()}};
    const auto text = writeText(folder / "adapter_config.json", config.dump(2) + '\n');
    if (!text)
        return text.error();
    return *written + *text;
}

std::string stateName(int slice, int slices)
{
    char name[64];
    std::snprintf(name, sizeof name, "optimizer-%05d-of-%05d.safetensors", slice, slices);
    return name;
}

base::Result<std::uint64_t> writeState(const fs::path& path, const TrainingModel& model)
{
    const auto parts = model.state();
    std::vector<SafetensorsWriter::Entry> entries;
    entries.reserve(parts.size());
    for (const auto& part : parts)
        entries.push_back({part.name, part.isDouble ? "F64" : "F32", {part.count}});
    auto writer = SafetensorsWriter::open(path.string(), entries);
    if (!writer)
        return writer.error();
    for (const auto& part : parts)
        writer->add(std::span<const std::byte>(part.bytes));
    const auto written = writer->finish();
    if (!written)
        return written.error();
    return static_cast<std::uint64_t>(*written);
}

/// Adds one file's numbers to those of the files before it.
base::Result<void> readSlice(const fs::path& path, std::vector<TrainingModel::StatePart>& whole)
{
    std::ifstream file(path, std::ios::binary);
    std::uint64_t size = 0;
    if (!file.read(reinterpret_cast<char*>(&size), sizeof size) || size > (1u << 20))
        return damaged(path.string(), "it lacks a header");
    std::string text(size, ' ');
    file.read(text.data(), static_cast<std::streamsize>(size));
    const json header = json::parse(text, nullptr, false);
    if (!file || !header.is_object())
        return damaged(path.string(), "its header is no JSON object");
    const auto data = static_cast<std::streamoff>(sizeof size + size);
    try {
        for (const auto& item : header.items()) {
            const std::string& name = item.key();
            const json& entry = item.value();
            if (name == "__metadata__")
                continue;
            const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
            const auto end = entry.at("data_offsets").at(1).get<std::uint64_t>();
            if (begin > end || end > fs::file_size(path))
                return damaged(path.string(), "it was cut off");
            auto part = std::find_if(whole.begin(), whole.end(), [&](const auto& p) { return p.name == name; });
            if (part == whole.end())
                part = whole.insert(whole.end(), {name, 0, entry.at("dtype") == json("F64"), {}});
            const std::size_t before = part->bytes.size();
            part->bytes.resize(before + (end - begin));
            part->count = part->bytes.size() / (part->isDouble ? 8 : 4);
            file.seekg(data + static_cast<std::streamoff>(begin));
            file.read(reinterpret_cast<char*>(part->bytes.data() + before), static_cast<std::streamsize>(end - begin));
            if (!file)
                return damaged(path.string(), "it was cut off");
        }
    } catch (const json::exception&) {
        return damaged(path.string(), "its header makes no sense");
    }
    return {};
}

json jsonOf(const TrainingRecord& record)
{
    return {{"format", recordFormat},
            {"program", "cudal1-trainer " CUDAL1_VERSION},
            {"step", record.step},
            {"batch", record.batch},
            {"seed", record.seed},
            {"tokens", record.tokens},
            {"model", record.model},
            {"numbers", record.numbers},
            {"lora", {{"rank", record.lora.rank}, {"alpha", record.lora.alpha}, {"targets", record.lora.targets}}},
            {"sizes", record.sizes},
            {"slices", record.slices}};
}

} // namespace

base::Result<std::uint64_t> writeText(const std::string& path, const std::string& text)
{
    const fs::path other = path + ".new";
    std::FILE* file = std::fopen(other.c_str(), "wb");
    bool isThere = file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0 &&
                   ::fsync(::fileno(file)) == 0;
    if (file)
        isThere = std::fclose(file) == 0 && isThere;
    std::error_code error;
    if (isThere)
        fs::rename(other, path, error);
    if (!isThere || error)
        return unwritable(path, error ? error.message() : std::strerror(errno));
    return text.size();
}

void removeFolder(const std::string& path)
{
    constexpr int openFolders = 16;
    ::nftw(
        path.c_str(), [](const char* entry, const struct stat*, int, struct FTW*) { return std::remove(entry); },
        openFolders, FTW_DEPTH | FTW_PHYS);
}

base::Result<std::uint64_t> exportModel(const std::string& folder, TrainingModel& model, const std::string& source)
{
    std::error_code error;
    fs::create_directories(folder, error);
    const std::string numbers = model.settings().numbers == "bfloat16" ? "bfloat16" : "float32";
    const auto copied = error ? base::Result<std::uint64_t>(unwritable(folder, error.message()))
                              : copyDescription(source, folder, numbers);
    std::vector<SafetensorsWriter::Entry> entries;
    for (const decoder::WeightPlace& place : decoder::weightsOf(model.config()))
        entries.push_back({place.name, numbers == "bfloat16" ? "BF16" : "F32", place.shape});
    auto writer = copied ? SafetensorsWriter::open(folder + "/model.safetensors", entries)
                         : base::Result<SafetensorsWriter>(copied.error());
    // Whatever went wrong: other processes may have begun to put the weights together with this one.
    model.eachWeight([&](const std::string&, const std::vector<std::size_t>&, std::vector<float> values) {
        if (writer)
            writer->add(std::span<const float>(values));
    });
    if (!writer)
        return writer.error();
    const auto written = writer->finish();
    if (!written)
        return written.error();
    const auto adapter = exportAdapter(fs::path(folder) / "adapter", model, source);
    if (!adapter)
        return adapter.error();
    return *copied + *written + *adapter;
}

std::vector<std::string> TrainingFolder::checkpoints() const
{
    std::vector<std::pair<long, std::string>> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_path, error)) {
        const std::string name = entry.path().filename().string();
        char* end = nullptr;
        const long step = name.starts_with(prefix) ? std::strtol(name.c_str() + std::strlen(prefix), &end, 10) : -1;
        if (end && !*end && step >= 0 && fs::exists(entry.path() / "trainer.json"))
            found.emplace_back(step, name);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    out.reserve(found.size());
    for (auto& [step, name] : found)
        out.push_back(std::move(name));
    return out;
}

base::Result<TrainingFolder::Saved> TrainingFolder::save(TrainingModel& model, Workgroup& workgroup,
                                                         TrainingRecord record, const std::string& source,
                                                         std::optional<double> value, int keep) const
{
    record.slices = model.sharding() == protocol::Sharding::None ? 1 : workgroup.size();
    const std::string name = nameOf(record.step);
    const fs::path target = pathOf(name), other = pathOf(".new-" + name);
    Saved out{target.string(), 0, false};
    std::optional<base::Error> problem;
    const auto take = [&](const base::Result<std::uint64_t>& written) {
        if (written)
            out.bytes += *written;
        else if (!problem)
            problem = written.error();
    };
    std::error_code error;
    if (workgroup.isFirst()) {
        removeFolder(other);
        fs::create_directories(other, error);
    }
    workgroup.wait();
    if (workgroup.isFirst())
        take(exportModel(other.string(), model, source));
    else
        model.attendWeights();
    if (record.slices > 1 || workgroup.isFirst())
        take(writeState(other / stateName(record.slices > 1 ? workgroup.rank() : 0, record.slices), model));
    if (workgroup.isFirst())
        take(writeText(other / "trainer.json", jsonOf(record).dump(2) + '\n'));
    double failures = problem ? 1 : 0;
    workgroup.sum(std::span(&failures, 1));
    if (failures > 0)
        return problem ? *problem : unwritable(target.string(), "another process of the training could not write it");
    if (workgroup.isFirst()) {
        flushFolder(other);
        // A batch may have been skipped since this step was saved. Where the two can be exchanged, there is always one.
        if (::renameat2(AT_FDCWD, other.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
            removeFolder(other);
        } else {
            removeFolder(target);
            fs::rename(other, target, error);
        }
        if (error)
            problem = unwritable(target.string(), error.message());
        flushFolder(m_path);
        const auto best = noteBest(name, value);
        out.isBest = best && *best;
        if (!best && !problem)
            problem = best.error();
        rotate(keep);
    }
    workgroup.wait();
    if (problem)
        return *problem;
    return out;
}

base::Result<bool> TrainingFolder::noteBest(const std::string& name, std::optional<double> value) const
{
    if (!value)
        return false;
    const fs::path path = pathOf("best.json");
    std::ifstream file(path);
    const json before = file ? json::parse(file, nullptr, false) : json();
    if (before.is_object() && before.contains("value") && before["value"].is_number() &&
        before["value"].get<double>() >= *value)
        return false;
    const auto written = writeText(path, json{{"name", name}, {"value", *value}}.dump() + '\n');
    if (!written)
        return written.error();
    return true;
}

void TrainingFolder::rotate(int keep) const
{
    std::ifstream file(pathOf("best.json"));
    const json best = file ? json::parse(file, nullptr, false) : json();
    const std::string kept = best.is_object() && best.contains("name") ? best["name"].get<std::string>() : "";
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_path, error)) // what a killed process has left
        if (entry.path().filename().string().starts_with(std::string(".new-") + prefix))
            removeFolder(entry.path());
    const auto all = checkpoints();
    for (std::size_t i = 0; i + static_cast<std::size_t>(std::max(keep, 1)) < all.size(); ++i) {
        if (all[i] == kept)
            continue;
        // Without its record it is no checkpoint any more, whatever is left of it.
        fs::remove(fs::path(pathOf(all[i])) / "trainer.json", error);
        removeFolder(pathOf(all[i]));
    }
}

base::Result<TrainingRecord> readRecord(const std::string& checkpoint)
{
    std::ifstream file(fs::path(checkpoint) / "trainer.json");
    if (!file)
        return base::Error{base::ErrorCode::NotFound, "There is no such checkpoint", checkpoint,
                           "A checkpoint is a folder step-N with trainer.json"};
    const json read = json::parse(file, nullptr, false);
    try {
        if (read.at("format").get<int>() > recordFormat)
            return base::Error{base::ErrorCode::TooNew, "The checkpoint was written by a later version", checkpoint,
                               "Use that version"};
        if (read.at("format").get<int>() < recordFormat)
            return damaged(checkpoint, "its optimizer's state is as an earlier version wrote it");
        TrainingRecord out;
        read.at("step").get_to(out.step);
        read.at("batch").get_to(out.batch);
        read.at("seed").get_to(out.seed);
        read.at("tokens").get_to(out.tokens);
        read.at("model").get_to(out.model);
        read.at("numbers").get_to(out.numbers);
        read.at("lora").at("rank").get_to(out.lora.rank);
        read.at("lora").at("alpha").get_to(out.lora.alpha);
        read.at("lora").at("targets").get_to(out.lora.targets);
        read.at("sizes").get_to(out.sizes);
        read.at("slices").get_to(out.slices);
        return out;
    } catch (const json::exception& error) {
        return damaged(checkpoint, std::string("trainer.json makes no sense: ") + error.what());
    }
}

base::Result<void> readState(const std::string& checkpoint, const TrainingRecord& record, TrainingModel& model)
{
    if (record.sizes != model.stateSizes() || record.numbers != model.settings().numbers)
        return damaged(checkpoint, "its model, its numbers or its LoRA settings are others");
    std::vector<TrainingModel::StatePart> whole;
    for (int slice = 0; slice < record.slices; ++slice)
        if (const auto read = readSlice(fs::path(checkpoint) / stateName(slice, record.slices), whole); !read)
            return read.error();
    return model.setState(whole);
}

} // namespace cudal1::training
