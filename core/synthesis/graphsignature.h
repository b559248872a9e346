// SPDX-License-Identifier: GPL-3.0-or-later
// Operator graphs as keys, by which tasks are compared.
#pragma once

#include "core/protocol/messages.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::synthesis {

/// "addmm" of "aten.addmm.default", of "addmm" and of "addmm_": an operator without namespace, overload and the mark of
/// writing in place. The products of two matrices are all "mm", with a bias or in batches.
std::string plainOperator(std::string_view name);

/// Whether the operator only makes memory, or shows, copies or cuts what is there.
bool isMovement(std::string_view plain);

/// The operators that compute, in the order in which they run, by their plain names.
std::vector<std::string> computeSequence(const protocol::OperatorGraph& graph);

/// Equal for graphs with the same operators, the same flow of data, the same whole numbers and switches as arguments,
/// and shapes of the same class, in whatever order independent operators run and whatever the parameters are called. A
/// shape's class is its type, its rank, and the power of two below each size. Numbers with a fraction do not count.
std::uint64_t taskKey(const protocol::OperatorGraph& graph);

/// Equal for graphs with the same computing operators and the same flow of data between them. Shapes, arguments and
/// operators that only move data do not count.
std::uint64_t flowKey(const protocol::OperatorGraph& graph);

std::string keyText(std::uint64_t key); ///< 16 hexadecimal digits

} // namespace cudal1::synthesis
