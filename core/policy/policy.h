// SPDX-License-Identifier: GPL-3.0-or-later
// The interface between the optimise loop and the policies, which propose variants to it.
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
    std::string origin{};      ///< name of the policy that wrote it first
    std::vector<base::VariantId> shown{}; ///< the exemplars that stood in the prompt which first led to it
};

/// The work that every implementation of the task has to do. A number is 0 where it is not known.
struct LeastWork {
    double flop = 0;                          ///< of the operators as written
    double read_bytes = 0, written_bytes = 0; ///< each input and parameter read once; each result written once
    double parameter_bytes = 0;               ///< of the parameters, as part of read_bytes
    double floor_ns = 0;                      ///< the time to move these bytes at the memory's bandwidth
    double bytesPerSecond = 0;                ///< bandwidth of the device's memory
    bool complete = true;                     ///< false: the list of operators ends early, so `flop` is too low
};

/// What a technique has gained on similar tasks of the project, on the same device model.
struct KnownEffect {
    std::string technique;
    int tasks = 0;       ///< how many tasks have two variants that differ by this technique alone
    base::Interval gain; ///< geometric mean over tasks of time without / time with
};

/// An answer that a policy gave earlier in the present round, and what became of it.
struct PastAnswer {
    base::SampleId sample;
    std::string policy, method; ///< as in Reply
    int turn = 0;
    bool repair = false;
    base::SampleId parent; ///< the answer that this one followed; none for a first one
    std::string prompt, reply, source;
    std::string unusable;                           ///< why it led to no variant; empty where it led to one
    base::VariantId variant;                        ///< none where the answer was unusable or the variant was deleted
    std::optional<protocol::Evaluation> evaluation; ///< the newest on the device, without raw samples
};

/// All that a policy is told when it is asked for proposals.
struct Prompt {
    protocol::TaskSource task;
    std::string taskName;          ///< "GRUBidirectional"
    protocol::OperatorGraph graph; ///< of the reference, measured on `device`
    protocol::DeviceInfo device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::string compiler;            ///< C++ compiler on the evaluator's machine, empty when there is none
    std::vector<Exemplar> exemplars; ///< everything judged so far for this task on this device model, best first
    int round = 0;                   ///< 0 for the first
    int limit = 8;                   ///< the largest number of proposals that are wanted
    int longest = 0;                 ///< characters of a program that is wanted; 0: of any length
    int turn = 0; ///< 0: of the round, 1 and more: about what became of `answers`, see Policy::furtherTurns()
    std::vector<PastAnswer> answers; ///< of this round and run so far, in their order
    std::uint64_t seed = 0;          ///< of the run; a policy that draws by it draws the same when it is asked again
    /// What Listener::arrived was told when this was asked before and did not come to its end: the process was killed.
    std::vector<std::string> arrived;
    // The next three are filled in only for a policy whose readsBackground() is true.
    std::optional<LeastWork> least;
    std::string timeline;             ///< of the best variant, in lines for a reader; empty when there is none
    std::vector<KnownEffect> effects; ///< largest gain first
    std::string cudaCompiler;         ///< nvcc on the evaluator's machine, empty when there is none; always filled in
};

/// What one reply cost, as far as the policy knows.
struct Usage {
    std::optional<std::int64_t> promptTokens; ///< of the whole prompt, also where several replies share it
    std::optional<std::int64_t> replyTokens;
    std::optional<double> cost; ///< of this reply, in `costUnit`, with its share of what the prompt cost
    std::string costUnit;       ///< "USD", "GPU s"
};

/// A reply that a candidate was taken from, with the paper's three sections (section 2.2). A policy gives all of them,
/// also those that are equal: each is stored as a sample of its own, while their common source is judged once.
struct Proposal {
    std::string source;
    std::string performanceAnalysis;
    std::string algorithmDesign;
    std::string codeImplementation;
    std::vector<std::string> techniques; ///< ids of the toggles that are on
    std::string reply; ///< the text as it came; empty for a policy that answers by the fields above alone
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
    std::string version;            ///< of the program, model or checkpoint that the policy is; empty when unknown
    std::string settings; ///< JSON of what it was asked with: {"temperature": 0.8}; empty where there is nothing to set
    std::string policy;   ///< name of the policy that wrote it; empty for the one that was asked
    std::string method;   ///< how it was asked: "contrastive"; empty for a policy with only one way
    base::SampleId parent;              ///< the answer that this is a further turn to; none for a first one
    bool repair = false;                ///< it was asked to mend what `parent` has wrong
    std::vector<base::VariantId> shown; ///< exemplars that stood in the prompt with their sources
    std::vector<std::string> troubles;  ///< what went wrong on the way, a sentence each; the run goes on
    std::vector<Reply> further;         ///< replies to other prompts or of other policies; these have none of their own
    /// What it wrote after its last answer of this round, and how it ended. It is kept behind the reply of that answer.
    std::string closing{};
};

/// What a run does for a policy that asks for it, besides judging what the policy proposes.
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

/// What the caller of Policy::ask() is told. All functions are called on the thread that asked.
struct Listener {
    std::function<void(const std::string& text)>
        partial; ///< called with the text that was added to a reply which is still being written
    std::function<void(base::Result<Reply> reply)> replied; ///< called once, as the last one
    /// Called with what the policy has to wait for before it can answer, as ChatListener has it. May be empty.
    std::function<void(const std::string& text)> waiting{};
    /// Called with each part of the answer that costs to be got again, as soon as it is there, in the policy's own
    /// words. Who keeps it gives it back in Prompt::arrived if the answer as a whole never comes. May be empty.
    std::function<void(const std::string& text)> arrived{};
    Bench* bench = nullptr; ///< good until Policy::released(); null where there is none
};

/// A question that is not answered yet. Destroying it takes the question back; the listener is then told nothing more.
class Question {
public:
    virtual ~Question() = default;
};

class Policy {
public:
    virtual ~Policy() = default;
    /// The name that is stored as the origin of its variants, such as "technique library".
    virtual std::string name() const = 0;
    /// Asks for variants that are not among the exemplars, and returns at once. The reply may come minutes later. It
    /// may also come from within the call, which then may return null.
    virtual std::unique_ptr<Question> ask(const Prompt& prompt, Listener listener) = 0;
    /// How many more times in a round the policy wants to be asked after its answers so far are judged. Each time the
    /// prompt has the `answers` of the round. An empty reply ends the round.
    virtual int furtherTurns() const { return 0; }
    /// Whether it reads the parts of the prompt that take time to gather: least work, timeline and effects.
    virtual bool readsBackground() const { return false; }
    /// Whether it reads the operator graph. Where it does not, the reference is not traced, and the graph is empty.
    virtual bool readsGraph() const { return true; }
    /// The run is over or was stopped, and asks nothing more for now. The policy ends at once what it has kept going
    /// for its next turn.
    virtual void released() {}
    /// Tells the policy how a variant that it proposed was judged.
    virtual void told(const std::string& source, const protocol::Evaluation& evaluation)
    {
        static_cast<void>(source);
        static_cast<void>(evaluation);
    }
};

/// A policy that answers within milliseconds, by overriding propose().
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
