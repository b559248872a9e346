// SPDX-License-Identifier: GPL-3.0-or-later
// The thread of the connections, and calls from one thread to the other.
#include "core/serve/httpserver.h"

#include "core/serve/httpconnection.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <QMetaObject>

#include <csignal>
#include <thread>

namespace cudal1::serve {

namespace asio = boost::asio;
using base::Error;
using base::ErrorCode;
using tcp = asio::ip::tcp;

class HttpServer::Private {
public:
    explicit Private(HttpServer* owner)
        : q(owner), work(asio::make_work_guard(context)), acceptor(context), pause(context)
    {
        hub.say = [this](std::function<void(HttpServer&)> what) {
            QMetaObject::invokeMethod(
                q, [this, what = std::move(what)] { what(*q); }, Qt::QueuedConnection);
        };
    }

    void accept();
    /// Runs on the connections' thread.
    void post(std::function<void()> what) { asio::post(context, std::move(what)); }
    std::shared_ptr<HttpConnection> of(std::uint64_t request) const
    {
        const auto it = hub.requests.find(request);
        return it == hub.requests.end() ? nullptr : it->second;
    }

    HttpServer* q;
    ConnectionHub hub; // before the context: its connections use it until they are gone with it
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work;
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::thread thread;
    std::string url;
    int port = 0;
};

void HttpServer::Private::accept()
{
    acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
        if (!acceptor.is_open())
            return;
        if (!error) {
            std::make_shared<HttpConnection>(std::move(socket), hub)->start();
            return accept();
        }
        // Out of descriptors, as a rule: some are free again when connections end.
        pause.expires_after(std::chrono::milliseconds(100));
        pause.async_wait([this](boost::system::error_code given) {
            if (!given)
                accept();
        });
    });
}

HttpServer::HttpServer(QObject* parent) : QObject(parent), d(std::make_unique<Private>(this)) {}

HttpServer::~HttpServer()
{
    d->context.stop();
    if (d->thread.joinable())
        d->thread.join();
    d->hub.requests.clear(); // their sockets end before what they were opened with
    d->hub.sockets.clear();
}

base::Status HttpServer::listen(const HttpOptions& options)
{
    d->hub.options = options;
    boost::system::error_code error;
    tcp::resolver resolver(d->context);
    const auto places = resolver.resolve(options.host, std::to_string(options.port),
                                         tcp::resolver::passive | tcp::resolver::numeric_service, error);
    if (error || places.empty())
        return Error{ErrorCode::InvalidArgument,
                     "There is no host \"" + options.host + "\": " + error.message(),
                     {},
                     "Give --host an address of this machine, such as 127.0.0.1"};
    const tcp::endpoint place = places.begin()->endpoint();
    if (!place.address().is_loopback() && !options.access.needsToken())
        return Error{ErrorCode::InvalidArgument,
                     "Others can reach " + options.host + ", so a token is needed there",
                     {},
                     "Leave --no-token out, or serve on 127.0.0.1"};
    d->acceptor.open(place.protocol(), error);
    if (!error)
        d->acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error)
        d->acceptor.bind(place, error);
    if (!error)
        d->acceptor.listen(1024, error);
    if (error)
        return Error{ErrorCode::Unavailable,
                     "Port " + std::to_string(options.port) + " of " + options.host +
                         " cannot be served: " + error.message(),
                     {},
                     "Another program may use it; --port 0 takes any that is free"};
    d->port = d->acceptor.local_endpoint(error).port();
    const std::string host = place.address().to_string();
    d->url = "http://" + (place.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(d->port);
    d->accept();
    d->thread = std::thread([this] {
        // Signals are for the thread with the event loop.
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        d->context.run();
    });
    return {};
}

int HttpServer::port() const
{
    return d->port;
}

std::string HttpServer::url() const
{
    return d->url;
}

HttpCounts HttpServer::counts() const
{
    const std::lock_guard lock(d->hub.mutex);
    return d->hub.counts;
}

void HttpServer::respond(std::uint64_t request, HttpResponse response)
{
    d->post([p = d.get(), request, response = std::move(response)]() mutable {
        if (const auto connection = p->of(request))
            connection->respond(request, std::move(response));
    });
}

void HttpServer::beginEvents(std::uint64_t request, std::vector<std::pair<std::string, std::string>> headers)
{
    d->post([p = d.get(), request, headers = std::move(headers)] {
        if (const auto connection = p->of(request))
            connection->beginEvents(request, headers);
    });
}

void HttpServer::sendEvent(std::uint64_t request, std::string text)
{
    d->post([p = d.get(), request, text = std::move(text)] {
        if (const auto connection = p->of(request))
            connection->sendEvent(request, text);
    });
}

void HttpServer::endEvents(std::uint64_t request)
{
    d->post([p = d.get(), request] {
        if (const auto connection = p->of(request))
            connection->endEvents(request);
    });
}

void HttpServer::sendText(std::uint64_t socket, std::string text)
{
    d->post([p = d.get(), socket, text = std::move(text)]() mutable {
        if (const auto it = p->hub.sockets.find(socket); it != p->hub.sockets.end())
            serve::sendText(it->second, std::move(text));
    });
}

void HttpServer::closeSocket(std::uint64_t socket)
{
    d->post([p = d.get(), socket] {
        if (const auto it = p->hub.sockets.find(socket); it != p->hub.sockets.end())
            closeWebSocket(std::shared_ptr(it->second), false);
    });
}

void HttpServer::quiesce()
{
    d->post([p = d.get()] {
        p->hub.quiet = true;
        boost::system::error_code ignored;
        p->acceptor.close(ignored);
        for (HttpConnection* const one : std::set(p->hub.connections))
            one->quiesce();
        for (const auto& [id, socket] : std::map(p->hub.sockets))
            closeWebSocket(socket, true);
    });
}

} // namespace cudal1::serve
