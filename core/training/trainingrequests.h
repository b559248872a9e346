// SPDX-License-Identifier: GPL-3.0-or-later
// What a client sends to be learnt from, as tokens.
#pragma once

#include "core/base/result.h"
#include "core/decoder/tokenizer.h"
#include "core/protocol/training.h"
#include "core/training/trainer.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace cudal1::training {

/// Turns texts into tokens and checks them. InvalidArgument for what makes no sense, is longer than the context, or
/// needs a tokenizer that is not there.
class RequestReader {
public:
    /// `tokenizer`: null where the model has none; then `lack` says why, and only tokens are taken.
    RequestReader(const modelfiles::DecoderConfig& config, const decoder::Tokenizer* tokenizer,
                  std::optional<base::Error> lack);

    base::Result<std::vector<int>> prompt(const protocol::TrainingPrompt& given) const;
    base::Result<std::vector<Sequence>> sequences(const protocol::SftRequest& request) const;
    base::Result<std::vector<ReplyGroup>> groups(const protocol::GrpoRequest& request) const;

private:
    base::Result<Sequence> sequence(const std::vector<int>& prompt, const protocol::TrainingReply& reply) const;

    const modelfiles::DecoderConfig& m_config;
    const decoder::Tokenizer* m_tokenizer;
    std::optional<base::Error> m_lack;
};

// Between the processes of a training, of the same program.
nlohmann::json toJson(const std::vector<Sequence>& sequences);
std::vector<Sequence> sequencesOf(const nlohmann::json& json);
nlohmann::json toJson(const std::vector<ReplyGroup>& groups);
std::vector<ReplyGroup> groupsOf(const nlohmann::json& json);

} // namespace cudal1::training
