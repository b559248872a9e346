// SPDX-License-Identifier: GPL-3.0-or-later
// An evaluator without torch that answers from a recording, for deterministic tests of everything above the farm.
//
//   replay_evaluator RECORDING.jsonl [--log FILE]
//
// RECORDING holds one JSON object a line ("#" starts a comment line). For each request the first line that fits and is
// not used up decides:
//   "on"                  "hello", "describe", "inspect", "facts", "graph", "timeline", "counters" or "evaluate"
//   (required) "task"                only for the task of this name "candidate_sha256"    only for the candidate with
//   this hash (lower-case hex of its UTF-8 source); evaluate only "candidate_contains"  only for candidates with this
//   text; evaluate only "times"               good for so many requests (0, the default: any number); with 1 on each
//   line the recording is
//                         played in order
//   "delay_ms"            time before the final answer
//   "progress"            [{"phase","fraction","text"}, …] sent at equal distances within delay_ms
//   "stderr"              text written to standard error first
//   "act"                 "answer" (default) · "error" (reply is {"code","message","context","hint"}) ·
//                         "crash" (SIGKILL of itself after delay_ms) · "exit" (status "status", default 1) ·
//                         "hang" (never answers) · "garbage" (a line that is no message)
//   "compiles"            true: lets the requests behind it pass, as what waits for a compiler does; one at a time
//   "deaf"                true: cancel is ignored, as by a process that is stuck
//   "reply"               payload of the answer; what an evaluation leaves out is filled from the request
// "hello" knows "reply": {"protocol": N, …}, "delay_ms", "stderr" and "act" "exit", "hang" or "garbage".
// Without a fitting line: describe answers one CPU, inspect finds every task good, the others answer an error.
// --log appends one JSON object a request: {"type","id","task","sha256","preset","paper"}, over all processes that
// share the file. Requests run one after another; cancel is heard at any time. The end of standard input ends the
// program.
#include "core/protocol/messages.h"

#include <QCryptographicHash>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iostream>
#include <optional>

#include <poll.h>
#include <unistd.h>

using nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace protocol = cudal1::protocol;

namespace {

struct Rule {
    json line;
    int used = 0;
};

std::string sha256(const std::string& text)
{
    return QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256).toHex().toStdString();
}

