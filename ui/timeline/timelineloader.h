// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes timelines on a thread of its own: recordings of a project, traces in files; and counts what is in
// them.
//
// Lives on the GUI thread; answers come through its event loop, in the order of the questions. Openings and savings
// that are cancelled end with failed(Cancelled).
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/timeline/eventtables.h"
#include "core/timeline/traceimport.h"
#include "ui/kit/background.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace cudal1::ui {

class TimelineLoader : public QObject {
    Q_OBJECT
public:
    using Sides = std::shared_ptr<const std::vector<timeline::Side>>;

    explicit TimelineLoader(QObject* parent = nullptr);
    ~TimelineLoader() override; ///< stops what goes on and waits for that

    /// A recording of the project's file: `loaded` or `failed` follows.
    void load(const QString& project, base::TimelineId id);
    /// A trace: `opened` or `failed` follows.
    void open(const QString& file);
    /// A recording as a trace: `saved` or `failed` follows.
    void save(const QString& project, base::TimelineId id, const QString& file);
    /// Opening and saving end within a moment.
    void cancel();
    /// How many openings and savings are under way.
    int busy() const { return m_busy; }

    // For questions about what is shown, each kind on its own: they run on the thread for short ones.
    Asker& counting() { return m_counting; }
    Asker& searching() { return m_searching; }

signals:
    /// `beside`: timeline::besideJudgeText() with what the project has of the recorded variant.
    void loaded(cudal1::base::TimelineId id, const cudal1::ui::TimelineLoader::Sides& sides, const QString& beside);
    void opened(const QString& file, const cudal1::ui::TimelineLoader::Sides& sides);
    void saved(const QString& file);
    /// `id` is of a recording that was to be loaded; 0 for files.
    void failed(cudal1::base::TimelineId id, const cudal1::base::Error& error);
    /// Of opening or saving `file`; negative when that is not known.
    void progress(const QString& file, double fraction);
    void busyChanged();

private:
    template<class Function> void post(Function function)
    {
        QMetaObject::invokeMethod(this, std::move(function), Qt::QueuedConnection);
    }
    void begin();
    void end();

    std::stop_source m_stop;
    int m_busy = 0;
    QThreadPool m_pool, m_quick; ///< one thread each: a large file does not hold up a table
    Asker m_counting{this, m_quick}, m_searching{this, m_quick};
};

} // namespace cudal1::ui
