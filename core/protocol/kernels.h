// SPDX-License-Identifier: GPL-3.0-or-later
// The device code of a candidate's own kernels, as its process loaded it.
//
// It is captured in the process of the module that it shows, so like a timeline it explains and is no evidence.
#pragma once

#include "core/protocol/messages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cudal1::protocol {

struct KernelsRequest {
    TaskSource task;
    std::string candidate;     ///< Python source that defines ModelNew
    std::string candidateName; ///< file name for a person
    std::string device = "cuda:0";
    Precision precision = Precision::Kernelbench;
    std::uint64_t seed = 0; ///< 0 draws one
    double buildLimit_s = 300;
};

/// One module that a process loaded into a device's context.
struct KernelModule {
    std::vector<std::string> kernels; ///< names of its entries as they stand in the image, mangled
    std::string image; ///< cubin, an ELF file for one architecture; empty where it is larger than maxImage_bytes
    std::int64_t image_bytes = 0; ///< of the whole image
    std::string
        ptx; ///< text, where the driver was given it or a compiler left it in the candidate's folder; else empty
    std::string sass; ///< as nvdisasm prints it; empty where the evaluator's machine has none
    static constexpr std::size_t maxImage_bytes = 4 << 20;
    static constexpr std::size_t maxPtx_bytes = 1 << 20;
};

/// The answer to a KernelsRequest, of type "kernels".
struct Kernels {
    std::string task;
    DeviceInfo device;
    std::vector<KernelModule> modules; ///< in the order in which they were loaded; without the framework's
    std::vector<std::string> notes;    ///< what is not there, and why; for a person
    static constexpr std::size_t maxModules = 64;
    static constexpr std::size_t maxAll_bytes = 16 << 20; ///< images of all modules
};

void to_json(nlohmann::json& j, const KernelsRequest& v);
void from_json(const nlohmann::json& j, KernelsRequest& v);
void to_json(nlohmann::json& j, const KernelModule& v);
/// Throws json::exception for an image that is no base64.
void from_json(const nlohmann::json& j, KernelModule& v);
void to_json(nlohmann::json& j, const Kernels& v);
void from_json(const nlohmann::json& j, Kernels& v);

} // namespace cudal1::protocol
