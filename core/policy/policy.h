// SPDX-License-Identifier: GPL-3.0-or-later
// What proposes variants: the seam between the optimise loop and its sources of candidates.
#pragma once

#include "core/base/result.h"
#include "core/base/statistics.h"
#include "core/protocol/messages.h"

#include <functional>
#include <memory>
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
    std::string taskName;            ///< "GRUBidirectional"
    protocol::OperatorGraph graph;   ///< of the reference, measured on `device`
    protocol::DeviceInfo device;
    protocol::Precision precision = protocol::Precision::Kernelbench;
    std::string compiler;            ///< C++ compiler on the evaluator's machine, empty when there is none
    std::vector<Exemplar> exemplars; ///< everything judged so far for this task on this device model, best first
    int round = 0;                   ///< 0 for the first
    int limit = 8;                   ///< at most so many proposals
};

/// One candidate with its three sections (paper, section 2.2).
struct Proposal {
    std::string source;
    std::string performanceAnalysis;
    std::string algorithmDesign;
    std::string codeImplementation;
    std::vector<std::string> techniques; ///< ids of the toggles that are on
    std::string reply;                   ///< as it came, of a policy that answers in text; empty where the fields above are all
};

/// A technique that was not used, and why.
struct Declined {
    std::string technique; ///< id
    std::string why;       ///< one sentence from facts of this graph
};

struct Reply {
    std::vector<Proposal> proposals; ///< most promising first; empty when nothing is left to try
    std::vector<Declined> declined;
    std::string prompt; ///< what was sent, by a policy that asks in text; empty where the Prompt itself was read
};

/// Who asked. Both are called on the thread that asked.
struct Listener {
    std::function<void(const std::string& text)> partial;     ///< what has been added to a reply that is still being written
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
    /// Asks for variants that are not among the exemplars. Returns at once; the reply may come minutes later, or from within the call, and
    /// then null may be returned.
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
