// SPDX-License-Identifier: GPL-3.0-or-later
// What every process with a module has: the module, its arguments, the shared memory, the table of what it answers.
#pragma once

#include "core/judge/module/arena.h"
#include "core/judge/module/cacheflush.h"
#include "core/judge/module/devicekernels.h"
#include "core/judge/module/torchsupport.h"
#include "core/judge/wire/modulemessages.h"

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
    ModuleHost(int memoryFile, std::string folder);
    virtual ~ModuleHost() = default;

    /// Answers one request, or throws (Refusal, PythonError, c10::Error, std::exception).
    nlohmann::json handle(const nlohmann::json& request, Descriptors& descriptors)
    {
        return m_requests.answer(request, descriptors);
    }

    // What the parts of a process need of it. A part is a member of its host and keeps a reference to it.
    const c10::Device& device() const { return m_device; }
    const std::string& deviceName() const { return m_deviceName; } ///< "cpu", "cuda:0"; "meta" for what is not run
    const ArenaLayout& layout() const { return m_layout; }
    const Arena& arena() const { return m_arena; }
    const DeviceKernels& kernels() const { return *m_kernels; } ///< there are none before useDevice()
    /// Arguments of the next call: these tensors in the places of the inputs that are tensors, and the literals.
    void makeArguments(const std::vector<at::Tensor>& tensors);
    PyRef callWithArguments(const PyRef& callable) const;
    PyRef forward() const { return callWithArguments(m_model); } ///< calls the module with these arguments
    std::vector<at::Tensor> arenaInputs() const;                 ///< fresh views of the inputs in the shared memory
    bool inArena(const at::Tensor& tensor) const;
    /// Parameters and running statistics that have a natural scale, by name; both sides name them alike or not at all.
    std::vector<std::pair<std::string, at::Tensor>> weights() const;
    /// Whether other values on a scale can be drawn for it: it is of floating or complex numbers.
    static bool isOfNumbers(const at::Tensor& tensor);
    /// Parameters ("named_parameters") or buffers ("named_buffers") that are tensors, by name. Empty for what is no
    /// module of the framework. Runs no code of the module.
    std::vector<std::pair<std::string, at::Tensor>> namedTensors(const char* method) const
    {
        return namedTensorsOf(m_model, method);
    }
    static std::vector<std::pair<std::string, at::Tensor>> namedTensorsOf(const PyRef& model, const char* method);
    std::vector<at::Tensor> parametersAndBuffers() const; ///< all of the module's, of whatever type
    PrecisionFlags flags() const;

protected:
    /// Writes the source into this subject's folder, so that tools which read source find it, and runs it as a module.
    PyRef runSource(const std::string& name, const std::string& source);
    /// `namespaceOf(className)(*arguments).to(device)` under the seed.
    void construct(const PyRef& module, const char* className, const PyRef& arguments, std::uint64_t seed);
    void useDevice(const std::string& device, const std::string& kernels = {});

    Requests m_requests;
    int m_memoryFile;
    std::string m_folder;
    std::string m_deviceName = "cpu";
    c10::Device m_device{c10::kCPU};
    Arena m_arena;
    ArenaLayout m_layout;
    std::unique_ptr<DeviceKernels> m_kernels;
    PyRef m_model;
    PyRef m_arguments;
};

/// Sets what a precision setting means: "kernelbench" leaves the framework's defaults, "ieee" forbids TF32, "tf32"
/// allows it.
void applyPrecision(const std::string& mode);
void setFlags(const PrecisionFlags& flags);

} // namespace cudal1::judge
