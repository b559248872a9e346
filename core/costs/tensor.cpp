// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes and types as numbers and text.
#include "core/costs/tensor.h"

#include <array>
#include <charconv>
#include <utility>

namespace cudal1::costs {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 15> sizes{{
    {"float32", 4},
    {"float64", 8},
    {"float16", 2},
    {"bfloat16", 2},
    {"int64", 8},
    {"int32", 4},
    {"int16", 2},
    {"int8", 1},
    {"uint8", 1},
    {"bool", 1},
    {"complex64", 8},
    {"complex128", 16},
    {"float8_e4m3fn", 1},
    {"float8_e5m2", 1},
    {"uint16", 2},
}};

} // namespace

double elementBytes(std::string_view dtype)
{
    for (const auto& [name, bytes] : sizes)
        if (name == dtype)
            return bytes;
    return 4;
}

double Tensor::elements() const
{
    double count = 1;
    for (const std::int64_t extent : shape)
        count *= static_cast<double>(extent);
    return count;
}

double Tensor::bytes() const
{
    return elements() * elementBytes(dtype);
}

std::optional<Tensor> parseTensor(std::string_view text)
{
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos || text.back() != ']')
        return std::nullopt;
    Tensor out;
    if (open > 0)
        out.dtype = text.substr(0, open);
    const char *at = text.data() + open + 1, *end = text.data() + text.size() - 1;
    while (at < end) {
        std::int64_t extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        if (error != std::errc() || extent < 0 || (next != end && *next != ','))
            return std::nullopt;
        out.shape.push_back(extent);
        at = next == end ? end : next + 1;
    }
    return out;
}

std::string written(const Tensor& tensor)
{
    std::string out = tensor.dtype == "float32" ? "[" : tensor.dtype + "[";
    for (std::size_t i = 0; i < tensor.shape.size(); ++i)
        out += (i ? "," : "") + std::to_string(tensor.shape[i]);
    return out + "]";
}

std::string shapeText(const Tensor& tensor)
{
    std::string out;
    for (const std::int64_t extent : tensor.shape)
        out += (out.empty() ? "" : " × ") + std::to_string(extent);
    return (out.empty() ? "scalar" : out) + " " + tensor.dtype;
}

std::string writtenList(const std::vector<Tensor>& tensors)
{
    std::string out;
    for (std::size_t first = 0, end = 0; first < tensors.size(); first = end) {
        while (end < tensors.size() && tensors[end] == tensors[first])
            ++end;
        const std::size_t count = end - first;
        out += (out.empty() ? "" : ", ") + (count > 3 ? std::to_string(count) + " of " : std::string()) +
               written(tensors[first]);
        for (std::size_t i = 1; i < count && count <= 3; ++i)
            out += ", " + written(tensors[first]);
    }
    return out;
}

} // namespace cudal1::costs
