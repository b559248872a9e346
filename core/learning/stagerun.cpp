// SPDX-License-Identifier: GPL-3.0-or-later
// The loop over the batches of a stage.
#include "core/learning/stagerun.h"

#include <filesystem>
#include <utility>

namespace cudal1::learning {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

StageRun::StageRun(StageOptions options, BatchMaker& maker, farm::Launcher launcher, QObject* parent)
    : QObject(parent), m_options(std::move(options)), m_maker(maker),
      m_trainer(std::make_unique<TrainerClient>(std::move(launcher))), m_log(m_options.out)
{
    m_maker.log = [this](const QString& line) { say(line); };
    connect(m_trainer.get(), &TrainerClient::complained, this,
            [this](const QString& line) { note(m_log.say("trainer: " + line.toStdString())); });
    connect(m_trainer.get(), &TrainerClient::failed, this, [this](const Error& error) { end(error); });
}

StageRun::~StageRun()
{
    m_maker.cancel();
    m_maker.log = {};
    if (m_begun && !m_ended)
        note(m_log.end(LegEnd::Stopped, {}));
}

void StageRun::start()
{
    auto lock = TrainingLock::take(m_options.out);
    if (!lock)
        return end(lock.error());
    m_lock = std::move(*lock);
    m_trainer->open(openOf(m_options), [this](const json& answer) {
        const auto facts = answer.get<protocol::TrainingOpened>();
        m_batch = facts.batch;
        if (!facts.checkpoint.empty())
            m_checkpoint = (std::filesystem::path(m_options.out) / facts.checkpoint).string();
        note(m_log.begin(facts));
        m_begun = true;
        emit opened(facts);
        next();
    });
}

void StageRun::stop()
{
    if (std::exchange(m_stopping, true) || m_ended || m_learning)
        return;
    m_maker.cancel();
    end({ErrorCode::Cancelled, "The training was stopped", {}, "Run the same command again to go on"});
}

void StageRun::next()
{
    if (m_ended)
        return;
    if (m_stopping || m_batch >= m_options.steps)
        return save(m_stopping);
    m_maker.make(m_batch, *m_trainer, [this](base::Result<MadeBatch> batch) {
        if (m_ended)
            return;
        if (!batch)
            return end(batch.error());
        learn(std::move(*batch));
    });
}

void StageRun::learn(MadeBatch batch)
{
    m_facts = std::move(batch.facts);
    m_learning = true;
    const auto answered = [this](const json& step) { learned(step); };
    if (const auto* pairs = std::get_if<protocol::SftRequest>(&batch.request))
        m_trainer->learn(*pairs, answered);
    else
        m_trainer->learn(std::get<protocol::GrpoRequest>(batch.request), answered);
}

void StageRun::learned(const json& step)
{
    const auto facts = step.get<protocol::TrainingStep>();
    json line = step;
    line.erase("id");
    line.erase("type");
    line["stage"] = wordOf(m_options.stage);
    line["steps"] = m_options.steps;
    line.update(m_facts);
    m_unsaved = facts.saved.empty();
    if (!facts.saved.empty())
        m_checkpoint = (std::filesystem::path(m_options.out) / facts.saved).string();
    note(m_log.add(line));
    emit stepped(line);
    if (!facts.isLast || m_ended)
        return;
    m_learning = false;
    ++m_batch;
    next();
}

void StageRun::save(bool stopped)
{
    const auto finish = [this, stopped] {
        end(stopped ? Error{ErrorCode::Cancelled, "The training was stopped", {}, "Run the same command again to go on"}
                    : Error{});
    };
    if (!m_unsaved)
        return finish();
    m_trainer->save({}, [this, finish](const json& answer) {
        m_checkpoint = answer.value("path", "");
        m_unsaved = false;
        finish();
    });
}

void StageRun::end(Error error)
{
    if (std::exchange(m_ended, true))
        return;
    m_maker.cancel();
    if (m_begun)
        note(m_log.end(error.message.empty()                ? LegEnd::Finished
                       : error.code == ErrorCode::Cancelled ? LegEnd::Stopped
                                                            : LegEnd::Failed,
                       error.message));
    emit finished(error);
}

void StageRun::say(const QString& line)
{
    note(m_log.say(line.toStdString()));
    emit log(line);
}

/// A training does not end because nobody can watch it.
void StageRun::note(const base::Status& written)
{
    if (!written && !std::exchange(m_noted, true))
        emit log(QString::fromStdString(written.error().text()));
}

} // namespace cudal1::learning
