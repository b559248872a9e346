// SPDX-License-Identifier: GPL-3.0-or-later
// A tensor as costs see it: shape and type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudal1::costs {

struct Tensor {
    std::vector<std::int64_t> shape;
    std::string dtype = "float32";

    double elements() const; ///< 1 for a scalar tensor
    double bytes() const;
    bool operator==(const Tensor&) const = default;
};

/// Bytes of one element; 4 for a type that is not known.
double elementBytes(std::string_view dtype);

/// As kernelbench/facts.jsonl writes tensors: "[2,3]" for float32, "int64[2,3]" otherwise. Empty for any other text.
std::optional<Tensor> parseTensor(std::string_view text);
/// What parseTensor() reads.
std::string written(const Tensor& tensor);
/// For a person: "2 × 3 float32", "scalar int64".
std::string shapeText(const Tensor& tensor);

/// "[10,256], 512 of [10,128]": what repeats in a row is counted.
std::string writtenList(const std::vector<Tensor>& tensors);

} // namespace cudal1::costs
