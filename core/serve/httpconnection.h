// SPDX-License-Identifier: GPL-3.0-or-later
// One connection of the server, and what all of them share. For the files of this folder that include Boost.Beast.
#pragma once

#include "core/serve/httpserver.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace cudal1::serve {

class HttpConnection;
class WebSocketConnection;

/// Where connections report to and find each other. All but `say` and `counts` belong to the connections' thread.
class ConnectionHub {
public:
    HttpOptions options;
    std::uint64_t lastId = 0;
    std::map<std::uint64_t, std::shared_ptr<HttpConnection>> requests; ///< that are being answered
    std::map<std::uint64_t, std::shared_ptr<WebSocketConnection>> sockets;
    std::set<HttpConnection*> connections;
    bool quiet = false; ///< no more requests are taken

    /// Runs `what` on the server's own thread.
    std::function<void(std::function<void(HttpServer&)> what)> say;

    std::uint64_t nextId() { return ++lastId; }
    void count(int status);
    mutable std::mutex mutex;
    HttpCounts counts; ///< under `mutex`
};

using HttpMessage = boost::beast::http::request<boost::beast::http::string_body>;

/// Lives as long as something is under way with it.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
    HttpConnection(boost::asio::ip::tcp::socket socket, ConnectionHub& hub);
    ~HttpConnection();

    void start();
    void respond(std::uint64_t request, HttpResponse response);
    void beginEvents(std::uint64_t request, const std::vector<std::pair<std::string, std::string>>& headers);
    void sendEvent(std::uint64_t request, const std::string& text);
    void endEvents(std::uint64_t request);
    /// Ends the connection unless a request is being answered.
    void quiesce();
    void close();

private:
    using Error = boost::system::error_code;

    void readHeader();
    void takeHeader(Error error);
    void takeHead(const HttpMessage& head);
    bool letIn(const HttpMessage& head);
    void readBody();
    void takeBody(Error error);
    void refuse(int status, const base::Error& error);
    void takeFailure(Error error, bool begun);
    void watch();
    void write(HttpResponse response, bool close);
    void taken(bool close);
    void drain();
    void writeChunk();
    void within(double seconds);

    ConnectionHub& m_hub;
    boost::asio::ip::tcp::socket m_socket;
    boost::asio::steady_timer m_deadline;
    boost::beast::flat_buffer m_buffer;
    std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> m_parser;
    std::string m_address, m_client;
    HttpRequest m_request;
    std::uint64_t m_current = 0; ///< the request that is being answered; 0: none
    bool m_late = false;         ///< the deadline has passed
    bool m_keepAlive = false, m_isHead = false;
    std::deque<std::string> m_chunks; ///< of an answer of events
    bool m_writingChunk = false, m_eventsEnded = false, m_events = false;
    std::array<char, 16384> m_scrap;
    std::size_t m_drained = 0;
};

/// A connection that has become a WebSocket. The hub keeps it until it is closed.
std::shared_ptr<WebSocketConnection> makeWebSocket(boost::asio::ip::tcp::socket socket, ConnectionHub& hub,
                                                   std::uint64_t id, const std::string& client);
void acceptWebSocket(const std::shared_ptr<WebSocketConnection>& socket, HttpMessage request);
void sendText(const std::shared_ptr<WebSocketConnection>& socket, std::string text);
void closeWebSocket(const std::shared_ptr<WebSocketConnection>& socket, bool goingAway);

} // namespace cudal1::serve
