// SPDX-License-Identifier: GPL-3.0-or-later
// One line of an evaluator as a value. Pure, so that long lines can be read on another thread.
#pragma once

#include "core/base/result.h"
#include "core/protocol/messages.h"
#include "core/protocol/kernels.h"
#include "core/protocol/timeline.h"

#include <QByteArray>

#include <memory>
#include <variant>

namespace cudal1::farm {

struct Answer {
    std::uint64_t id = 0;
    /// monostate: a well-formed message of a type that this version does not know.
    std::variant<std::monostate, protocol::Hello, protocol::Progress, protocol::Machine, protocol::Inspection,
                 std::shared_ptr<const protocol::Facts>, std::shared_ptr<const protocol::OperatorGraph>, std::shared_ptr<const protocol::Evaluation>,
                 std::shared_ptr<const protocol::TimelineAnswer>, std::shared_ptr<const protocol::Kernels>, base::Error>
        payload;
};

/// ProcessFailed, with the start of the line as context, for what is not a message.
base::Result<Answer> readAnswer(const QByteArray& line);

/// The word of an error code in an "error" message ("unavailable"); unknown words are read as Internal.
std::string_view errorWord(base::ErrorCode code);
base::ErrorCode errorCode(std::string_view word);

} // namespace cudal1::farm
