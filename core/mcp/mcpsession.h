// SPDX-License-Identifier: GPL-3.0-or-later
// The server's side of the Model Context Protocol, whatever carries its messages: JSON-RPC 2.0 with tools, resources,
// progress and cancel.
#pragma once

#include "core/mcp/toolbox.h"

#include <QObject>

#include <functional>
#include <map>
#include <string>

namespace cudal1::mcp {

/// One client. Lives on the thread of tools and shelf, which must outlive it; its end takes back what is under way.
/// Without a shelf it offers no resources.
class McpSession : public QObject {
    Q_OBJECT
public:
    /// Takes one message: the answer to the request, or a notification that belongs to it. Null where no answer comes:
    /// the request was cancelled, or the session is over.
    using Send = std::function<void(const nlohmann::json& message)>;

    McpSession(Toolbox& tools, Shelf* shelf, std::string client, QObject* parent = nullptr);
    ~McpSession() override;

    /// A message as it came. What it is answered with, now or later, goes to `send`; notifications have no answer.
    void receive(const std::string& text, Send send);
    void receive(const nlohmann::json& message, const Send& send);
    bool isIdle() const { return m_calls.empty(); }

    static bool knowsVersion(const std::string& version);
    static nlohmann::json error(const nlohmann::json& id, int code, const std::string& message);

signals:
    void idle(); ///< the last request under way was answered

private:
    using Result = base::Result<nlohmann::json>;
    struct Call {
        Cancel cancel;
        nlohmann::json progressToken;
        double progress = 0; ///< sent last
        Send send;
    };

    void request(const nlohmann::json& id, const std::string& method, const nlohmann::json& params, const Send& send);
    void notified(const std::string& method, const nlohmann::json& params);
    nlohmann::json initialize(const nlohmann::json& params);
    void callTool(const nlohmann::json& id, const nlohmann::json& params, const Send& send);
    void readResource(const nlohmann::json& id, const nlohmann::json& params, const Send& send);
    void finish(const std::string& key, const nlohmann::json& message);
    void progressed(const std::string& key, double fraction, const std::string& text);

    Toolbox& m_tools;
    Shelf* m_shelf;
    std::string m_client;
    bool m_initialized = false;
    std::map<std::string, Call> m_calls; ///< under way, by the request's id as JSON
};

} // namespace cudal1::mcp
