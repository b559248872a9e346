// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 mcp`: the judge as tools of an agent, over standard input and output.
#include "app/cli/interrupt.h"
#include "app/cli/serving.h"
#include "app/cli/verbs.h"
#include "core/mcp/mcpsession.h"
#include "core/serve/mcpresources.h"

#include <QEventLoop>
#include <QSocketNotifier>

#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace cudal1::cli {

namespace {

constexpr std::size_t mostLineBytes = 32u << 20;

/// One message a line, in both directions. Nothing else is ever written to the standard output.
class Wire {
public:
    Wire(mcp::McpSession& session, QEventLoop& loop)
        : m_session(session), m_loop(loop), m_input(STDIN_FILENO, QSocketNotifier::Read)
    {
        QObject::connect(&m_input, &QSocketNotifier::activated, &m_loop, [this] { read(); });
        QObject::connect(&m_session, &mcp::McpSession::idle, &m_loop, [this] { quitWhenDone(); });
    }

private:
    void read()
    {
        char chunk[65536];
        const ssize_t got = ::read(STDIN_FILENO, chunk, sizeof chunk);
        if (got < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (got <= 0) {
            m_input.setEnabled(false);
            if (!m_buffer.empty())
                take(std::exchange(m_buffer, {})); // a last line without its end
            m_ended = true;
            return quitWhenDone();
        }
        m_buffer.append(chunk, std::size_t(got));
        std::size_t at = 0;
        for (std::size_t end; (end = m_buffer.find('\n', at)) != std::string::npos; at = end + 1)
            take(m_buffer.substr(at, end - at));
        m_buffer.erase(0, at);
        if (m_buffer.size() > mostLineBytes) { // the rest of the line is passed over
            if (!std::exchange(m_overlong, true))
                write(mcp::McpSession::error(nullptr, -32700, "The line is too long"));
            m_buffer.clear();
        }
    }

    void take(std::string line)
    {
        if (std::exchange(m_overlong, false))
            return;
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        if (line.find_first_not_of(" \t") != std::string::npos)
            m_session.receive(line, [this](const nlohmann::json& message) { write(message); });
    }

    void write(const nlohmann::json& message)
    {
        if (message.is_null()) // no answer to what was cancelled
            return;
        const std::string line = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        for (std::size_t at = 0; at < line.size();) {
            const ssize_t put = ::write(STDOUT_FILENO, line.data() + at, line.size() - at);
            if (put < 0 && errno == EINTR)
                continue;
            if (put < 0 && errno == EAGAIN) {
                pollfd output{STDOUT_FILENO, POLLOUT, 0};
                ::poll(&output, 1, -1);
                continue;
            }
            if (put < 0) { // nobody reads any more
                m_session.disconnect(&m_loop);
                m_loop.quit();
                return;
            }
            at += std::size_t(put);
        }
    }

    /// What was asked before the input ended is still answered.
    void quitWhenDone()
    {
        if (m_ended && m_session.isIdle())
            m_loop.quit();
    }

    mcp::McpSession& m_session;
    QEventLoop& m_loop;
    QSocketNotifier m_input;
    std::string m_buffer;
    bool m_ended = false, m_overlong = false;
};

} // namespace

int mcp(Context& context, const QCommandLineParser&, const QStringList&)
{
    if (context.settings().json)
        return context.fail({base::ErrorCode::InvalidArgument,
                             "--json has no meaning here",
                             {},
                             "The standard output belongs to the protocol"});
    Interrupt interrupt;
    const auto serving = Serving::make(context, {});
    if (!serving)
        return context.fail(serving.error());
    const serve::McpTools::Means means = (*serving)->means();
    serve::McpTools tools(means);
    serve::McpResources resources(means.project, means.book);
    mcp::McpSession session(tools, &resources, "mcp");
    (*serving)->whenReady(
        [&](const base::Status& status) { // starts the evaluator, so that it is there when it is needed
            if (!status)
                context.terminal().complain("cudal1: " + status.error().text());
        });
    QEventLoop loop;
    Wire wire(session, loop);
    QObject::connect(&interrupt, &Interrupt::requested, &loop, &QEventLoop::quit);
    if (!interrupt.caught())
        loop.exec();
    return interrupt.caught() ? 128 + interrupt.caught() : int(Done);
}

} // namespace cudal1::cli
