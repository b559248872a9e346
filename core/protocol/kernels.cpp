// SPDX-License-Identifier: GPL-3.0-or-later
// JSON of captured kernels; images are base64.
#include "core/protocol/kernels.h"

#include "core/base/base64.h"
#include "core/protocol/fields.h"

namespace cudal1::protocol {

namespace {

template<class Bytes> struct Base64 {
    Bytes& bytes;
};
template<class Bytes> Base64(Bytes&) -> Base64<Bytes>;

void to_json(json& j, const Base64<const std::string>& v)
{
    j = base::toBase64(v.bytes);
}

void from_json(const json& j, Base64<std::string>& v)
{
    auto bytes = base::fromBase64(j.get<std::string>());
    if (!bytes)
        throw json::other_error::create(501, "an image that is no base64", &j);
    v.bytes = std::move(*bytes);
}

} // namespace

void fields(auto& io, Is<KernelsRequest> auto& v)
{
    io.required("task", v.task);
    io("candidate", v.candidate);
    io("candidate_name", v.candidateName);
    io("device", v.device);
    io.strict("precision", v.precision);
    io("seed", v.seed);
    io("build_limit_s", v.buildLimit_s);
}
CUDAL1_JSON(KernelsRequest)

void fields(auto& io, Is<KernelModule> auto& v)
{
    io("kernels", v.kernels);
    io("image_bytes", v.image_bytes);
    io("ptx", v.ptx);
    io("sass", v.sass);
    io("image", Base64{v.image});
}
CUDAL1_JSON(KernelModule)

void fields(auto& io, Is<Kernels> auto& v)
{
    io("task", v.task);
    io("device", v.device);
    io("modules", v.modules);
    io("notes", v.notes);
}
CUDAL1_JSON(Kernels)

} // namespace cudal1::protocol
