// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoints of a training. Each is a folder that other programs load as a model, and that also holds what the
// training needs to go on:
//
//     OUT/step-000020/
//         model.safetensors, config.json, tokenizer files   the model, for transformers and cudal1-model
//         adapter/                                          with LoRA: its matrices, for the library peft
//         optimizer-00000-of-00001.safetensors              masters and moments; a file for each slice
//         trainer.json                                      TrainingRecord
//     OUT/best.json                                         {"name", "value"} of the best checkpoint
//
// A checkpoint is written under another name, flushed to the disk and then renamed. So a folder step-N is whole, at
// whatever moment the process is killed.
#pragma once

#include "core/base/result.h"
#include "core/training/trainingmodel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::training {

/// What trainer.json says of a checkpoint.
struct TrainingRecord {
    int step = 0;  ///< how many updates were made
    int batch = 0; ///< how many batches were learnt from or skipped; also the number of the next one, from 0
    /// LoRA's first weights, and which group goes into which minibatch, are drawn from the seed and the batch's number
    /// alone. So seed and batch are all that there is to keep of random numbers.
    std::uint64_t seed = 0;
    std::uint64_t tokens = 0; ///< how many tokens were learnt from
    std::string model;        ///< the folder that the training began with
    std::string numbers;      ///< "float32", "bfloat16" or "float64", as ModelSettings::numbers
    LoraSettings lora;
    std::vector<std::size_t> sizes; ///< how many numbers each group of parameters has, as Parameters::sizes()
    int slices = 1; ///< in how many files the optimizer's state lies, one for each process that wrote it
};

/// The folder OUT. Each process of a training has an object of its own. Functions that fail to write give Unreadable,
/// with the path and the system's reason.
class TrainingFolder {
public:
    explicit TrainingFolder(std::string path) : m_path(std::move(path)) {}

    const std::string& path() const { return m_path; }
    /// The names of the checkpoints, the oldest first: "step-000020".
    std::vector<std::string> checkpoints() const;
    std::string pathOf(const std::string& name) const { return m_path + '/' + name; }

    struct Saved {
        std::string path;
        std::uint64_t bytes = 0; ///< in the files that this process wrote
        bool isBest = false;
    };
    /// Writes a checkpoint and then removes all others but the newest `keep` (at least one) and the best. All processes
    /// call it together. The configuration and the tokenizer's files are copied from the folder `source`. `value` says
    /// how good the checkpoint is; the one with the greatest value is the best, and one without a value is never the
    /// best.
    base::Result<Saved> save(TrainingModel& model, Workgroup& workgroup, TrainingRecord record,
                             const std::string& source, std::optional<double> value, int keep) const;

private:
    base::Result<bool> noteBest(const std::string& name, std::optional<double> value) const;
    void rotate(int keep) const;

    std::string m_path;
};

/// Reads trainer.json of the folder `checkpoint`. NotFound where it has none, TooNew for one of a later version, and
/// Unreadable for what makes no sense.
base::Result<TrainingRecord> readRecord(const std::string& checkpoint);
/// Puts the optimizer's state of a checkpoint into a model that was made with the record's settings. Unreadable where
/// the model's settings differ from the record, or a file is damaged.
base::Result<void> readState(const std::string& checkpoint, const TrainingRecord& record, TrainingModel& model);
/// Removes a folder with all that is in it; a folder that is not there is no error. It stands in for
/// std::filesystem::remove_all(), since libtorch.so has a function of that name, which is called instead and crashes.
void removeFolder(const std::string& path);
/// Writes a file under another name, flushes it and renames it, so that nobody ever sees a part of it. Returns how many
/// bytes it has.
base::Result<std::uint64_t> writeText(const std::string& path, const std::string& text);
/// Writes the model alone into `folder`: in bfloat16 where it was trained in that, and in float32 otherwise. Returns
/// how many bytes were written. The first process calls it while all others call TrainingModel::attendWeights(), which
/// returns also where this fails.
base::Result<std::uint64_t> exportModel(const std::string& folder, TrainingModel& model, const std::string& source);

} // namespace cudal1::training
