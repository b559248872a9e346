// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of captured kernels; images are base64.
#include "core/protocol/kernels.h"

#include "core/base/base64.h"
#include "core/protocol/fields.h"

namespace cudal1::protocol {

using nlohmann::json;

void to_json(json& j, const KernelsRequest& v)
{
    j = {{"task", {{"name", v.task.name}, {"source", v.task.source}}},
         {"candidate", v.candidate},
         {"candidate_name", v.candidateName},
         {"device", v.device},
         {"precision", toString(v.precision)},
         {"seed", v.seed},
         {"build_limit_s", v.buildLimit_s}};
}

void from_json(const json& j, KernelsRequest& v)
{
    get(j.at("task"), "name", v.task.name);
    get(j.at("task"), "source", v.task.source);
    get(j, "candidate", v.candidate);
    get(j, "candidate_name", v.candidateName);
    get(j, "device", v.device);
    getKnown(j, "precision", v.precision);
    get(j, "seed", v.seed);
    get(j, "build_limit_s", v.buildLimit_s);
}

void to_json(json& j, const KernelModule& v)
{
    j = {{"kernels", v.kernels}, {"image", base::toBase64(v.image)}, {"image_bytes", v.image_bytes}, {"ptx", v.ptx}, {"sass", v.sass}};
}

void from_json(const json& j, KernelModule& v)
{
    get(j, "kernels", v.kernels);
    get(j, "image_bytes", v.image_bytes);
    get(j, "ptx", v.ptx);
    get(j, "sass", v.sass);
    std::string text;
    get(j, "image", text);
    auto image = base::fromBase64(text);
    if (!image)
        throw json::other_error::create(501, "an image that is no base64", &j);
    v.image = std::move(*image);
}

void to_json(json& j, const Kernels& v)
{
    j = {{"task", v.task}, {"device", v.device}, {"modules", v.modules}, {"notes", v.notes}};
}

void from_json(const json& j, Kernels& v)
{
    get(j, "task", v.task);
    get(j, "device", v.device);
    get(j, "modules", v.modules);
    get(j, "notes", v.notes);
}

} // namespace cudal1::protocol
