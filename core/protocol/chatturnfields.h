// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a turn of a conversation, which is part of messages of models and of trainers. For this folder's .cpp
// files.
#pragma once

#include "core/protocol/fields.h"
#include "core/protocol/localmodelmessages.h"

namespace cudal1::protocol {

void fields(auto& io, Is<ChatTurn> auto& v)
{
    io.required("role", v.role);
    io.required("content", v.content);
}

} // namespace cudal1::protocol
