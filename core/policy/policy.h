// SPDX-License-Identifier: GPL-3.0-or-later
// What proposes variants: the seam between the optimise loop and its sources of candidates.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/protocol/messages.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudal1::policy {

/// An earlier variant with its score, as a policy sees it.
struct Exemplar {
    std::string source;
    std::vector<std::string> techniques;
    protocol::Verdict verdict = protocol::Verdict::ReferenceFailed;
    base::Interval wall;       ///< invalid when not timed
    std::string reason;        ///< text of the first reason when not correct
    base::VariantId variant{}; ///< its number in the project, older ones having smaller numbers; none where it has none
    std::string origin{};      ///< of the policy that wrote it first
    std::vector<base::VariantId> shown{}; ///< the exemplars of the prompt that led to it first
};

/// What any implementation of the task has to do at least; 0: not known.
struct LeastWork {
    double flop = 0;                          ///< of the operators as written
    double read_bytes = 0, written_bytes = 0; ///< inputs and parameters once; results once
    double parameter_bytes = 0;               ///< part of what is read
    double floor_ns = 0;                      ///< no correct call is faster: the bytes at `bytesPerSecond`
    double bytesPerSecond = 0;                ///< of the device's memory
    bool complete = true;                     ///< false: the list of operators ends early, so `flop` is too low
};

/// What a technique has brought on other tasks of the project that compute similar things, on the same device model.
struct KnownEffect {
    std::string technique;
    int tasks = 0;       ///< that it was tried on, with a variant beside it that differs by it alone
    base::Interval gain; ///< geometric mean over tasks of time without / time with
};

/// What a policy has answered earlier in the round that it is asked about, and what became of it.
struct PastAnswer {
    base::SampleId sample;
    std::string policy, method; ///< as in Reply
    int turn = 0;
    bool repair = false;
    base::SampleId parent; ///< the answer that this one followed; none for a first one
    std::string prompt, reply, source;
    std::string unusable;                           ///< why it led to no variant; empty where it led to one
    base::VariantId variant;                        ///< none: unusable, or deleted since
    std::optional<protocol::Evaluation> evaluation; ///< the newest on the device, without raw samples
};

/// What a policy is asked with.
struct Prompt {
    protocol::TaskSource task;
    std::string taskName;          ///< "GRUBidirectional"
    protocol::OperatorGraph graph; ///< of the reference, measured on `device`
    protocol::DeviceInfo device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::string compiler;            ///< C++ compiler on the evaluator's machine, empty when there is none
    std::vector<Exemplar> exemplars; ///< everything judged so far for this task on this device model, best first
    int round = 0;                   ///< 0 for the first
    int limit = 8;                   ///< at most so many proposals
    int turn = 0; ///< 0: of the round, 1 and more: about what became of `answers`, see Policy::furtherTurns()
    std::vector<PastAnswer> answers; ///< of this round and run so far, in their order
    std::uint64_t seed = 0;          ///< of the run; what a policy draws by it is drawn again alike
    // The rest is for a policy that readsBackground().
    std::optional<LeastWork> least;
    std::string timeline;             ///< of the best variant, in lines for a reader; empty when there is none
    std::vector<KnownEffect> effects; ///< largest gain first
    std::string cudaCompiler;         ///< nvcc on the evaluator's machine, empty when there is none
};

/// What one reply took, as far as the policy knows it.
struct Usage {
    std::optional<std::int64_t> promptTokens; ///< of the whole prompt, in each of the replies that share it
    std::optional<std::int64_t> replyTokens;
    std::optional<double> cost; ///< of this reply, in `costUnit`; what was paid for a shared prompt is divided
    std::string costUnit;       ///< "USD", "GPU s"
};

/// A reply that a candidate was taken from, with the paper's three sections (section 2.2). Equal ones are all given:
/// each is a sample of its own, and their source is judged once.
struct Proposal {
    std::string source;
    std::string performanceAnalysis;
    std::string algorithmDesign;
    std::string codeImplementation;
    std::vector<std::string> techniques; ///< ids of the toggles that are on
    std::string reply; ///< as it came, of a policy that answers in text; empty where the fields above are all
    Usage usage{};
};

/// A reply that no candidate could be taken from.
struct Unusable {
    std::string reply; ///< as it came
    std::string why;   ///< one sentence for a person: "It has no block of code."; never empty
    Usage usage{};
};

