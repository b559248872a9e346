// SPDX-License-Identifier: GPL-3.0-or-later
// What reference and candidate subjects have in common: a module, its arguments in the arena, its clock, its flags.
#pragma once

#include "core/judge/arena.h"
#include "core/judge/callclock.h"
#include "core/judge/torchsupport.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace cudal1::judge {

/// A finding that is an answer, not an accident: becomes {"ok": false, "code", "text", "evidence"}.
struct Refusal : std::runtime_error {
    Refusal(std::string reasonCode, const std::string& text, std::string reasonEvidence = {})
        : std::runtime_error(text), code(std::move(reasonCode)), evidence(std::move(reasonEvidence))
    {
    }
    std::string code, evidence;
};

class ModuleHost {
public:
    ModuleHost(int memoryFile, std::string folder) : m_memoryFile(memoryFile), m_folder(std::move(folder)) {}
    virtual ~ModuleHost() = default;

    /// Answers one request, or throws (Refusal, PythonError, c10::Error, std::exception).
    virtual nlohmann::json handle(const nlohmann::json& request);

protected:
    /// Writes the source into this subject's folder, so that tools which read source find it, and runs it as a module.
    PyRef runSource(const std::string& name, const std::string& source);
    /// `namespaceOf(className)(*arguments).to(device)` under the seed.
    void construct(const PyRef& module, const char* className, const PyRef& arguments, std::uint64_t seed);
    void useDevice(const std::string& device, const std::string& kernels = {});
    void joinArena(const nlohmann::json& request); ///< the reference's; uses its device
    void takeLayout(const nlohmann::json& request); ///< inputs, outputs and precision, as the reference has them
    void makeArguments(); ///< fresh views of the arena, and the literals
    PyRef forward();
    /// Tensors of a timed result. The candidate's side refuses one of another kind, shape, type or device.
    virtual std::vector<at::Tensor> resultOf(const PyRef& result) const;
    /// Copies a timed result to where the reference's side finds it, in the order of the current stream.
    virtual void keep(std::uint64_t index, const std::vector<at::Tensor>& result) = 0;
    /// Which calls of a round are kept: at once, in the order of the stream, or when the device is idle; `seen` calls
    /// of the round could have been kept so far, this one among them.
    virtual bool keepsInOrder(std::uint64_t index, double lastCall_ns) const = 0;
    virtual bool keepsAfterwards(std::uint64_t index, std::uint64_t seen) const = 0;

    bool inInputs(const at::Tensor& tensor) const; ///< a view of an input, and of nothing else of the arena
    void refreshInputs(std::uint64_t key, std::uint64_t index); ///< writes what call `index` gets
    void patchInputs(std::uint64_t key, std::uint64_t index);   ///< and what it gets at the last moment
    std::vector<std::uint64_t> inputFingerprints() const;

    /// Parameters and running statistics that have a natural scale, by name; both sides name them alike or not at all.
    std::vector<std::pair<std::string, at::Tensor>> weights() const;

    /// The precision that this process computes with, for labels: {"text", "matmul", "conv", "matched_key"}.
    nlohmann::json flags() const;

    int m_memoryFile;
    std::string m_folder;
    std::string m_deviceName = "cpu";
    c10::Device m_device{c10::kCPU};
    Arena m_arena;
    std::vector<TensorSpec> m_inputs, m_outputs;
    std::ptrdiff_t m_baseOffset = 0; ///< from an input to what its fresh contents are made of
    std::uint64_t m_roundKey = 0;
    bool m_keepFirst = false; ///< the reference keeps the first timed result: calls so long that none is made twice
    std::unique_ptr<DeviceKernels> m_kernels;
    PyRef m_model;
    PyRef m_arguments;
    std::unique_ptr<CallClock> m_clock;

private:
    class Calls;
    nlohmann::json round(const nlohmann::json& request);
    nlohmann::json ready(const nlohmann::json& request); ///< everything of one call but the call
    nlohmann::json go();                                 ///< the call, with nothing around it
    nlohmann::json busy(const nlohmann::json& request);
    nlohmann::json timeline(const nlohmann::json& request);
};

/// Sets what a precision setting means: "kernelbench" leaves the framework's defaults, "ieee" forbids TF32, "tf32" allows it.
void applyPrecision(const std::string& mode);
void setFlags(const nlohmann::json& flags); ///< as flags() gave them, of another process

} // namespace cudal1::judge
