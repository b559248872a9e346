// SPDX-License-Identifier: GPL-3.0-or-later
// Each question is a function on a pool of one thread, and its answer a queued call.
#include "ui/timeline/timelineloader.h"

#include "core/store/project.h"
#include "core/store/storedversus.h"
#include "core/timeline/chrometrace.h"
#include "core/timeline/timelinesummary.h"

#include <QElapsedTimer>

namespace cudal1::ui {

using base::Error;

namespace {

constexpr qint64 reportEvery_ms = 50;

} // namespace

TimelineLoader::TimelineLoader(QObject* parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
    m_quick.setMaxThreadCount(1);
}

TimelineLoader::~TimelineLoader()
{
    m_stop.request_stop();
    m_pool.clear();
    m_quick.clear();
    m_pool.waitForDone();
    m_quick.waitForDone();
}

void TimelineLoader::begin()
{
    if (m_busy++ == 0)
        m_stop = std::stop_source();
    emit busyChanged();
}

void TimelineLoader::end()
{
    --m_busy;
    emit busyChanged();
}

void TimelineLoader::cancel()
{
    m_stop.request_stop();
}

void TimelineLoader::load(const QString& project, base::TimelineId id)
{
    m_pool.start([this, project, id] {
        const auto fail = [&](const Error& error) { post([this, id, error] { emit failed(id, error); }); };
        const auto store = store::Project::open(project.toStdString());
        if (!store)
            return fail(store.error());
        const auto answer = (*store)->timeline(id);
        if (!answer)
            return fail(answer.error());
        const auto record = (*store)->timelineRecord(id);
        std::string beside;
        if (record && record->variant && answer->candidate)
            beside = timeline::besideJudgeText(
                timeline::summarise(answer->reference), timeline::summarise(*answer->candidate),
                store::judgedOn(**store, record->variant, answer->device.model, answer->precision));
        post([this, id, sides = std::make_shared<const std::vector<timeline::Side>>(timeline::sidesOf(*answer)),
              beside = QString::fromStdString(beside)] { emit loaded(id, sides, beside); });
    });
}

void TimelineLoader::open(const QString& file)
{
    begin();
    m_pool.start([this, file, stop = m_stop.get_token()] {
        timeline::Watch watch;
        watch.stop = stop;
        QElapsedTimer since;
        watch.progress = [&](double fraction) {
            if (since.isValid() && since.elapsed() < reportEvery_ms && fraction < 1)
                return;
            since.start();
            post([this, file, fraction] { emit progress(file, fraction); });
        };
        auto trace = timeline::openTrace(file.toStdString(), watch);
        if (!trace)
            return post([this, error = trace.error()] {
                end();
                emit failed({}, error);
            });
        post([this, file, sides = std::make_shared<const std::vector<timeline::Side>>(std::move(trace->sides))] {
            end();
            emit opened(file, sides);
        });
    });
}

void TimelineLoader::save(const QString& project, base::TimelineId id, const QString& file)
{
    begin();
    m_pool.start([this, project, id, file, stop = m_stop.get_token()] {
        post([this, file] { emit progress(file, -1); });
        const auto result = [&]() -> base::Status {
            const auto store = store::Project::open(project.toStdString());
            if (!store)
                return store.error();
            const auto answer = (*store)->timeline(id);
            if (!answer)
                return answer.error();
            return timeline::saveTrace(file.toStdString(), *answer, stop);
        }();
        post([this, file, result] {
            end();
            if (result)
                emit saved(file);
            else
                emit failed({}, result.error());
        });
    });
}

} // namespace cudal1::ui
