// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a training, or takes one up.
#include "core/training/trainingsession.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

namespace cudal1::training {

namespace fs = std::filesystem;

namespace {

bool isShare(double number)
{
    return number >= 0 && number < 1;
}

base::Result<void> checkedOpening(const protocol::OpenTraining& asked)
{
    const protocol::OptimizerSettings& o = asked.optimizer;
    if (!(o.learningRate >= 0) || !std::isfinite(o.learningRate))
        return base::wrong("The learning rate must not be negative",
                           "0.00001 is usual for all weights, 0.0002 for LoRA");
    if (!isShare(o.beta1) || !isShare(o.beta2) || !(o.epsilon > 0))
        return base::wrong("The optimizer's beta1 and beta2 must be from 0 to below 1, and its epsilon above 0",
                           "0.9, 0.95 and 1e-8 are usual");
    if (!(o.weightDecay >= 0) || !(o.clipNorm >= 0) || !(o.endShare >= 0 && o.endShare <= 1))
        return base::wrong("weight_decay and clip_norm must not be negative, and end_share must be from 0 to 1",
                           "0.1, 1 and 0 are usual");
    if (o.warmupSteps < 0 || o.totalSteps < 0 || asked.saveEvery < 0 || asked.keep < 1 || asked.passTokens < 1 ||
        asked.logitMib < 1 || asked.lora.rank < 0 || asked.threads < 0 || asked.samplerReplies < 1 ||
        asked.samplerCacheMib < 0)
        return base::wrong("A number of steps, tokens, bytes or replies makes no sense",
                           "docs/training.md lists the settings");
    if (!asked.checkpoint.empty() && (asked.out.empty() || asked.checkpoint.find('/') != std::string::npos))
        return base::wrong("A checkpoint is named by its folder's name in `out`", "step-000020 is an example");
    return {};
}

ModelSettings modelSettings(const protocol::OpenTraining& asked)
{
    ModelSettings out;
    out.device = asked.device;
    out.numbers = asked.numbers;
    out.lora.rank = static_cast<std::size_t>(asked.lora.rank);
    out.lora.alpha = asked.lora.alpha;
    if (!asked.lora.targets.empty())
        out.lora.targets = asked.lora.targets;
    out.checkpoints = asked.recomputes;
    out.sharesPrompts = asked.sharesPrompts;
    out.sharding = asked.sharding;
    out.logitBytes = static_cast<std::size_t>(asked.logitMib) << 20;
    out.seed = asked.seed;
    out.threads = asked.threads;
    return out;
}

TrainerSettings trainerSettings(const protocol::OpenTraining& asked, std::uint64_t seed)
{
    const protocol::OptimizerSettings& o = asked.optimizer;
    TrainerSettings out;
    out.adam = {o.beta1, o.beta2, o.epsilon, o.weightDecay, o.clipNorm};
    out.rate.peak = o.learningRate;
    out.rate.warmupSteps = static_cast<std::size_t>(o.warmupSteps);
    out.rate.totalSteps = static_cast<std::size_t>(o.totalSteps);
    out.rate.endShare = o.endShare;
    out.rate.decay = o.decay == protocol::RateDecay::None   ? Decay::None
                   : o.decay == protocol::RateDecay::Linear ? Decay::Linear
                                                            : Decay::Cosine;
    out.passTokens = static_cast<std::size_t>(asked.passTokens);
    out.seed = seed;
    return out;
}

/// What a training that went back leaves behind.
void moveNewer(const TrainingFolder& folder, const std::string& name)
{
    const auto all = folder.checkpoints();
    for (auto newer = std::find(all.begin(), all.end(), name); newer != all.end(); ++newer) {
        if (*newer == name)
            continue;
        std::error_code error;
        const fs::path to = fs::path(folder.path()) / "undone" / *newer;
        fs::create_directories(to.parent_path(), error);
        removeFolder(to.string());
        fs::rename(folder.pathOf(*newer), to, error);
    }
}

} // namespace

base::Result<std::unique_ptr<TrainingSession>> TrainingSession::open(const protocol::OpenTraining& asked,
                                                                     Workgroup& workgroup)
{
    std::unique_ptr<TrainingSession> out(new TrainingSession(asked, workgroup));
    const auto begun = out->begin();
    double failures = begun ? 0 : 1;
    workgroup.sum(std::span(&failures, 1));
    if (!begun)
        return begun.error();
    if (failures > 0)
        return base::Error{base::ErrorCode::ProcessFailed, "Another process of the training could not open it", "",
                           "Its standard error says why"};
    if (!out->m_opened.checkpoint.empty())
        out->m_model->acceptState();
    return out;
}

base::Result<void> TrainingSession::begin()
{
    if (const auto sound = checkedOpening(m_asked); !sound)
        return sound.error();
    m_seed = m_asked.seed;
    std::optional<TrainingRecord> record;
    const TrainingFolder folder(m_asked.out);
    if (!m_asked.out.empty()) {
        const auto names = folder.checkpoints();
        m_opened.checkpoint = m_asked.checkpoint;
        if (m_asked.checkpoint.empty() && !names.empty())
            m_opened.checkpoint = names.back();
    }
    if (!m_opened.checkpoint.empty()) {
        auto read = readRecord(folder.pathOf(m_opened.checkpoint));
        if (!read)
            return read.error();
        record = std::move(*read);
        m_seed = record->seed;
        if (m_asked.numbers.empty())
            m_asked.numbers = record->numbers;
    }
    // With all weights trained, those of the checkpoint stand for the first ones, which may be gone by now.
    const bool isWhole = record && record->lora.rank == 0;
    auto files = decoder::Checkpoint::open(isWhole ? folder.pathOf(m_opened.checkpoint) : m_asked.model);
    if (!files)
        return files.error();
    auto model = TrainingModel::make(*files, modelSettings(m_asked), m_workgroup);
    if (!model)
        return model.error();
    m_model = std::move(*model);
    if (!m_asked.reference.empty()) {
        const bool isStart = m_asked.reference == "start";
        auto reference = decoder::Checkpoint::open(isStart ? m_asked.model : m_asked.reference);
        if (!reference)
            return reference.error();
        const bool isFree = isStart && m_asked.lora.rank > 0; // the model without its adapters
        if (const auto kept = m_model->keepReference(isFree ? nullptr : &*reference); !kept)
            return kept.error();
    }
    m_trainer = std::make_unique<Trainer>(*m_model, m_workgroup, trainerSettings(m_asked, m_seed));
    if (record) {
        if (const auto taken = readState(folder.pathOf(m_opened.checkpoint), *record, *m_model); !taken)
            return taken.error();
        m_trainer->goOn(record->step, record->batch, record->tokens);
        if (m_workgroup.isFirst())
            moveNewer(folder, m_opened.checkpoint);
    }
    m_opened.step = m_trainer->step();
    m_opened.batch = m_trainer->batch();
    m_opened.family = m_model->config().family;
    m_opened.device = m_model->settings().device;
    m_opened.numbers = m_model->settings().numbers;
    m_opened.parameters = m_model->parameters();
    m_opened.trained = m_model->trained();
    m_opened.context = static_cast<int>(m_model->config().context);
    m_opened.vocabulary = static_cast<int>(m_model->config().vocabulary);
    m_opened.processes = m_workgroup.size();
    m_opened.deviceBytes = m_model->deviceBytes();
    return {};
}

base::Result<protocol::TrainingSaved> TrainingSession::save(const protocol::SaveRequest& asked)
{
    const auto begun = std::chrono::steady_clock::now();
    protocol::TrainingSaved out;
    out.step = m_trainer->step();
    if (!asked.path.empty()) {
        std::optional<base::Error> problem;
        if (m_workgroup.isFirst()) {
            const auto written = exportModel(asked.path, *m_model, m_asked.model);
            if (written)
                out.bytes = *written;
            else
                problem = written.error();
        } else {
            m_model->attendWeights();
        }
        m_workgroup.wait();
        if (problem)
            return *problem;
        out.path = asked.path;
    } else {
        if (m_asked.out.empty())
            return base::wrong("The training was opened without a folder for checkpoints",
                               "Give `out` to open, or a `path` to save");
        TrainingRecord record;
        record.step = m_trainer->step();
        record.batch = m_trainer->batch();
        record.seed = m_seed;
        record.tokens = m_trainer->tokens();
        record.model = fs::absolute(m_asked.model).lexically_normal().string();
        record.numbers = m_model->settings().numbers;
        record.lora = m_model->settings().lora;
        record.sizes = m_model->stateSizes();
        const auto saved =
            TrainingFolder(m_asked.out).save(*m_model, m_workgroup, record, m_asked.model, asked.value, m_asked.keep);
        if (!saved)
            return saved.error();
        out.path = saved->path;
        out.bytes = saved->bytes;
        out.isBest = saved->isBest;
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return out;
}

namespace {

/// Keeps the last report of a batch, which is told when the checkpoint after it is written.
Trainer::Told untilLast(std::optional<protocol::TrainingStep>& last, const Trainer::Told& told)
{
    return [&](const protocol::TrainingStep& report) {
        if (report.isLast)
            last = report;
        else
            told(report);
    };
}

} // namespace

base::Result<void> TrainingSession::tellLast(protocol::TrainingStep report, const Trainer::Told& told)
{
    if (!m_asked.out.empty() && m_asked.saveEvery > 0 && m_trainer->batch() % m_asked.saveEvery == 0) {
        const auto saved = save({});
        if (!saved)
            return saved.error();
        report.saved = saved->path;
        report.seconds.save = saved->seconds;
    }
    told(report);
    return {};
}

base::Result<void> TrainingSession::sft(std::span<const Sequence> sequences, const protocol::SftRequest& settings,
                                        const Trainer::Told& told)
{
    std::optional<protocol::TrainingStep> last;
    m_trainer->sft(sequences, settings, untilLast(last, told));
    if (settings.updates)
        return tellLast(*last, told);
    told(*last);
    return {};
}

base::Result<void> TrainingSession::grpo(const std::vector<ReplyGroup>& groups, const protocol::GrpoSettings& settings,
                                         const Trainer::Told& told)
{
    std::optional<protocol::TrainingStep> last;
    m_trainer->grpo(groups, settings, untilLast(last, told));
    return tellLast(*last, told);
}

} // namespace cudal1::training
