// SPDX-License-Identifier: GPL-3.0-or-later
// WebSockets: texts in both directions, kept alive by pings.
#include "core/serve/httpconnection.h"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/websocket.hpp>

namespace cudal1::serve {

namespace websocket = boost::beast::websocket;
using tcp = boost::asio::ip::tcp;

namespace {

constexpr int mostUnanswered = 32;            ///< texts of a peer that does not wait for answers
constexpr std::size_t mostUnsent = 64u << 20; ///< bytes for a peer that does not read

} // namespace

class WebSocketConnection : public std::enable_shared_from_this<WebSocketConnection> {
public:
    WebSocketConnection(tcp::socket socket, ConnectionHub& hub, std::uint64_t id, std::string client)
        : m_hub(hub), m_stream(std::move(socket)), m_id(id), m_client(std::move(client))
    {
    }

    void accept(HttpMessage request)
    {
        auto times = websocket::stream_base::timeout::suggested(boost::beast::role_type::server);
        times.keep_alive_pings = true;
        times.idle_timeout = std::chrono::seconds(60);
        m_stream.set_option(times);
        m_stream.read_message_max(m_hub.options.mostMessageBytes);
        m_stream.auto_fragment(false);
        const auto kept = std::make_shared<HttpMessage>(std::move(request));
        m_stream.async_accept(*kept, [self = shared_from_this(), kept](Error error) {
            if (error)
                return self->forget();
            self->m_hub.count(101);
            self->m_open = true;
            self->m_hub.say([id = self->m_id, client = self->m_client](HttpServer& server) {
                emit server.socketOpened(id, QString::fromStdString(client));
            });
            self->read();
        });
    }

    void send(std::string text)
    {
        m_unanswered = 0;
        m_unsent += text.size();
        m_texts.push_back(std::move(text));
        if (m_unsent > mostUnsent)
            return close(websocket::close_code::policy_error);
        write();
    }

    void close(websocket::close_code code)
    {
        if (!m_open || std::exchange(m_closing, true))
            return;
        m_code = code;
        if (!m_writing)
            finish();
    }

private:
    using Error = boost::system::error_code;

    void read()
    {
        m_stream.async_read(m_buffer, [self = shared_from_this()](Error error, std::size_t) {
            if (error)
                return self->forget();
            if (!self->m_stream.got_text())
                return self->close(websocket::close_code::unknown_data);
            if (++self->m_unanswered > mostUnanswered)
                return self->close(websocket::close_code::policy_error);
            const std::string text = boost::beast::buffers_to_string(self->m_buffer.data());
            self->m_buffer.consume(self->m_buffer.size());
            self->m_hub.say([id = self->m_id, bytes = QByteArray::fromStdString(text)](HttpServer& server) {
                emit server.socketText(id, bytes);
            });
            self->read();
        });
    }

    void write()
    {
        if (m_writing || m_texts.empty() || !m_open)
            return;
        m_writing = true;
        m_stream.text(true);
        m_stream.async_write(boost::asio::buffer(m_texts.front()),
                             [self = shared_from_this()](Error error, std::size_t) {
                                 self->m_writing = false;
                                 if (error)
                                     return self->forget();
                                 self->m_unsent -= self->m_texts.front().size();
                                 self->m_texts.pop_front();
                                 if (self->m_closing && self->m_texts.empty())
                                     return self->finish();
                                 self->write();
                             });
    }

    void finish()
    {
        m_stream.async_close(m_code, [self = shared_from_this()](Error) { self->forget(); });
    }

    void forget()
    {
        if (std::exchange(m_forgotten, true))
            return;
        m_hub.sockets.erase(m_id);
        if (m_open)
            m_hub.say([id = m_id](HttpServer& server) { emit server.socketClosed(id); });
    }

    ConnectionHub& m_hub;
    websocket::stream<tcp::socket> m_stream;
    std::uint64_t m_id;
    std::string m_client;
    boost::beast::flat_buffer m_buffer;
    std::deque<std::string> m_texts;
    std::size_t m_unsent = 0;
    websocket::close_code m_code = websocket::close_code::normal;
    bool m_open = false, m_writing = false, m_closing = false, m_forgotten = false;
    int m_unanswered = 0;
};

std::shared_ptr<WebSocketConnection> makeWebSocket(tcp::socket socket, ConnectionHub& hub, std::uint64_t id,
                                                   const std::string& client)
{
    return std::make_shared<WebSocketConnection>(std::move(socket), hub, id, client);
}

void acceptWebSocket(const std::shared_ptr<WebSocketConnection>& socket, HttpMessage request)
{
    socket->accept(std::move(request));
}

void sendText(const std::shared_ptr<WebSocketConnection>& socket, std::string text)
{
    socket->send(std::move(text));
}

void closeWebSocket(const std::shared_ptr<WebSocketConnection>& socket, bool goingAway)
{
    socket->close(goingAway ? websocket::close_code::going_away : websocket::close_code::normal);
}

} // namespace cudal1::serve
