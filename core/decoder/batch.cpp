// SPDX-License-Identifier: GPL-3.0-or-later
// Continuous batching over a paged cache.
#include "core/decoder/batch.h"

#include <algorithm>

namespace cudal1::decoder {

namespace {

std::size_t blocksFor(std::size_t tokens)
{
    return (tokens + blockTokens - 1) / blockTokens;
}

} // namespace

Batch::Batch(StepRunner& runner, const CpuKernels& kernels, Team& team, BatchListener& listener, Options options)
    : m_runner(runner), m_team(team), m_listener(listener), m_options(options), m_pool(runner.blocks()),
      m_samplers(static_cast<std::size_t>(team.size()), Sampler(kernels))
{
}

std::size_t Batch::capacity() const
{
    // One block more than the text needs: a reply gets a copy of the prompt's last one.
    return (static_cast<std::size_t>(m_pool.size()) - 1) * blockTokens;
}

void Batch::add(GroupRequest request)
{
    Group& group = m_groups.emplace_back();
    group.request = std::move(request);
    group.left = group.request.replies;
    for (std::size_t i = 0; i < group.request.replies; ++i) {
        group.waiting.push_back(std::make_unique<Reply>());
        group.waiting.back()->group = &group;
        group.waiting.back()->index = i;
    }
}

bool Batch::cancel(std::uint64_t id)
{
    const auto found = std::find_if(m_groups.begin(), m_groups.end(),
                                    [&](const Group& group) { return group.request.id == id; });
    if (found == m_groups.end())
        return false;
    std::erase_if(m_running, [&](const std::unique_ptr<Reply>& reply) {
        if (reply->group != &*found)
            return false;
        releaseTable(reply->table);
        return true;
    });
    releaseTable(found->table);
    m_groups.erase(found);
    return true;
}

std::size_t Batch::waiting() const
{
    std::size_t out = 0;
    for (const Group& group : m_groups)
        out += group.waiting.size();
    return out;
}

int Batch::tokenOf(const Reply& reply, std::size_t position) const
{
    const auto& prompt = reply.group->request.prompt;
    return position < prompt.size() ? prompt[position] : reply.drawn[position - prompt.size()];
}

bool Batch::grow(std::vector<int>& table, std::size_t tokens)
{
    const std::size_t wanted = blocksFor(tokens);
    if (wanted > table.size() && wanted - table.size() > static_cast<std::size_t>(m_pool.available()))
        return false;
    while (table.size() < wanted)
        table.push_back(m_pool.take());
    return true;
}

void Batch::releaseTable(std::vector<int>& table)
{
    for (const int block : table)
        m_pool.release(block);
    table.clear();
}

void Batch::step()
{
    m_rows.clear();
    m_asked.clear();
    admitReplies();
    admitPrompts();
    makeRoom();
    const std::size_t rows = addReplyRows();
    if (rows < m_runner.maxRows())
        addPromptRows(std::min(m_options.promptRows, m_runner.maxRows() - rows));
    if (m_rows.empty())
        return;
    m_runner.compute(m_rows);
    const std::vector<Drawn> drawn = drawAll();
    const bool promptEnded = std::any_of(m_asked.begin(), m_asked.end(), [](const Asked& one) { return one.group; });
    const std::size_t width = m_runner.vocabulary();
    const auto logits = promptEnded ? m_runner.logits() : std::span<const float>();
    for (std::size_t i = 0; i < m_asked.size(); ++i) {
        if (m_asked[i].reply)
            take(*m_asked[i].reply, drawn[i]);
        else
            m_asked[i].group->logits.assign(logits.begin() + static_cast<std::ptrdiff_t>(i * width),
                                            logits.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
    }
    removeFinished();
    admitReplies(); // the replies of a prompt that has just ended draw their first token now
}

/// A token for each row that was asked for; of no meaning where a prompt has ended.
std::vector<Drawn> Batch::drawAll()
{
    std::vector<TokenWanted> wanted(m_asked.size());
    for (std::size_t i = 0; i < m_asked.size(); ++i)
        if (const Reply* reply = m_asked[i].reply) {
            wanted[i] = {reply->group->request.drawing, reply->drawn.size()};
            wanted[i].drawing.seed += reply->index;
        }
    std::vector<Drawn> out(m_asked.size());
    const bool any = std::any_of(m_asked.begin(), m_asked.end(), [](const Asked& one) { return one.reply; });
    if (!any || m_runner.draw(wanted, out))
        return out;
    const auto logits = m_runner.logits();
    const std::size_t width = m_runner.vocabulary();
    m_team.run(m_asked.size(), 1, [&](std::size_t begin, std::size_t end, int thread) {
        for (std::size_t i = begin; i < end; ++i)
            if (m_asked[i].reply)
                out[i] = m_samplers[static_cast<std::size_t>(thread)].draw(logits.subspan(i * width, width),
                                                                           wanted[i].drawing, wanted[i].number);
    });
    return out;
}

/// Prompts begin in the order of their coming, as soon as their blocks are free. What the replies at work need next is
/// left to them.
void Batch::admitPrompts()
{
    for (Group& group : m_groups) {
        if (!group.table.empty())
            continue;
        const std::size_t wanted = blocksFor(group.request.prompt.size()) + 1 + m_running.size();
        if (wanted > static_cast<std::size_t>(m_pool.available()) || m_running.size() >= m_options.maxReplies)
            return;
        grow(group.table, group.request.prompt.size());
        group.computed = 0;
    }
}

/// Whether a waiting reply of the group got its blocks: the prompt's whole ones are shared, its last one is copied.
bool Batch::start(Group& group)
{
    const std::size_t prompt = group.request.prompt.size();
    const std::size_t shared = prompt / blockTokens;
    Reply& reply = *group.waiting.front();
    const std::size_t total = blocksFor(prompt + reply.drawn.size() + 1);
    if (total - shared + (m_running.empty() ? 0 : 1) > static_cast<std::size_t>(m_pool.available()))
        return false;
    for (std::size_t i = 0; i < shared; ++i) {
        m_pool.share(group.table[i]);
        reply.table.push_back(group.table[i]);
    }
    grow(reply.table, prompt + reply.drawn.size() + 1);
    if (shared < group.table.size())
        m_runner.copyBlock(group.table[shared], reply.table[shared]);
    reply.computed = prompt;
    m_running.push_back(std::move(group.waiting.front()));
    group.waiting.pop_front();
    return true;
}

void Batch::admitReplies()
{
    for (Group& group : m_groups) {
        if (group.table.empty() || group.computed < group.request.prompt.size())
            continue;
        while (!group.waiting.empty() && m_running.size() < m_options.maxReplies && start(group)) {
            Reply& reply = *m_running.back();
            if (!reply.drawn.empty())
                continue; // it was at work before
            TokenSampling drawing = group.request.drawing;
            drawing.seed += reply.index;
            take(reply, m_samplers[0].draw(group.logits, drawing, 0));
        }
    }
    removeFinished();
}

/// Every reply at work must have a place for its next token. Those that came first keep theirs.
void Batch::makeRoom()
{
    for (std::size_t i = 0; i < m_running.size(); ++i) {
        const Reply* const reply = m_running[i].get();
        const std::size_t tokens = reply->group->request.prompt.size() + reply->drawn.size();
        while (i < m_running.size() && !grow(m_running[i]->table, tokens))
            if (!reclaimPrompt(*reply->group))
                preemptYoungest(); // perhaps this one
    }
    // Where nothing is at work and prompts hold what the first of them needs, the last ones give it back.
    while (m_running.empty() && !m_groups.empty() && !hasPromptRows()) {
        admitReplies();
        admitPrompts();
        if (m_groups.empty() || !m_running.empty() || hasPromptRows() || !reclaimPrompt(m_groups.front()))
            return;
    }
}

bool Batch::hasPromptRows() const
{
    return std::any_of(m_groups.begin(), m_groups.end(), [](const Group& group) {
        return !group.table.empty() && group.computed < group.request.prompt.size();
    });
}

/// The prompt of the last group that has nothing at work is forgotten. It is computed again before its replies go on.
bool Batch::reclaimPrompt(const Group& except)
{
    for (auto group = m_groups.rbegin(); group != m_groups.rend(); ++group) {
        const bool isAtWork = std::any_of(m_running.begin(), m_running.end(),
                                          [&](const auto& reply) { return reply->group == &*group; });
        if (&*group == &except || isAtWork || group->table.empty())
            continue;
        releaseTable(group->table);
        group->computed = 0;
        return true;
    }
    return false;
}

void Batch::preemptYoungest()
{
    std::unique_ptr<Reply> reply = std::move(m_running.back());
    m_running.pop_back();
    releaseTable(reply->table);
    reply->computed = 0;
    Group& group = *reply->group;
    group.waiting.push_front(std::move(reply));
}

std::size_t Batch::addReplyRows()
{
    for (const auto& reply : m_running) {
        const std::size_t prompt = reply->group->request.prompt.size(), total = prompt + reply->drawn.size();
        while (reply->computed < total && m_rows.size() < m_runner.maxRows()) {
            const std::size_t position = reply->computed++;
            const bool isLast = reply->computed == total;
            m_rows.push_back({tokenOf(*reply, position), static_cast<int>(position),
                              static_cast<int>(std::max(prompt, position + 1)), &reply->table, isLast});
            if (isLast)
                m_asked.push_back({nullptr, reply.get()});
        }
    }
    return m_rows.size();
}

void Batch::addPromptRows(std::size_t room)
{
    for (Group& group : m_groups) {
        const std::size_t prompt = group.request.prompt.size();
        if (group.table.empty())
            continue;
        while (group.computed < prompt && room > 0) {
            const std::size_t position = group.computed++;
            const bool isLast = group.computed == prompt;
            m_rows.push_back({group.request.prompt[position], static_cast<int>(position), static_cast<int>(prompt),
                              &group.table, isLast});
            if (isLast)
                m_asked.push_back({&group, nullptr});
            --room;
        }
    }
}

void Batch::take(Reply& reply, const Drawn& drawn)
{
    const GroupRequest& request = reply.group->request;
    if (std::find(request.endTokens.begin(), request.endTokens.end(), drawn.token) != request.endTokens.end()) {
        m_listener.drewEnd(request.id, reply.index, drawn);
        finish(reply, true);
        return;
    }
    reply.drawn.push_back(drawn.token);
    if (m_listener.drawn(request.id, reply.index, drawn))
        finish(reply, true);
    else if (reply.drawn.size() >= request.maxTokens)
        finish(reply, false);
}

void Batch::finish(Reply& reply, bool ended)
{
    reply.isFinished = true;
    releaseTable(reply.table);
    --reply.group->left;
    m_listener.finished(reply.group->request.id, reply.index, ended);
}

void Batch::removeFinished()
{
    std::erase_if(m_running, [](const std::unique_ptr<Reply>& reply) { return reply->isFinished; });
    for (auto group = m_groups.begin(); group != m_groups.end();) {
        if (group->left == 0) {
            releaseTable(group->table);
            group = m_groups.erase(group);
        } else {
            ++group;
        }
    }
}

} // namespace cudal1::decoder
