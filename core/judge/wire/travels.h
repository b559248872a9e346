// SPDX-License-Identifier: GPL-3.0-or-later
// How a header says that a type of its own travels as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses here.
/// Declares the functions of a type that travels; messagefields.cpp lists its fields. Each file that includes a message
/// would compile them anew if they were inline, which takes two seconds for all messages.
#define CUDAL1_TRAVELS(Type)                                                                                           \
    void to_json(nlohmann::json& j, const Type& v);                                                                    \
    void from_json(const nlohmann::json& j, Type& v);
// NOLINTEND(bugprone-macro-parentheses)
