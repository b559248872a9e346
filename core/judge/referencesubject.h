// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a task's reference: draws inputs, knows the expected result, compares. Trusted code.
#pragma once

#include "core/judge/inputfamily.h"
#include "core/judge/modulehost.h"

#include <map>

namespace cudal1::judge {

class ReferenceSubject : public ModuleHost {
public:
    using ModuleHost::ModuleHost;
    nlohmann::json handle(const nlohmann::json& request) override;

protected:
    void keepLast(const PyRef& result) override;

private:
    /// What a family does to this task: whether it can be used, and what rounding of its inputs does to the result.
    struct FamilyFacts {
        bool usable = true;
        std::string why;
        std::vector<double> slack; ///< per output
    };

    nlohmann::json loadTask(const nlohmann::json& request);
    nlohmann::json prepare(const nlohmann::json& request);
    nlohmann::json compare();
    nlohmann::json trace(const nlohmann::json& request);
    nlohmann::json inspect(const nlohmann::json& request);

    void runTask(const nlohmann::json& request); ///< source, constructor arguments, model
    std::vector<PyRef> drawArguments(std::uint64_t seed); ///< get_inputs, drawn on the device
    void drawInputs(std::uint64_t seed, const std::string& family);
    void writeInputs(const std::vector<at::Tensor>& inputs);
    std::vector<at::Tensor> runReference(std::uint64_t seed);
    void poisonOutputs();
    FamilyFacts measureFamily(const std::string& family, std::uint64_t seed, const std::vector<at::Tensor>& expected);

    PyRef m_task;              ///< the module that the task file became
    PyRef m_initInputs;
    std::vector<at::Tensor> m_drawn;    ///< this trial's tensor inputs, out of the candidate's reach
    std::vector<InputTraits> m_traits;
    std::vector<at::Tensor> m_expected; ///< results for m_drawn
    std::map<std::string, FamilyFacts> m_families;
    std::string m_family;
    std::string m_outputKind;
    bool m_modifiesInputs = false;
    bool m_ieee = false;
};

} // namespace cudal1::judge
