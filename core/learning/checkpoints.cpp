// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints listed, policies compared.
#include "core/learning/checkpoints.h"

#include <nlohmann/json.hpp>

#include <QDateTime>
#include <QDir>
#include <QFile>

#include <algorithm>
#include <cmath>
#include <map>

namespace cudal1::learning {

using nlohmann::json;

namespace {

json jsonIn(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray bytes = file.readAll();
    return json::parse(bytes.begin(), bytes.end(), nullptr, false);
}

struct TaskSum {
    int replies = 0, correct = 0;
    bool gained = false;
};

} // namespace

std::vector<CheckpointFacts> checkpointsOf(const std::string& folder)
{
    const QDir dir(QString::fromStdString(folder));
    const json best = jsonIn(dir.filePath(QStringLiteral("best.json")));
    const std::string bestName = best.is_object() ? best.value("name", "") : "";
    std::vector<CheckpointFacts> out;
    for (const QFileInfo& entry : dir.entryInfoList({QStringLiteral("step-*")}, QDir::Dirs, QDir::Name)) {
        const QDir inside(entry.filePath());
        const json record = jsonIn(inside.filePath(QStringLiteral("trainer.json")));
        if (!record.is_object())
            continue;
        CheckpointFacts& one = out.emplace_back();
        one.name = entry.fileName().toStdString();
        one.path = entry.filePath().toStdString();
        one.step = record.value("step", 0);
        one.batch = record.value("batch", 0);
        one.isBest = one.name == bestName;
        one.written_ms = QFileInfo(inside.filePath(QStringLiteral("trainer.json"))).lastModified().toMSecsSinceEpoch();
        for (const QFileInfo& file : inside.entryInfoList(QDir::Files))
            one.bytes += std::uint64_t(file.size());
    }
    return out;
}

base::Interval shareInterval(double share, int count)
{
    if (count <= 0)
        return {0, 0, 1};
    constexpr double z = 1.959964; // 97.5 % of the normal distribution
    const double n = count, middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return {share, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<ComparedPolicy> comparePolicies(const std::vector<optimize::SampleFacts>& samples,
                                            const std::set<base::TaskId>& learnt)
{
    struct Sum {
        ComparedPolicy row;
        std::map<base::TaskId, TaskSum> tasks;
        int rewards = 0;
    };
    std::map<std::pair<std::string, std::string>, Sum> sums;
    for (const optimize::SampleFacts& facts : samples) {
        const store::SampleRecord& sample = facts.sample;
        if (learnt.contains(sample.task) || sample.repair || sample.turn > 0)
            continue;
        Sum& sum = sums[{sample.policy, sample.policyVersion}];
        ComparedPolicy& row = sum.row;
        if (row.replies++ == 0)
            row.first_ms = sample.created_ms;
        TaskSum& task = sum.tasks[sample.task];
        const std::optional<double> reward = facts.usable() ? facts.reward() : std::optional<double>(0);
        const bool faster = facts.correct() && reward.value_or(0) > store::TaskRow::leastGain;
        ++task.replies;
        task.correct += facts.correct();
        task.gained = task.gained || faster;
        row.correct += facts.correct();
        row.faster += faster;
        row.exploits += facts.evaluation && facts.evaluation->verdict == protocol::Verdict::Exploit;
        if (reward) {
            row.reward += *reward;
            ++sum.rewards;
        }
    }
    std::vector<ComparedPolicy> out;
    for (auto& [key, sum] : sums) {
        ComparedPolicy row = sum.row;
        row.policy = key.first;
        row.version = key.second;
        row.tasks = int(sum.tasks.size());
        row.reward = sum.rewards ? row.reward / sum.rewards : 0;
        double success = 0;
        int gained = 0;
        for (const auto& [task, one] : sum.tasks) {
            success += double(one.correct) / one.replies;
            gained += one.gained;
        }
        row.success = shareInterval(success / row.tasks, row.tasks);
        row.gained = shareInterval(double(gained) / row.tasks, row.tasks);
        out.push_back(std::move(row));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first_ms < b.first_ms; });
    return out;
}

} // namespace cudal1::learning
