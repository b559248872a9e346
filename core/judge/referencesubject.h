// SPDX-License-Identifier: GPL-3.0-or-later
// The subject that holds a task's reference: draws inputs, knows the expected result, compares. Trusted code.
#pragma once

#include "core/judge/comparison.h"
#include "core/judge/inputfamily.h"
#include "core/judge/modulehost.h"
#include "core/judge/nullcandidates.h"

#include <functional>
#include <map>
#include <optional>

namespace cudal1::judge {

class ReferenceSubject : public ModuleHost {
public:
    using ModuleHost::ModuleHost;
    nlohmann::json handle(const nlohmann::json& request) override;

protected:
    void keep(std::uint64_t index, const std::vector<at::Tensor>& result) override;
    bool keepsInOrder(std::uint64_t, double) const override { return false; }
    bool keepsAfterwards(std::uint64_t, std::uint64_t seen) const override { return m_keepFirst && seen == 1; }

private:
    /// How far a result may be from the reference's; see comparison.h.
    struct Bound {
        double tolerance = 0, slack = 0;
    };
    struct Comparison {
        Bound bound; ///< that the difference was held against
        Difference difference;
    };
    /// What a family does to this task: whether it can be used, and what rounding does to the result.
    struct FamilyFacts {
        bool usable = true;
        std::string why;
        std::vector<Bound> bounds; ///< per output
    };

    nlohmann::json loadTask(const nlohmann::json& request);
    nlohmann::json prepare(const nlohmann::json& request);
    nlohmann::json compare(const nlohmann::json& request);
    nlohmann::json verify(const nlohmann::json& request);
    nlohmann::json reweigh(const nlohmann::json& request);
    nlohmann::json oracle(const nlohmann::json& request);
    nlohmann::json inputBytes(const nlohmann::json& request);
    nlohmann::json bandwidth() const;
    nlohmann::json trace(const nlohmann::json& request);
    nlohmann::json inspect(const nlohmann::json& request);
    nlohmann::json facts(const nlohmann::json& request);

    void runTask(const nlohmann::json& request); ///< source, constructor arguments, model
    std::vector<PyRef> drawArguments(std::uint64_t seed); ///< get_inputs, drawn on the device
    void drawInputs(std::uint64_t seed, const std::string& family);
    /// Into the inputs that calls see, or into what timed calls' contents are made of.
    void writeInputs(const std::vector<at::Tensor>& inputs, bool asBase = false);
    /// The first input whose memory has other bytes than were drawn; or of what timed calls' contents are made of.
    std::optional<std::size_t> changedInput(bool base = false) const;
    double compareOutputs(const std::string& inputs); ///< largest relative error; throws Refusal
    void tryNulls(); ///< on the trial that was prepared last
    void placeWeights(std::size_t& offset);
    void writeWeights();
    std::vector<at::Tensor> runReference(std::uint64_t seed);
    void poisonOutputs();
    FamilyFacts measureFamily(const std::string& family, std::uint64_t seed, const std::vector<at::Tensor>& expected);
    std::vector<double> movedByRounding(std::uint64_t seed, const std::vector<at::Tensor>& expected);
    Comparison compareOutput(std::size_t output, const at::Tensor& actual); ///< with the present trial's
    std::vector<at::Tensor> againIn(const char* precision);
    std::vector<double> missedByOtherPrecisions();
    std::vector<double> movedByOperators();
    Bound boundOf(std::size_t output, c10::ScalarType type) const; ///< with the present family

    PyRef m_task;              ///< the module that the task file became
    PyRef m_initInputs;
    PyRef m_factsMaker;        ///< the module that derives facts, once they were asked for
    PyRef m_rounding;          ///< the module that rounds otherwise, likewise
    std::vector<at::Tensor> m_drawn;    ///< this trial's tensor inputs, out of the candidate's reach
    std::vector<InputTraits> m_traits;
    std::vector<at::Tensor> m_expected; ///< results of the present trial
    std::function<std::vector<at::Tensor>()> m_again; ///< the reference once more, on the present trial's inputs
    std::vector<double> m_missed; ///< by other precisions in the present trial, per output; empty until it is asked for
    std::vector<double> m_moved;  ///< by operators that round otherwise, likewise
    std::vector<at::Tensor> m_kept;     ///< of the round's first timed call
    std::uint64_t m_keptIndex = 0;
    std::vector<NamedWeight> m_weights;
    std::vector<at::Tensor> m_initialWeights;
    std::map<std::string, FamilyFacts> m_initialFamilies; ///< while other weights are in place
    NullCandidates m_nulls;
    std::map<std::string, FamilyFacts> m_families;
    std::string m_family;
    bool m_modifiesInputs = false;
    bool m_ieee = false;
};

} // namespace cudal1::judge
