// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoints of a training: folders that other programs load as models, with what it takes to go on.
//
//     OUT/step-000020/  model.safetensors, config.json, tokenizer files   a model as transformers and cudal1-model load
//     it
//                       adapter/                                         with LoRA: its matrices, as the library peft
//                       loads them optimizer-00000-of-00001.safetensors             masters and moments, a file for
//                       each slice trainer.json                                     TrainingRecord
//     OUT/best.json                                                      {"name", "value"}: the checkpoint that is kept
//
// A checkpoint is written under another name, flushed to the disk and then renamed: a folder step-N is whole, whenever
// the process is killed.
#pragma once

#include "core/base/result.h"
#include "core/training/trainingmodel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::training {

/// trainer.json.
struct TrainingRecord {
    int step = 0;  ///< updates made
    int batch = 0; ///< requests to learn that were answered
    /// Of what is drawn: LoRA's first weights, and which group goes into which minibatch of a batch. Both follow from
    /// the seed and the batch's number alone, so that these two are the state of the generator.
    std::uint64_t seed = 0;
    std::uint64_t tokens = 0; ///< learnt from
    std::string model;        ///< the folder that the training began with
    std::string numbers;
    LoraSettings lora;
    std::vector<std::size_t> sizes; ///< of the groups of parameters
    int slices = 1;                 ///< files of the optimizer's state
};

class TrainingFolder {
public:
    explicit TrainingFolder(std::string path) : m_path(std::move(path)) {}

    const std::string& path() const { return m_path; }
    /// Names of whole checkpoints, the oldest first.
    std::vector<std::string> checkpoints() const;
    std::string pathOf(const std::string& name) const { return m_path + '/' + name; }

    struct Saved {
        std::string path;
        std::uint64_t bytes = 0; ///< of this process's files
        bool isBest = false;
    };
    /// Writes a checkpoint, together with the other processes, and removes all but the newest `keep` and the best.
    /// `source`: a folder with the configuration and the tokenizer's files.
    base::Result<Saved> save(TrainingModel& model, Workgroup& workgroup, TrainingRecord record,
                             const std::string& source, std::optional<double> value, int keep) const;

private:
    base::Result<bool> noteBest(const std::string& name, std::optional<double> value) const;
    void rotate(int keep) const;

    std::string m_path;
};

base::Result<TrainingRecord> readRecord(const std::string& checkpoint);
/// Puts the state of a checkpoint into a model that was made with the record's settings. Unreadable where they differ.
base::Result<void> readState(const std::string& checkpoint, const TrainingRecord& record, TrainingModel& model);
/// With all that is in it; what is not there is fine. libtorch.so has a std::filesystem::remove_all() of its own, which
/// takes the place of the library's and crashes.
void removeFolder(const std::string& path);
/// Under another name first, so that nobody ever sees a part of it, and flushed. Returns its bytes.
base::Result<std::uint64_t> writeText(const std::string& path, const std::string& text);
/// The model alone, in bfloat16 where it was trained so and in float32 elsewhere. Returns the bytes written. By the
/// first process; the others attend the weights, whether or not it fails.
base::Result<std::uint64_t> exportModel(const std::string& folder, TrainingModel& model, const std::string& source);

} // namespace cudal1::training
