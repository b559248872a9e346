// SPDX-License-Identifier: GPL-3.0-or-later
// steps.jsonl written and read.
#include "core/learning/steplog.h"

#include "core/optimize/owner.h"

#include <QDateTime>
#include <QDir>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr std::array<std::pair<LegEnd, std::string_view>, 3> legEndWords{
    {{LegEnd::Finished, "finished"}, {LegEnd::Stopped, "stopped"}, {LegEnd::Failed, "failed"}}};

QString stepsFileOf(const std::string& folder)
{
    return QDir(QString::fromStdString(folder)).filePath(QStringLiteral("steps.jsonl"));
}

void takeOpened(const json& line, LoggedSteps& out)
{
    out.opened = line["opened"].get<protocol::TrainingOpened>();
    out.process = line.value("process", "");
    out.began_ms = line.value("time_ms", std::int64_t(0));
    out.end.reset();
    out.message.clear();
    ++out.legs;
    out.say(out.began_ms,
            out.opened->batch > 0 ? "goes on at step " + std::to_string(out.opened->batch + 1) : "begins");
    out.messages.back().text += ": " + std::to_string(out.opened->parameters) + " parameters on " + out.opened->device +
                                ", " + out.opened->numbers;
    std::erase_if(out.steps, [&](const json& step) { return step.value("batch", 0) >= out.opened->batch; });
}

void takeEnd(const json& line, LoggedSteps& out)
{
    const std::string word = line.value("ended", "");
    out.message = line.value("message", "");
    for (const auto& [end, text] : legEndWords)
        if (text == word)
            out.end = end;
    out.say(out.last_ms, word + (out.message.empty() ? "" : ": " + out.message));
}

void takeStep(json line, LoggedSteps& out)
{
    const std::string step = "step " + std::to_string(line["batch"].get<int>() + 1) + ": ";
    if (const std::string why = line.value("skipped", ""); !why.empty())
        out.say(out.last_ms, step + "skipped: " + why);
    if (const std::string saved = line.value("saved", ""); !saved.empty())
        out.say(out.last_ms, step + "checkpoint " + saved.substr(saved.rfind('/') + 1));
    out.steps.push_back(std::move(line));
}

} // namespace

StepLog::StepLog(const std::string& folder) : m_folder(folder), m_file(stepsFileOf(folder)) {}

base::Status StepLog::begin(const protocol::TrainingOpened& opened)
{
    QDir().mkpath(QString::fromStdString(m_folder));
    // What a kill has left of a line gets an end of its own.
    if (m_file.open(QIODevice::ReadWrite | QIODevice::Append) && m_file.size() > 0) {
        m_file.seek(m_file.size() - 1);
        if (m_file.read(1) != "\n")
            m_file.write("\n");
    }
    base::Status out = write({{"opened", opened}, {"process", optimize::ownProcess()}});
    for (json& line : std::exchange(m_early, {}))
        if (out)
            out = write(std::move(line));
    return out;
}

base::Status StepLog::say(const std::string& line)
{
    if (m_file.isOpen())
        return write({{"said", line}});
    m_early.push_back({{"said", line}});
    return {};
}

base::Status StepLog::add(const json& step)
{
    return write(step);
}

base::Status StepLog::end(LegEnd how, const std::string& message)
{
    const auto word = std::find_if(legEndWords.begin(), legEndWords.end(),
                                   [how](const auto& one) { return one.first == how; });
    const base::Status out = write({{"ended", word->second}, {"message", message}});
    m_file.close();
    return out;
}

base::Status StepLog::write(json line)
{
    line["time_ms"] = QDateTime::currentMSecsSinceEpoch();
    const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    if (!m_file.isOpen() || m_file.write(text.data(), qint64(text.size())) != qint64(text.size()) || !m_file.flush())
        return Error{ErrorCode::Unavailable, "The steps of the training cannot be written down",
                     m_file.fileName().toStdString(), m_file.errorString().toStdString()};
    return {};
}

bool LoggedSteps::isRunning() const
{
    return legs > 0 && !end && optimize::isAlive(process, last_ms / 1000);
}

void LoggedSteps::say(std::int64_t time_ms, std::string text)
{
    messages.push_back({time_ms, std::move(text)});
}

int LoggedSteps::nextBatch() const
{
    return steps.empty() ? 0 : steps.back().value("batch", 0) + 1;
}

base::Result<LoggedSteps> readStepLog(const std::string& folder)
{
    LoggedSteps out;
    QFile file(stepsFileOf(folder));
    if (!file.exists())
        return out;
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Unreadable, "The steps of the training cannot be read", file.fileName().toStdString(),
                     file.errorString().toStdString()};
    while (!file.atEnd()) {
        const QByteArray bytes = file.readLine();
        json line = json::parse(bytes.begin(), bytes.end(), nullptr, false);
        if (!line.is_object())
            continue;
        try {
            out.last_ms = line.value("time_ms", out.last_ms);
            if (line.contains("opened"))
                takeOpened(line, out);
            else if (line.contains("ended"))
                takeEnd(line, out);
            else if (line.contains("batch") && line["batch"].is_number_integer())
                takeStep(std::move(line), out);
            else if (line.contains("said"))
                out.say(out.last_ms, line["said"].get<std::string>());
        } catch (const std::exception&) { // fields of other kinds: no line of ours
            continue;
        }
    }
    return out;
}

std::optional<double> numberOf(const json& step, const std::string& key)
{
    const auto dot = key.find('.');
    const auto found = step.find(key.substr(0, dot));
    if (found == step.end())
        return {};
    if (dot != std::string::npos)
        return found->is_object() ? numberOf(*found, key.substr(dot + 1)) : std::nullopt;
    return found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

} // namespace cudal1::learning
