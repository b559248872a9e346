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
    void useDevice(const std::string& device);
    void makeArguments(); ///< fresh views of the arena, and the literals
    PyRef forward();
    /// Called after a round with the result of its last call.
    virtual void keepLast(const PyRef& result) = 0;

    /// The precision that this process computes with, for labels: {"text", "matmul", "conv", "matched_key"}.
    nlohmann::json flags() const;

    int m_memoryFile;
    std::string m_folder;
    std::string m_deviceName = "cpu";
    c10::Device m_device{c10::kCPU};
    Arena m_arena;
    std::vector<TensorSpec> m_inputs, m_outputs;
    PyRef m_model;
    PyRef m_arguments;
    std::unique_ptr<CallClock> m_clock;

private:
    nlohmann::json round(const nlohmann::json& request);
    nlohmann::json busy(const nlohmann::json& request);
};

/// Sets what a precision setting means: "kernelbench" leaves the framework's defaults, "ieee" forbids TF32, "tf32" allows it.
void applyPrecision(const std::string& mode);
void setFlags(const nlohmann::json& flags); ///< as flags() gave them, of another process

} // namespace cudal1::judge