/// A technique that was not used, and why.
struct Declined {
    std::string technique; ///< id
    std::string why;       ///< one sentence from facts of this graph
};

/// All that came back to one question. Every proposal and every unusable reply is kept as a sample of one group.
struct Reply {
    std::vector<Proposal> proposals; ///< most promising first
    std::vector<Declined> declined;
    std::string prompt; ///< what was sent, by a policy that asks in text; empty where the Prompt itself was read
    std::vector<Unusable> unusable; ///< nothing is left to try when there are neither these nor proposals
    std::string version;            ///< of the policy: of a program, a model, a checkpoint; empty when unknown
    std::string settings; ///< JSON of what it was asked with: {"temperature": 0.8}; empty where there is nothing to set
    std::string policy;   ///< who wrote it: Policy::name(); empty: the one that was asked
    std::string method;   ///< how it was asked: "contrastive"; empty for a policy that knows one way alone
    base::SampleId parent;              ///< the answer that this is a further turn to; none for a first one
    bool repair = false;                ///< it was asked to mend what `parent` has wrong
    std::vector<base::VariantId> shown; ///< exemplars that stood in the prompt with their sources
    std::vector<std::string> troubles;  ///< what went wrong on the way, a sentence each; the run goes on
    std::vector<Reply> further;         ///< to other prompts: of other policies, or to other answers. One level only.
    /// What it wrote after its last answer of this round, and how it ended: kept behind the reply of that answer.
    std::string closing{};
};

/// What a policy may have done for it while its run goes on, besides the judging of what it proposes.
class Bench {
public:
    virtual ~Bench() = default;
    /// Two variants of the run's task against each other, as JSON. NotFound for another variant, InvalidArgument for
    /// one that was not judged.
    virtual base::Result<std::string> compare(base::VariantId first, base::VariantId second) = 0;
    /// What takes the time in a few calls of the reference and of a program, as JSON. Returns at once; `then` is called
    /// once from the event loop. Nothing is called once the question is destroyed.
    virtual std::unique_ptr<class Question> timeline(const std::string& source,
                                                     std::function<void(base::Result<std::string>)> then) = 0;
    /// Files that belong to the run alone, which nothing that a policy starts may open.
    virtual std::vector<std::string> privateFiles() const = 0;
};

/// Who asked. All are called on the thread that asked.
struct Listener {
    std::function<void(const std::string& text)>
        partial; ///< what has been added to a reply that is still being written
    std::function<void(base::Result<Reply> reply)> replied; ///< once; nothing follows
    /// What is waited for before it can answer, as ChatListener has it; may be empty.
    std::function<void(const std::string& text)> waiting{};
    Bench* bench = nullptr; ///< good until Policy::released(); null where there is none
};

/// A question on its way. Destroying it takes the question back: nothing is told to the listener any more.
class Question {
public:
    virtual ~Question() = default;
};

class Policy {
public:
    virtual ~Policy() = default;
    /// "technique library"; the origin stored with its variants.
    virtual std::string name() const = 0;
    /// Asks for variants that are not among the exemplars. Returns at once; the reply may come minutes later, or from
    /// within the call, and then null may be returned.
    virtual std::unique_ptr<Question> ask(const Prompt& prompt, Listener listener) = 0;
    /// How many more times a round it wants to be asked, once its answers of the round are judged. Each time the prompt
    /// has the round's `answers`; an empty reply ends the round.
    virtual int furtherTurns() const { return 0; }
    /// Whether it reads what the prompt says of the least work, the timeline and the effects, which takes time to
    /// gather.
    virtual bool readsBackground() const { return false; }
    /// The run is over or stopped, and asks no more for now: what was kept going for its next turn ends, at once.
    virtual void released() {}
    /// A variant that it has proposed was judged.
    virtual void told(const std::string& source, const protocol::Evaluation& evaluation)
    {
        static_cast<void>(source);
        static_cast<void>(evaluation);
    }
};

/// One that needs milliseconds.
class InstantPolicy : public Policy {
public:
    virtual Reply propose(const Prompt& prompt) = 0;
    std::unique_ptr<Question> ask(const Prompt& prompt, Listener listener) final
    {
        listener.replied(propose(prompt));
        return nullptr;
    }
};

} // namespace cudal1::policy
