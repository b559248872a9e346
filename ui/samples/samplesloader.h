// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what the page of samples shows, on a worker with a connection of its own. Values in, const values out.
#pragma once

#include "core/optimize/samplefacts.h"

#include <QString>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace cudal1::ui {

/// All replies to one question.
struct SampleGroup {
    base::RunId run;                  ///< none: asked outside of a run
    std::int64_t group = 0;           ///< of the run
    std::size_t first = 0, count = 0; ///< in SamplesView::samples
    optimize::SampleSum sum;

    bool isSame(const SampleGroup& other, std::int64_t firstSample, std::int64_t otherFirst) const
    {
        return run == other.run && group == other.group && count == other.count && firstSample == otherFirst;
    }
};

/// What a policy, or a task, took and brought.
struct LedgerRow {
    QString name;
    base::TaskId task; ///< of a row about a task
    optimize::SampleSum sum;
};

struct SamplesView {
    base::TaskId task;                          ///< none: of all tasks
    std::vector<optimize::SampleFacts> samples; ///< the replies to one question stand together; oldest question first
    std::vector<SampleGroup> groups;
    std::vector<LedgerRow> byPolicy, byTask;
    optimize::SampleSum sum;
    bool elsewhere = false; ///< there are none of the task, but some of others
};

base::Result<std::shared_ptr<const SamplesView>> loadSamples(const QString& projectFile, const base::TaskId& task);

/// One reply with its texts, and what its program can be compared with.
struct SampleTexts {
    struct Other {
        QString name; ///< "Best exemplar #12", "Reply 3, which it followed", "Reference"
        std::string source;
    };
    store::Sample sample;
    std::string reply;
    std::string source; ///< its program; empty where it has none
    std::vector<Other> others;
};
base::Result<std::shared_ptr<const SampleTexts>> loadTexts(const QString& projectFile, base::SampleId id);

/// Set to true to have a search end soon with Cancelled.
using SearchStop = std::shared_ptr<std::atomic<bool>>;
base::Result<std::vector<base::SampleId>> searchTexts(const QString& projectFile,
                                                      const std::shared_ptr<const SamplesView>& view,
                                                      const QString& text, const SearchStop& stop);

} // namespace cudal1::ui
