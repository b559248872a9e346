// SPDX-License-Identifier: GPL-3.0-or-later
// What proposes variants: the seam between the optimise loop and its sources of candidates.
#pragma once

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
    base::Interval wall; ///< invalid when not timed
    std::string reason;  ///< text of the first reason when not correct
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
};

/// Who asked. Both are called on the thread that asked.
struct Listener {
    std::function<void(const std::string& text)>
        partial; ///< what has been added to a reply that is still being written
    std::function<void(base::Result<Reply> reply)> replied; ///< once; nothing follows
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