void send(const std::string& text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

class Replay {
public:
    bool load(const char* path);
    void setLog(const char* path) { m_log = path; }
    int run();

private:
    /// What the request in work still has to send, and when.
    struct Job {
        json request;
        json rule;
        Clock::time_point began;
        std::size_t progressSent = 0;
    };

    json ruleFor(const json& request);
    void greet();
    void read(const json& message);
    void begin();
    int nextWait_ms() const;
    void step();
    void conclude();
    void cancel(std::uint64_t id);
    json evaluationReply(const json& request, json reply) const;
    json fallback(const std::string& type, const json& request) const;

    std::vector<Rule> m_rules;
    std::string m_log;
    std::deque<json> m_waiting;
    std::optional<Job> m_job, m_aside;
};

bool Replay::load(const char* path)
{
    std::ifstream in(path);
    std::string text;
    int number = 0;
    while (std::getline(in, text)) {
        ++number;
        if (text.empty() || text.front() == '#')
            continue;
        json line = json::parse(text, nullptr, false);
        if (!line.is_object() || !line.contains("on")) {
            std::cerr << path << ":" << number << ": no JSON object with \"on\"\n";
            return false;
        }
        m_rules.push_back({std::move(line)});
    }
    if (number == 0)
        std::cerr << path << ": cannot be read, or is empty\n";
    return number > 0;
}

json Replay::ruleFor(const json& request)
{
    const std::string type = request.at("type");
    const std::string candidate = request.value("candidate", std::string());
    const std::string task = request.contains("task") ? request["task"].value("name", std::string()) : std::string();
    for (Rule& rule : m_rules) {
        const json& line = rule.line;
        const int times = line.value("times", 0);
        if (line.value("on", std::string()) != type || (times > 0 && rule.used >= times))
            continue;
        if (line.contains("task") && line["task"] != task)
            continue;
        if (line.contains("candidate_sha256") && line["candidate_sha256"] != sha256(candidate))
            continue;
        if (line.contains("candidate_contains") &&
            candidate.find(line["candidate_contains"].get<std::string>()) == std::string::npos)
            continue;
        ++rule.used;
        return line;
    }
    return json::object();
}

void Replay::greet()
{
    const json rule = ruleFor({{"type", "hello"}});
    if (rule.contains("stderr"))
        std::cerr << rule["stderr"].get<std::string>() << std::endl;
    usleep(useconds_t(rule.value("delay_ms", 0)) * 1000);
    const std::string act = rule.value("act", std::string("answer"));
    if (act == "exit")
        std::_Exit(rule.value("status", 1));
    if (act == "hang")
        return;
    if (act == "garbage")
        return send("Welcome to this machine!\n");
    protocol::Hello hello;
    hello.program = "replay_evaluator";
    hello.python = "3.11";
    hello.torch = "replay";
    json payload = hello;
    payload.update(rule.value("reply", json::object()));
    send(protocol::line("hello", 0, payload));
}

void Replay::read(const json& message)
{
    const std::string type = message.value("type", std::string());
    if (type == "hello")
        return greet();
    if (type == "quit")
        std::_Exit(0);
    if (type == "cancel")
        return cancel(message.value("id", std::uint64_t(0)));
    if (!m_log.empty()) {
        json entry = {{"type", type}, {"id", message.value("id", 0)}};
        if (message.contains("task"))
            entry["task"] = message["task"].value("name", std::string());
        if (message.contains("candidate"))
            entry["sha256"] = sha256(message["candidate"]);
        for (const char* field : {"preset", "paper"})
            if (message.contains(field))
                entry[field] = message[field];
        std::ofstream(m_log, std::ios::app) << entry.dump() + "\n" << std::flush;
    }
    m_waiting.push_back(message);
    begin();
}

void Replay::begin()
{
    if (m_job && !m_aside && !m_waiting.empty() && m_job->rule.value("compiles", false))
        std::swap(m_job, m_aside);
    if (!m_job && m_waiting.empty())
        std::swap(m_job, m_aside);
    if (m_job || m_waiting.empty())
        return;
    json request = std::move(m_waiting.front());
    m_waiting.pop_front();
    json rule = ruleFor(request);
    if (rule.contains("stderr"))
        std::cerr << rule["stderr"].get<std::string>() << std::endl;
    m_job = Job{std::move(request), std::move(rule), Clock::now()};
}

int Replay::nextWait_ms() const
{
    if (!m_job)
        return -1;
    const int delay = m_job->rule.value("delay_ms", 0);
    const std::size_t steps = m_job->rule.value("progress", json::array()).size();
    const int due = m_job->progressSent < steps ? int(delay * (m_job->progressSent + 1) / (steps + 1)) : delay;
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - m_job->began).count();
    if (m_job->progressSent >= steps && m_job->rule.value("act", std::string()) == "hang")
        return -1;
    return int(std::max<long long>(0, due - passed));
}

void Replay::step()
{
    if (!m_job || nextWait_ms() != 0)
        return;
    const json progress = m_job->rule.value("progress", json::array());
    if (m_job->progressSent < progress.size()) {
        send(protocol::line("progress", m_job->request.value("id", std::uint64_t(0)), progress[m_job->progressSent]));
        ++m_job->progressSent;
        return;
    }
    conclude();
}

json Replay::evaluationReply(const json& request, json reply) const
{
    const auto asked = request.get<protocol::EvaluateRequest>();
    auto evaluation = reply.get<protocol::Evaluation>();
    if (evaluation.task.empty())
        evaluation.task = asked.task.name;
    if (evaluation.device.name.empty())
        evaluation.device.name = asked.device;
    if (evaluation.device.model.empty())
        evaluation.device.model = "Replay CPU";
    if (evaluation.verdict != protocol::Verdict::Correct && evaluation.reasons.empty())
        evaluation.reasons.push_back({"replayed", "As recorded", {}});
    if (evaluation.environment.evaluator.empty())
        evaluation.environment.evaluator = "replay_evaluator";
    evaluation.precision.mode = asked.precision;
    evaluation.preset = asked.preset;
    evaluation.seed = asked.seed;
    return evaluation;
}

