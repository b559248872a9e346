// SPDX-License-Identifier: GPL-3.0-or-later
// Continuous batching: replies join a running batch when there is room, and leave it when they end.
#pragma once

#include "core/decoder/blockpool.h"
#include "core/decoder/sampler.h"
#include "core/decoder/steprunner.h"
#include "core/decoder/team.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::decoder {

/// Replies to one prompt: a group. The prompt is computed once for all of them.
struct GroupRequest {
    std::uint64_t id = 0;
    std::vector<int> prompt; ///< at least one token
    std::size_t replies = 1;
    std::size_t maxTokens = 0; ///< of a reply; prompt and reply must fit the context
    TokenSampling drawing;     ///< reply i is drawn with seed + i
    std::vector<int> endTokens;
};

/// What a batch tells, within step(). `isEnough` ends a reply: the listener has seen a stop string.
class BatchListener {
public:
    virtual ~BatchListener() = default;
    /// A token that belongs to the reply's text. Returns whether the reply is to end with it.
    virtual bool drawn(std::uint64_t id, std::size_t reply, const Drawn& drawn) = 0;
    /// The token by which the model ended a reply itself; finished() follows.
    virtual void drewEnd(std::uint64_t, std::size_t, const Drawn&) {}
    /// `ended`: by an end token or by the listener; else the reply was cut off by maxTokens. Once for each reply.
    virtual void finished(std::uint64_t id, std::size_t reply, bool ended) = 0;
};

/// Used by one thread. Memory is blocks of the runner's cache: a prompt waits until its blocks are free; when they run
/// out, the youngest reply gives its blocks back and is computed anew later, with the same tokens.
class Batch {
public:
    struct Options {
        std::size_t maxReplies = 64;  ///< at work at once
        std::size_t promptRows = 256; ///< of prompts in one step beside the replies
    };

    Batch(StepRunner& runner, const CpuKernels& kernels, Team& team, BatchListener& listener, Options options);

    /// Tokens that the cache can hold at once; a prompt with its longest reply must not be longer.
    std::size_t capacity() const;
    void add(GroupRequest request);
    /// Forgets a group; it is told of no more. False where there is none of this id.
    bool cancel(std::uint64_t id);
    bool idle() const { return m_groups.empty(); }
    std::size_t running() const { return m_running.size(); }
    std::size_t waiting() const; ///< replies that are not at work yet
    int freeBlocks() const { return m_pool.available(); }

    /// One step of the device for all that are at work.
    void step();

private:
    struct Group;
    struct Reply {
        Group* group = nullptr;
        std::size_t index = 0;
        std::vector<int> drawn;
        std::vector<int> table;
        std::size_t computed = 0; ///< tokens of prompt and reply that are in the cache
        bool isFinished = false;
    };
    struct Group {
        GroupRequest request;
        std::vector<int> table;    ///< of the prompt
        std::size_t computed = 0;  ///< tokens of the prompt that are in the cache
        std::vector<float> logits; ///< behind the prompt, once it is computed
        std::deque<std::unique_ptr<Reply>> waiting;
        std::size_t left = 0; ///< replies that have not finished
    };
    struct Asked {
        Group* group; ///< of which the prompt ended, or null
        Reply* reply;
    };

    void admitPrompts();
    void admitReplies();
    bool start(Group& group);
    bool grow(std::vector<int>& table, std::size_t tokens);
    void releaseTable(std::vector<int>& table);
    void preemptYoungest();
    bool reclaimPrompt(const Group& except);
    bool hasPromptRows() const;
    void makeRoom();
    std::size_t addReplyRows();
    void addPromptRows(std::size_t room);
    std::vector<Drawn> drawAll();
    void take(Reply& reply, const Drawn& drawn);
    void finish(Reply& reply, bool ended);
    void removeFinished();
    int tokenOf(const Reply& reply, std::size_t position) const;

    StepRunner& m_runner;
    Team& m_team;
    BatchListener& m_listener;
    Options m_options;
    BlockPool m_pool;
    std::vector<Sampler> m_samplers; ///< one a thread
    std::list<Group> m_groups;       ///< in the order of their coming
    std::vector<std::unique_ptr<Reply>> m_running;
    std::vector<StepRow> m_rows;
    std::vector<Asked> m_asked; ///< who wants the logits, in the order of the rows
};

} // namespace cudal1::decoder
