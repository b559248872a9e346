// SPDX-License-Identifier: GPL-3.0-or-later
// Draws replies until it is told to end.
#include "core/decoder/replyengine.h"

namespace cudal1::decoder {

ReplyEngine::ReplyEngine(LoadedModel& model, const Tokenizer& tokenizer, ReplyListener& listener)
    : m_model(model), m_tokenizer(tokenizer), m_listener(listener),
      m_batch(*model.runner, *model.samplingKernels, *model.team, *this, {.maxReplies = model.options.maxReplies}),
      m_thread([this] { work(); })
{
}

ReplyEngine::~ReplyEngine()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void ReplyEngine::submit(Request request)
{
    {
        const std::lock_guard lock(m_mutex);
        m_submitted.push_back(std::move(request));
        m_isBusy = true;
    }
    m_wake.notify_all();
}

void ReplyEngine::cancel(std::uint64_t id)
{
    {
        const std::lock_guard lock(m_mutex);
        m_cancels.push_back(id);
    }
    m_wake.notify_all();
}

bool ReplyEngine::idle() const
{
    const std::lock_guard lock(m_mutex);
    return !m_isBusy;
}

bool ReplyEngine::receive()
{
    std::vector<Request> submitted;
    std::vector<std::uint64_t> cancels;
    {
        std::unique_lock lock(m_mutex);
        if (m_open.empty() && m_submitted.empty())
            m_isBusy = false;
        m_wake.wait(lock, [&] { return m_ends || !m_open.empty() || !m_submitted.empty() || !m_cancels.empty(); });
        if (m_ends)
            return false;
        submitted.swap(m_submitted);
        cancels.swap(m_cancels);
    }
    for (Request& request : submitted) {
        GroupRequest group{.id = request.id,
                           .prompt = request.prompt,
                           .replies = request.replies,
                           .maxTokens = request.maxTokens,
                           .drawing = request.drawing,
                           .endTokens = m_model.checkpoint->config().endTokens};
        Open& open = m_open[request.id];
        open.left = request.replies;
        open.replies.assign(request.replies, Written{ReplyText(request.stop), {}, {}, 0});
        open.request = std::move(request);
        m_batch.add(std::move(group));
    }
    for (const std::uint64_t id : cancels)
        if (m_batch.cancel(id)) {
            m_open.erase(id);
            m_listener.cancelled(id);
        }
    return true;
}

void ReplyEngine::work()
{
    try {
        while (receive()) {
            if (!m_batch.idle())
                m_batch.step();
            m_runningNow = m_batch.running();
            m_waitingNow = m_batch.waiting();
        }
    } catch (const std::exception& error) {
        m_listener.failed(error.what());
    }
}

bool ReplyEngine::drawn(std::uint64_t id, std::size_t reply, const Drawn& drawn)
{
    Open& open = m_open.at(id);
    Written& written = open.replies[reply];
    ++written.tokens;
    if (open.request.logprobs)
        written.logprobs.push_back(drawn.logProbability);
    if (open.request.tokens)
        written.drawn.push_back(drawn.token);
    std::string text = written.text.add(m_tokenizer.bytesOf(drawn.token));
    if (open.request.partials && !text.empty())
        m_listener.added(id, {static_cast<int>(reply), std::move(text)});
    return written.text.stopped();
}

void ReplyEngine::drewEnd(std::uint64_t id, std::size_t reply, const Drawn& drawn)
{
    Open& open = m_open.at(id);
    if (!open.request.tokens)
        return;
    Written& written = open.replies[reply];
    written.drawn.push_back(drawn.token);
    if (open.request.logprobs)
        written.logprobs.push_back(drawn.logProbability);
}

void ReplyEngine::finished(std::uint64_t id, std::size_t reply, bool ended)
{
    Open& open = m_open.at(id);
    Written& written = open.replies[reply];
    std::string rest = written.text.finish();
    if (open.request.partials && !rest.empty())
        m_listener.added(id, {static_cast<int>(reply), std::move(rest)});
    protocol::GeneratedReply out;
    out.reply = static_cast<int>(reply);
    out.text = written.text.text();
    out.end = ended ? protocol::ReplyEnd::Stop : protocol::ReplyEnd::Length;
    out.promptTokens = static_cast<int>(open.request.prompt.size());
    out.replyTokens = written.tokens;
    out.logprobs = std::move(written.logprobs);
    out.tokens = std::move(written.drawn);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - open.request.came).count();
    m_listener.replied(id, out);
    if (--open.left == 0)
        m_open.erase(id);
}

} // namespace cudal1::decoder
