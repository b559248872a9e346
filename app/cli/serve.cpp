// SPDX-License-Identifier: GPL-3.0-or-later
// `cudal1 serve`: the judge over HTTP and WebSockets.
#include "app/cli/interrupt.h"
#include "app/cli/serving.h"
#include "app/cli/verbs.h"
#include "core/serve/front.h"

#include <QEventLoop>

#include <cstdio>
#include <memory>

namespace cudal1::cli {

namespace {

using base::Error;
using base::ErrorCode;

base::Result<int> wholeNumber(const QCommandLineParser& parser, const char* name, int least, int most)
{
    bool good = false;
    const int value = parser.value(name).toInt(&good);
    if (good && value >= least && value <= most)
        return value;
    return Error{ErrorCode::InvalidArgument,
                 "--" + std::string(name) + " is a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most) + ", not \"" + parser.value(name).toStdString() + "\"",
                 {},
                 {}};
}

struct ServeAsked {
    serve::HttpOptions http;
    serve::ServiceLimits limits;
    std::string token; ///< to be printed; empty without one
};

base::Status readTokens(const QCommandLineParser& parser, ServeAsked& out)
{
    if (parser.isSet("no-token")) {
        if (parser.isSet("token-file"))
            return Error{ErrorCode::InvalidArgument, "--no-token and --token-file exclude each other", {}, {}};
        return {};
    }
    if (!parser.isSet("token-file")) {
        out.token = serve::freshToken();
        out.http.access = serve::Access::withTokens({serve::tokenOf({}, out.token)});
        return {};
    }
    auto tokens = serve::readTokens(parser.value("token-file").toStdString(), out.token);
    if (!tokens)
        return tokens.error();
    out.http.access = serve::Access::withTokens(std::move(*tokens));
    return {};
}

base::Result<ServeAsked> readServe(const QCommandLineParser& parser)
{
    ServeAsked out;
    out.http.host = parser.value("host").toStdString();
    const auto port = wholeNumber(parser, "port", 0, 65535);
    const auto queue = wholeNumber(parser, "queue", 1, 1'000'000);
    const auto share = parser.isSet("per-client") ? wholeNumber(parser, "per-client", 1, 1'000'000) : queue;
    const auto patience = wholeNumber(parser, "patience", 1, 3600);
    for (const auto* one : {&port, &queue, &share, &patience})
        if (!*one)
            return one->error();
    out.http.port = *port;
    out.http.header_s = out.http.body_s = *patience;
    out.limits.open = *queue;
    out.limits.perClient = *share;
    if (const auto status = readTokens(parser, out); !status)
        return status.error();
    return out;
}

/// Waits until the evaluator has said what there is; Cancelled when a signal came first.
base::Status waitFor(Serving& serving, const Interrupt& interrupt)
{
    base::Status out;
    QEventLoop loop;
    bool over = false;
    QObject::connect(&interrupt, &Interrupt::requested, &loop, [&] {
        out = Error{ErrorCode::Cancelled, "Stopped", {}, {}};
        loop.quit();
    });
    const auto alive = std::make_shared<bool>(true);
    serving.whenReady([&, alive](const base::Status& status) {
        if (!*alive)
            return;
        out = status;
        over = true;
        loop.quit();
    });
    if (!over && !interrupt.caught())
        loop.exec();
    *alive = false;
    return out;
}

} // namespace

int serve(Context& context, const QCommandLineParser& options, const QStringList&)
{
    const auto asked = readServe(options);
    if (!asked)
        return context.fail(asked.error());
    Interrupt interrupt;
    const auto serving = Serving::make(context, asked->limits);
    if (!serving)
        return context.fail(serving.error());
    (*serving)->book().setTakesTexts(!options.isSet("no-references"));
    serve::Front front((*serving)->means());
    // First, so that a port that is taken is told at once. Nobody is answered before the event loop runs below.
    if (const auto status = front.listen(asked->http); !status)
        return context.fail(status.error());
    if (const auto status = waitFor(**serving, interrupt); !status || interrupt.caught())
        return context.fail(status ? Error{ErrorCode::Cancelled, "Stopped", {}, {}} : status.error(), interrupt,
                            "nothing was served");
    const auto left = (*serving)->service().takeUp();
    if (!left)
        return context.fail(left.error());
    if (*left > 0)
        context.terminal().complain(
            "cudal1: " + std::to_string(*left) +
            (*left == 1 ? " request that was accepted before is" : " requests that were accepted before are") +
            " judged now.");
    const nlohmann::json line = {
        {"url", front.url()}, {"token", asked->token.empty() ? nlohmann::json(nullptr) : nlohmann::json(asked->token)}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);

    QEventLoop loop;
    QObject::connect(&front, &serve::Front::ended, &loop, &QEventLoop::quit);
    QObject::connect(&interrupt, &Interrupt::requested, &front, &serve::Front::end);
    if (interrupt.caught())
        front.end();
    loop.exec();
    context.terminal().complain(
        "cudal1: stopped serving; what was accepted with an id is judged when it is started again.");
    return 128 + interrupt.caught();
}

} // namespace cudal1::cli
