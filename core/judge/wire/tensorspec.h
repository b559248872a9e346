// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of one tensor in the arena, as it travels between processes.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::judge {

/// A contiguous tensor at an offset of the arena; or, with an empty dtype, an argument that is a Python literal.
struct TensorSpec {
    std::vector<std::int64_t> shape;
    std::string dtype;      ///< "float32"
    std::size_t offset = 0; ///< bytes from the start of the arena, a multiple of 512
    std::size_t bytes = 0;
    std::string text; ///< the literal, for an argument that is no tensor
    bool own = false; ///< of a result: the reference's has memory of its own, shared with no input and no other result

    bool isTensor() const { return !dtype.empty(); }
};

/// A parameter of the reference, or a running statistic, and its place in the arena.
struct NamedWeight {
    std::string name;
    TensorSpec spec;
    std::uint64_t fingerprint = 0; ///< of its initial bytes
    bool constant = false;         ///< one initial value everywhere
};

inline void to_json(nlohmann::json& j, const TensorSpec& v)
{
    j = {{"shape", v.shape}, {"dtype", v.dtype}, {"offset", v.offset},
         {"bytes", v.bytes}, {"text", v.text},   {"own", v.own}};
}

inline void from_json(const nlohmann::json& j, TensorSpec& v)
{
    j.at("shape").get_to(v.shape);
    j.at("dtype").get_to(v.dtype);
    j.at("offset").get_to(v.offset);
    j.at("bytes").get_to(v.bytes);
    j.at("text").get_to(v.text);
    j.at("own").get_to(v.own);
}

inline void to_json(nlohmann::json& j, const NamedWeight& v)
{
    j = {{"name", v.name}, {"spec", v.spec}, {"fingerprint", v.fingerprint}, {"constant", v.constant}};
}

inline void from_json(const nlohmann::json& j, NamedWeight& v)
{
    j.at("name").get_to(v.name);
    j.at("spec").get_to(v.spec);
    j.at("fingerprint").get_to(v.fingerprint);
    j.at("constant").get_to(v.constant);
}

} // namespace cudal1::judge
