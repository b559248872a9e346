// SPDX-License-Identifier: GPL-3.0-or-later
// From a connection's bytes to requests, and back.
#include "core/serve/httpconnection.h"

#include <boost/asio/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include <sys/socket.h>

namespace cudal1::serve {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using base::ErrorCode;
using tcp = asio::ip::tcp;

namespace {

constexpr double drain_s = 5;
constexpr std::size_t mostDrainedBytes = 64u << 20;

std::string stringOf(boost::beast::string_view view)
{
    return {view.data(), view.size()};
}

std::string lower(std::string out)
{
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return out;
}

} // namespace

void ConnectionHub::count(int status)
{
    const std::lock_guard lock(mutex);
    ++counts.responses[status];
}

HttpConnection::HttpConnection(tcp::socket socket, ConnectionHub& hub)
    : m_hub(hub), m_socket(std::move(socket)), m_deadline(m_socket.get_executor())
{
    Error ignored;
    const auto peer = m_socket.remote_endpoint(ignored);
    m_address = ignored ? std::string("unknown") : peer.address().to_string(ignored);
    m_hub.connections.insert(this);
    const std::lock_guard lock(m_hub.mutex);
    ++m_hub.counts.connections;
    ++m_hub.counts.open;
}

HttpConnection::~HttpConnection()
{
    m_hub.connections.erase(this);
    const std::lock_guard lock(m_hub.mutex);
    --m_hub.counts.open;
}

void HttpConnection::start()
{
    Error ignored;
    m_socket.set_option(tcp::no_delay(true), ignored);
    m_socket.set_option(asio::socket_base::keep_alive(true), ignored);
    if (m_hub.counts.open <= m_hub.options.mostConnections)
        return readHeader();
    {
        const std::lock_guard lock(m_hub.mutex);
        ++m_hub.counts.refusedConnections;
    }
    refuse(503, {ErrorCode::LimitReached, "Too many connections are open", {}, "Ask again later"});
}

/// The socket's work under way is given up when the time is over.
void HttpConnection::within(double seconds)
{
    m_late = false;
    m_deadline.expires_after(std::chrono::milliseconds(static_cast<long long>(seconds * 1000)));
    m_deadline.async_wait([weak = weak_from_this()](Error error) {
        const auto self = weak.lock();
        if (error || !self)
            return;
        self->m_late = true;
        Error ignored;
        self->m_socket.cancel(ignored);
    });
}

void HttpConnection::readHeader()
{
    if (m_hub.quiet)
        return close();
    m_request = {};
    m_current = 0;
    m_parser.emplace();
    m_parser->header_limit(static_cast<std::uint32_t>(m_hub.options.mostHeaderBytes));
    m_parser->body_limit(std::uint64_t(1) << 40); // the true limit depends on the path
    const auto self = shared_from_this();
    const auto header = [self] {
        self->within(self->m_hub.options.header_s);
        http::async_read_header(self->m_socket, self->m_buffer, *self->m_parser,
                                [self](Error error, std::size_t) { self->takeHeader(error); });
    };
    if (m_buffer.size() > 0)
        return header();
    within(m_hub.options.idle_s);
    m_socket.async_wait(tcp::socket::wait_read, [self, header](Error error) {
        if (error)
            self->close();
        else
            header();
    });
}

/// What a read ended with, where it did not end well.
void HttpConnection::takeFailure(Error error, bool begun)
{
    if (m_late && begun)
        return refuse(408, {ErrorCode::TimedOut, "The request did not arrive in time", {}, {}});
    if (error == http::error::header_limit)
        return refuse(431, {ErrorCode::LimitReached, "The head of the request is too long", {}, {}});
    if (error == http::error::body_limit)
        return refuse(413, {ErrorCode::LimitReached,
                            "The body of the request is too large",
                            {},
                            "A source has at most 4 MB; send many in several requests"});
    const bool isHttps = error.category() == http::make_error_code(http::error::bad_method).category();
    if (isHttps && error != http::error::end_of_stream && error != http::error::partial_message)
        return refuse(400, {ErrorCode::InvalidArgument,
                            "This is no HTTP request: " + error.message(),
                            {},
                            "TLS is for a proxy in front of this server"});
    close();
}

void HttpConnection::takeHeader(Error error)
{
    if (error)
        return takeFailure(error, m_buffer.size() > 0);
    takeHead(m_parser->get());
}

void HttpConnection::takeHead(const HttpMessage& head)
{
    m_keepAlive = m_parser->keep_alive();
    m_isHead = head.method() == http::verb::head;
    m_request.method = stringOf(head.method_string());
    for (const auto& field : head)
        m_request.headers[lower(stringOf(field.name_string()))] = stringOf(field.value());
    if (!splitTarget(stringOf(head.target()), m_request.path, m_request.query))
        return refuse(400, {ErrorCode::InvalidArgument, "This is no path", stringOf(head.target()).substr(0, 100), {}});
    if (!letIn(head))
        return;
    if (boost::beast::websocket::is_upgrade(head)) {
        if (!m_hub.options.isSocket || !m_hub.options.isSocket(m_request.path))
            return refuse(
                404,
                {ErrorCode::NotFound, "There is no WebSocket at " + m_request.path.substr(0, 100), {}, "It is at /ws"});
        if (m_hub.quiet || m_hub.sockets.size() >= m_hub.options.mostSockets)
            return refuse(503, {ErrorCode::LimitReached, "Too many WebSockets are open", {}, "Ask again later"});
        m_deadline.cancel();
        const std::uint64_t id = m_hub.nextId();
        auto socket = makeWebSocket(std::move(m_socket), m_hub, id, m_client);
        m_hub.sockets[id] = socket;
        return acceptWebSocket(socket, m_parser->release());
    }
    const std::size_t limit = m_hub.options.mostBodyBytes ? m_hub.options.mostBodyBytes(m_request.path) : 1u << 20;
    if (m_parser->content_length() && *m_parser->content_length() > limit)
        return takeFailure(http::error::body_limit, true);
    m_parser->body_limit(limit);
    readBody();
}

/// Before a byte of the body is read.
bool HttpConnection::letIn(const HttpMessage& head)
{
    int status = 401;
    const auto client = m_hub.options.access.check({m_request.path, stringOf(head[http::field::authorization]),
                                                    stringOf(head[http::field::host]),
                                                    stringOf(head[http::field::origin]), m_address},
                                                   status);
    if (!client) {
        refuse(status, client.error());
        return false;
    }
    m_client = *client;
    return true;
}

void HttpConnection::readBody()
{
    const auto self = shared_from_this();
    const auto read = [self] {
        self->within(self->m_hub.options.body_s);
        http::async_read(self->m_socket, self->m_buffer, *self->m_parser,
                         [self](Error error, std::size_t) { self->takeBody(error); });
    };
    if (lower(m_request.header("expect")) != "100-continue")
        return read();
    static const std::string proceed = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(m_socket, asio::buffer(proceed), [self, read](Error error, std::size_t) {
        if (error)
            self->close();
        else
            read();
    });
}

void HttpConnection::takeBody(Error error)
{
    if (error)
        return takeFailure(error, true);
    m_deadline.cancel();
    m_request.body = std::move(m_parser->get().body());
    m_request.client = m_client;
    m_request.id = m_current = m_hub.nextId();
    m_hub.requests[m_current] = shared_from_this();
    watch();
    m_hub.say([request = std::move(m_request)](HttpServer& server) { emit server.requested(request); });
    m_request = {};
}

/// Notices a peer that closes its connection instead of waiting for the answer.
void HttpConnection::watch()
{
    const auto self = shared_from_this();
    m_socket.async_wait(tcp::socket::wait_read, [self, request = m_current](Error error) {
        if (error || self->m_current != request || request == 0)
            return;
        char byte = 0;
        const ssize_t got = ::recv(self->m_socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (got > 0)
            return; // its next request
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return self->watch();
        self->m_hub.requests.erase(request);
        self->m_current = 0;
        self->m_hub.say([request](HttpServer& server) { emit server.gone(request); });
        self->close();
    });
}

void HttpConnection::respond(std::uint64_t request, HttpResponse response)
{
    if (request != m_current)
        return;
    m_hub.requests.erase(request);
    m_current = 0;
    Error ignored;
    m_socket.cancel(ignored); // watch()
    write(std::move(response), !m_keepAlive || m_hub.quiet);
}

void HttpConnection::refuse(int status, const base::Error& error)
{
    HttpResponse response = errorResponse(status, error);
    if (status == 401)
        response.headers.emplace_back("WWW-Authenticate", "Bearer");
    if (status == 503)
        response.headers.emplace_back("Retry-After", "5");
    write(std::move(response), true);
}

void HttpConnection::write(HttpResponse response, bool close)
{
    m_hub.count(response.status);
    const auto out = std::make_shared<http::response<http::string_body>>(static_cast<http::status>(response.status),
                                                                         11);
    out->set(http::field::server, "cudal1");
    if (!response.type.empty())
        out->set(http::field::content_type, response.type);
    out->set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : response.headers)
        out->set(name, value);
    out->body() = m_isHead ? std::string() : std::move(response.body);
    out->keep_alive(!close);
    out->prepare_payload();
    within(m_hub.options.write_s);
    http::async_write(m_socket, *out, [self = shared_from_this(), out, close](Error error, std::size_t) {
        if (error)
            self->close();
        else
            self->taken(close);
    });
}

void HttpConnection::taken(bool close)
{
    if (!close)
        return readHeader();
    Error ignored;
    m_socket.shutdown(tcp::socket::shutdown_send, ignored);
    within(drain_s);
    m_drained = 0;
    drain();
}

/// A peer that is still sending would lose the answer with the connection, so what it sends is read away for a while.
void HttpConnection::drain()
{
    m_socket.async_read_some(asio::buffer(m_scrap), [self = shared_from_this()](Error error, std::size_t got) {
        if (error || (self->m_drained += got) > mostDrainedBytes)
            self->close();
        else
            self->drain();
    });
}

void HttpConnection::quiesce()
{
    if (m_current == 0 && m_parser && !m_parser->is_header_done())
        close();
}

void HttpConnection::close()
{
    m_deadline.cancel();
    Error ignored;
    m_socket.close(ignored);
}

// ---- answers of events ---------------------------------------------------------------------------------------------

void HttpConnection::beginEvents(std::uint64_t request, const std::vector<std::pair<std::string, std::string>>& headers)
{
    if (request != m_current)
        return;
    m_hub.count(200);
    std::string head = "HTTP/1.1 200 OK\r\nServer: cudal1\r\nContent-Type: text/event-stream\r\n"
                       "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n";
    for (const auto& [name, value] : headers)
        head += name + ": " + value + "\r\n";
    m_events = true;
    m_chunks.push_back(head + "\r\n");
    writeChunk();
}

void HttpConnection::sendEvent(std::uint64_t request, const std::string& text)
{
    if (request != m_current || !m_events)
        return;
    const std::string event = "event: message\ndata: " + text + "\n\n";
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", event.size());
    m_chunks.push_back(size + event + "\r\n");
    writeChunk();
}

void HttpConnection::endEvents(std::uint64_t request)
{
    if (request != m_current || !m_events)
        return;
    m_eventsEnded = true;
    m_chunks.push_back("0\r\n\r\n");
    writeChunk();
}

void HttpConnection::writeChunk()
{
    if (m_writingChunk || m_chunks.empty())
        return;
    m_writingChunk = true;
    asio::async_write(m_socket, asio::buffer(m_chunks.front()), [self = shared_from_this()](Error error, std::size_t) {
        self->m_writingChunk = false;
        if (error)
            return self->close();
        self->m_chunks.pop_front();
        if (!self->m_chunks.empty())
            return self->writeChunk();
        if (!self->m_eventsEnded)
            return;
        self->m_hub.requests.erase(self->m_current);
        self->m_current = 0;
        Error ignored;
        self->m_socket.cancel(ignored); // watch()
        self->taken(true);
    });
}

} // namespace cudal1::serve
