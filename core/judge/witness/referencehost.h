// SPDX-License-Identifier: GPL-3.0-or-later
// A process that holds a task: it draws the task's inputs and runs its reference.
#pragma once

#include "core/judge/capture/capturehost.h"
#include "core/judge/witness/expectedtrials.h"
#include "core/judge/witness/inputfamily.h"
#include "core/judge/witness/keptelsewhere.h"
#include "core/judge/witness/secretcall.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::judge {

/// What the witness is before it judges anybody. The parts of the witness (PresentCall, CallMaker, Trial and others)
/// keep a reference to it. It also answers what is asked of a task alone: its graph, its facts, an arena without a
/// task.
///
/// All members are used from the process's main thread. They throw Refusal for a finding against the task, PythonError
/// for what its code throws, and other exceptions when the process cannot go on.
class ReferenceHost : public CaptureHost {
public:
    /// `memoryFile` holds the arena on the CPU; it stays the caller's. `folder` is the process's own.
    ReferenceHost(int memoryFile, std::string folder);

    /// The operator graph of a task, which takes the place of the one before.
    TraceTask::Reply trace(const TraceTask& request);
    /// Constructs the module of the task that ran last on the CPU, without an arena: its calls can be looked at, and
    /// nobody can be judged by them. Every call gets copies of its inputs.
    void loadOnCpu(std::uint64_t seed);
    void dropModel() { m_model = {}; }
    /// The tensors among what get_inputs() returns under this seed, contiguous, on the device.
    std::vector<at::Tensor> draw(std::uint64_t seed);
    /// One forward of the reference; waits for the device. The inputs are left unchanged; where the reference is known
    /// to write into them, `left` gets what it leaves there.
    std::vector<at::Tensor> runReference(const std::vector<at::Tensor>& inputs, std::uint64_t seed,
                                         std::vector<at::Tensor>* left = nullptr);
    /// The same in double precision, by a copy of the module, as asReal() has it; behind the results, where the
    /// reference is known to write into its inputs, what it leaves in each of them. Without a value where the reference
    /// does not run so; `why` then has Python's words. It takes about four times the memory of a call.
    std::optional<std::vector<at::Tensor>> runInDouble(const std::vector<at::Tensor>& inputs, std::uint64_t seed,
                                                       std::string& why);
    /// What these calls leave, in double precision, in the buffers of the layout, beginning with those that the module
    /// has now; as asReal() has it. Empty where the reference does not run so.
    std::vector<at::Tensor> buffersInDouble(const std::vector<SecretCall>& calls);
    at::Tensor buffer(const std::string& name) const; ///< of the module's; there must be one
    void rebuild(std::uint64_t seed);                 ///< constructs the module again, under another seed

    const std::vector<InputTraits>& traits() const { return m_traits; } ///< of each input that is a tensor
    double call_ns() const { return m_call_ns; } ///< the shortest of its calls in runReference(); infinite before one
    /// A call takes so long on the CPU that calls which may not be needed are not made before they are.
    bool hasLongCalls() const { return m_device.is_cpu() && m_first_ns > 100e6; }
    /// Whether it gives the same results for the same inputs in every call, as far as that is known: it draws no random
    /// numbers, nothing of it changes, and no result is a weight. Only asked on the CPU; elsewhere false.
    bool isRepeatable() const;
    /// What the next call computes with. Weights are looked at when they have changed.
    const ReferenceState& state();
    void weightsChanged() { m_weightsKnown = false; }
    bool ieee() const { return m_ieee; } ///< the precision setting is "ieee": no TF32, tighter tolerance
    /// The reference writes into its inputs, as far as is known. What finds that it does says so.
    bool modifiesInputs() const { return m_modifiesInputs; }
    void setModifiesInputs() { m_modifiesInputs = true; }
    /// The flags (StepFlag) that every call of this task gets: SeedFirst where the reference draws random numbers.
    std::uint32_t callFlags() const;
    /// Makes the first call again, after others, and looks at what the model keeps. Call it while the reference has its
    /// first weights. Throws Refusal where the result is another one. Does nothing once the module was constructed
    /// again.
    RepeatFirstCall::Reply repeatFirstCall();

protected:
    /// Loads the task, makes its first call twice, and makes the arena. Call it once.
    LoadTask::Reply loadTask(const LoadTask& request);
    /// Runs the task file as a module and asks it for the constructor's arguments.
    void runTask(const std::string& source);
    /// What get_inputs() returns under this seed, with the tensors created on the device.
    std::vector<PyRef> drawArguments(std::uint64_t seed);