json Replay::fallback(const std::string& type, const json& request) const
{
    if (type == "describe") {
        protocol::Machine machine;
        machine.environment.evaluator = "replay_evaluator";
        machine.environment.torch = "replay";
        protocol::DeviceInfo cpu;
        cpu.name = "cpu";
        cpu.model = "Replay CPU";
        cpu.processors = 2;
        cpu.memory_bytes = std::int64_t(8) << 30;
        machine.devices = {cpu};
        machine.compiler = "/usr/bin/c++";
        machine.memory_bytes = cpu.memory_bytes;
        machine.disk_bytes = std::int64_t(100) << 30;
        return machine;
    }
    protocol::Inspection inspection;
    for (const json& task : request.value("tasks", json::array()))
        inspection.items.push_back({task.value("name", std::string()), true, {}, 0});
    return inspection;
}

void Replay::conclude()
{
    const Job job = std::move(*m_job);
    m_job.reset();
    const std::uint64_t id = job.request.value("id", std::uint64_t(0));
    const std::string type = job.request.at("type");
    const std::string act = job.rule.value("act", std::string("answer"));
    const json reply = job.rule.value("reply", json::object());
    if (act == "crash")
        ::kill(::getpid(), SIGKILL);
    if (act == "exit")
        std::_Exit(job.rule.value("status", 1));
    if (act == "garbage")
        send("Segmentation fault? no, just noise\n");
    else if (act == "error")
        send(protocol::line("error", id, reply));
    else if (job.rule.empty() &&
             (type == "facts" || type == "graph" || type == "timeline" || type == "counters" || type == "evaluate"))
        send(protocol::line(
            "error", id, {{"code", "not_found"}, {"message", "Nothing was recorded for this " + type + " request"}}));
    else if (type == "evaluate")
        send(protocol::line("evaluation", id, evaluationReply(job.request, reply)));
    else if (type == "facts" || type == "timeline" || type == "counters")
        send(protocol::line(type, id, reply));
    else if (type == "graph") {
        json graph = protocol::OperatorGraph();
        graph["device"] = job.request.value("device", std::string("cpu"));
        graph.update(reply);
        send(protocol::line("graph", id, graph));
    } else
        send(protocol::line(type == "describe" ? "machine" : "inspection", id,
                            reply.empty() ? fallback(type, job.request) : reply));
    begin();
}

void Replay::cancel(std::uint64_t id)
{
    const json cancelled = {{"code", "cancelled"}, {"message", "Cancelled"}};
    for (auto it = m_waiting.begin(); it != m_waiting.end(); ++it)
        if (it->value("id", std::uint64_t(0)) == id) {
            m_waiting.erase(it);
            return send(protocol::line("error", id, cancelled));
        }
    if (m_aside && m_aside->request.value("id", std::uint64_t(0)) == id) {
        m_aside.reset();
        return send(protocol::line("error", id, cancelled));
    }
    if (!m_job || m_job->request.value("id", std::uint64_t(0)) != id || m_job->rule.value("deaf", false))
        return;
    const bool evaluation = m_job->request.at("type") == "evaluate";
    const json request = m_job->request;
    m_job.reset();
    if (evaluation)
        send(protocol::line("evaluation", id, evaluationReply(request, {{"verdict", "cancelled"}})));
    else
        send(protocol::line("error", id, cancelled));
    begin();
}

int Replay::run()
{
    std::string buffer;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    for (;;) {
        if (::poll(&input, 1, nextWait_ms()) > 0) {
            char chunk[65536];
            const ssize_t got = ::read(STDIN_FILENO, chunk, sizeof chunk);
            if (got <= 0)
                return 0;
            buffer.append(chunk, std::size_t(got));
            for (std::size_t end; (end = buffer.find('\n')) != std::string::npos; buffer.erase(0, end + 1)) {
                const json message = json::parse(buffer.substr(0, end), nullptr, false);
                if (message.is_object())
                    read(message);
            }
        }
        step();
    }
}

} // namespace

int main(int argc, char** argv)
{
    Replay replay;
    if (argc < 2 || !replay.load(argv[1])) {
        std::cerr << "usage: replay_evaluator RECORDING.jsonl [--log FILE]\n";
        return 2;
    }
    if (argc == 4 && std::string(argv[2]) == "--log")
        replay.setLog(argv[3]);
    return replay.run();
}
