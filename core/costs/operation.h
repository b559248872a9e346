// SPDX-License-Identifier: GPL-3.0-or-later
// What one call of an ATen operator costs: floating-point operations and bytes, from its name, shapes and types alone.
#pragma once

#include "core/costs/tensor.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cudal1::costs {

/// Floating-point operations. A multiplication with its addition counts as two. `products` are those of matrix
/// products, convolutions, attention and recurrent layers, which tensor cores can do; `others` are all else, by the
/// factors of operation.cpp.
struct Flops {
    double products = 0, others = 0;

    double total() const { return products + others; }
    Flops& operator+=(const Flops& more);
};

/// Where the memory of a call's results comes from.
enum class Memory {
    New,     ///< its own
    View,    ///< its first argument's: nothing is computed and nothing moves
    InPlace, ///< its first argument's, written
};

struct Operation {
    std::string name;            ///< "convolution", "add.Tensor": without "aten." and without the overload "default"
    nlohmann::json arguments;    ///< as written in kernelbench/facts.jsonl, nothing folded: tensors as "[2,3]"
    std::vector<Tensor> tensors; ///< the arguments that are tensors, in order, lists flattened
    std::vector<Tensor> results;
    Memory memory = Memory::New;
    Flops flops;
    double bytes = 0; ///< tensors and results once: what it moves by itself when no cache helps; 0 for a view
};

/// `keywords` may hold further tensors.
Operation operationOf(std::string name, nlohmann::json arguments, const nlohmann::json& keywords,
                      std::vector<Tensor> results);

/// "add" for "add_.Tensor": without overload and trailing underscore.
std::string_view baseName(std::string_view name);
Memory memoryOf(std::string_view name);

} // namespace cudal1::costs
