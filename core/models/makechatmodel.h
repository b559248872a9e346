// SPDX-License-Identifier: GPL-3.0-or-later
// Language models by the text that a user gives: "endpoint:qwen3".
#pragma once

#include "core/models/modelregistry.h"
#include "core/models/runledgers.h"
#include "core/policy/chatmodel.h"

#include <memory>
#include <string>

namespace cudal1::models {

/// What a model is made with.
struct ModelSources {
    ModelRegistry registry{};                  ///< that names are looked up in
    std::shared_ptr<RunLedgers> run = nullptr; ///< what the models of a run have spent, and the limits that they share
};

/// "endpoint:NAME", a model of the registry; "local:NAME", one that `cudal1-model` runs; "replay:FILE",
/// recorded replies, of a file of JSON lines or of a project, there also those of one policy:
/// "replay:FILE#endpoint:NAME". Nothing is asked yet and no key is read. InvalidArgument for another text, NotFound for
/// what is not there.
base::Result<std::unique_ptr<policy::ChatModel>> makeChatModel(const std::string& text,
                                                               const ModelSources& sources = {});

} // namespace cudal1::models
