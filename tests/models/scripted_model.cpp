// SPDX-License-Identifier: GPL-3.0-or-later
// A `cudal1-model` without a model, for tests of its clients.
//
//   scripted_model SCRIPT serve …        SCRIPT: an object of JSON, "{}" for a well-behaved one
//   "log"      file to which each line that comes in is appended
//   "noise"    lines before the greeting
//   "protocol" version in the greeting
//   "load"     "error" (a message of id 0), "exit" (status 1), "hang" (no greeting), "silent" (no facts)
// What a request says in its last message decides what becomes of it:
//   "hang"     a part of its first reply and no more
//   "error"    an error, "garbage": a line that is no message, "stray": a reply that was not asked for
//   "die"      the second reply, a part of the first, and death, in the first process that reads it; with "always" in
//   all else each reply in two parts: "SEED:NUMBER:MESSAGE"
#include "core/protocol/localmodelmessages.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include <unistd.h>

using nlohmann::json;
namespace protocol = cudal1::protocol;

namespace {

void send(const char* type, std::uint64_t id, json payload)
{
    std::fputs(protocol::line(type, id, std::move(payload)).c_str(), stdout);
    std::fflush(stdout);
}

std::string textOf(const protocol::GenerateRequest& request, int reply)
{
    const std::string seed = request.settings.seed ? std::to_string(*request.settings.seed + unsigned(reply)) : "none";
    return seed + ":" + std::to_string(reply) + ":" + request.messages.back().content;
}

void part(std::uint64_t id, const protocol::GenerateRequest& request, int reply, const std::string& text)
{
    if (request.partials)
        send("partial", id, protocol::ReplyPart{reply, text});
}

void answer(std::uint64_t id, const protocol::GenerateRequest& request, int reply)
{
    protocol::GeneratedReply out;
    out.reply = reply;
    out.text = textOf(request, reply);
    out.end = request.settings.maxTokens == 1 ? protocol::ReplyEnd::Length : protocol::ReplyEnd::Stop;
    out.promptTokens = 30;
    out.replyTokens = 7;
    if (request.logprobs)
        out.logprobs = {-0.5F, -1.5F};
    part(id, request, reply, out.text.substr(0, 3));
    part(id, request, reply, out.text.substr(3));
    send("reply", id, out);
}

void die(const json& script, std::uint64_t id, const protocol::GenerateRequest& request)
{
    const std::string mark = script.value("log", "") + ".died";
    if (request.messages.back().content.find("always") == std::string::npos && std::ifstream(mark).good()) {
        for (int reply = 0; reply < request.replies; ++reply)
            answer(id, request, reply);
        return;
    }
    std::ofstream(mark) << "x";
    if (request.replies > 1)
        answer(id, request, 1);
    part(id, request, 0, "Half of");
    std::fputs("these are my last words\n", stderr);
    ::kill(::getpid(), SIGKILL);
}

void generate(const json& script, std::uint64_t id, const protocol::GenerateRequest& request)
{
    const std::string& what = request.messages.back().content;
    const auto says = [&](const char* word) { return what.find(word) != std::string::npos; };
    if (says("hang"))
        return part(id, request, 0, "Half of");
    if (says("error"))
        return send("error", id,
                    {{"code", "invalid_argument"}, {"message", "The prompt has 9000 tokens"}, {"hint", "Shorten it"}});
    if (says("garbage")) {
        std::puts("this is no JSON");
        std::fflush(stdout);
        return;
    }
    if (says("stray"))
        return answer(id, request, request.replies);
    if (says("die"))
        return die(script, id, request);
    for (int reply = request.replies; reply-- > 0;)
        answer(id, request, reply);
}

/// False when the program is to end.
bool greet(const json& script)
{
    const std::string load = script.value("load", "");
    for (int i = 0; i < script.value("noise", 0); ++i)
        std::puts("Welcome to this machine");
    std::fflush(stdout);
    if (load == "exit") {
        std::fputs("no such model\n", stderr);
        return false;
    }
    if (load == "hang")
        return true;
    protocol::Hello hello;
    hello.protocolVersion = script.value("protocol", protocol::modelProtocolVersion);
    send("hello", 0, hello);
    if (load == "error") {
        send("error", 0, {{"code", "unreadable"}, {"message", "The file is damaged"}, {"context", "x.gguf"}});
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    const json script = json::parse(argc > 1 ? argv[1] : "{}");
    for (std::string line; std::getline(std::cin, line);) {
        if (script.contains("log"))
            std::ofstream(script["log"].get<std::string>(), std::ios::app) << line << '\n';
        const json message = json::parse(line);
        const auto type = message["type"].get<std::string>();
        const auto id = message["id"].get<std::uint64_t>();
        if (type == "quit")
            return 0;
        if (type == "hello" && !greet(script))
            return 1;
        if (type == "info" && script.value("load", "") != "silent") {
            protocol::ModelFacts facts;
            facts.name = "scripted.gguf";
            facts.context = 8192;
            send("facts", id, facts);
        }
        if (type == "generate")
            generate(script, id, message.get<protocol::GenerateRequest>());
        if (type == "cancel")
            send("error", id, {{"code", "cancelled"}, {"message", "The request was withdrawn"}});
    }
    return 0;
}