    PyRef m_task; ///< the module that the task file became
    PyRef m_initInputs;
    std::vector<InputTraits> m_traits;
    bool m_modifiesInputs = false;
    bool m_ieee = false;
    double m_first_ns = 0;
    double m_call_ns = std::numeric_limits<double>::infinity(); ///< call_ns()
    std::optional<SecretCall> m_firstCall; ///< of loadTask(), with its results; of long calls, where isRepeatable()
    ReferenceState m_state;
    bool m_weightsKnown = false; ///< m_state.weights is that of the present ones

private:
    DeriveFacts::Reply facts(const DeriveFacts& request);
    OfferArena::Reply offerArena(const OfferArena& request);
    /// Gives each result of the first call a place in the arena, from `offset` bytes on.
    void placeOutputs(const std::vector<at::Tensor>& results, const std::vector<at::Tensor>& arguments,
                      std::size_t& offset);
    /// What is needed to make the first call again, and to see what changes with calls.
    struct Repeatable {
        std::uint64_t seed = 0;
        std::vector<std::uint64_t> inputs; ///< fingerprints: inputs may not follow from the seed
        std::vector<at::Tensor> results;   ///< some elements of each
        std::map<std::string, KeptTensor> kept;
        bool wasRepeated = false; ///< after other calls
    };
    void keepForRepeating(std::uint64_t seed, const std::vector<at::Tensor>& inputs,
                          const std::vector<at::Tensor>& results);
    PyRef findKept();                                                      ///< what kept() of keptelsewhere.py finds
    std::map<std::string, KeptTensor> keptAmong(const PyRef& found) const; ///< without the buffers that are compared
    /// Throws Refusal where these are not the results of the first call.
    void requireFirstResults(const std::vector<at::Tensor>& again) const;
    void keepFirst(std::vector<at::Tensor> inputs, std::vector<at::Tensor> results, const WithoutLastOnes& withoutLast);
    /// Gives each buffer that is no longer what it was a place in the arena, from `offset` bytes on.
    void placeBuffers(const std::vector<std::pair<std::string, at::Tensor>>& before, std::size_t& offset);
    /// The paths of special weights that are not among weights(): whole numbers, and of findKept() what no module has
    /// registered.
    std::string findUnvaried(const PyRef& found);
    void placeWeights(std::size_t& offset); ///< gives each weight a place in the arena, from `offset` bytes on
    /// Makes the first call again, with the present arguments: whether it advances the framework's random generators.
    /// Throws Refusal where its results are others than the first ones. `withoutLast`: that of CallFacts,
    /// where calls are long.
    bool drawsAtRandom(std::uint64_t seed, WithoutLastOnes& withoutLast);
    /// The same inputs, or copies where the reference would write into them.
    std::vector<at::Tensor> inputsOfItsOwn(const std::vector<at::Tensor>& inputs) const;

    /// doubling.py's mode, for a module with these inputs
    PyRef doubling(const std::vector<at::Tensor>& inputs);

    std::optional<Repeatable> m_repeatable;
    PyRef m_keptFinder; ///< keptelsewhere.py; loaded when it is first needed
    PyRef m_factsMaker; ///< facts.py; loaded when it is first needed
    PyRef m_doubling;   ///< doubling.py; loaded when it is first needed
};

} // namespace cudal1::judge
