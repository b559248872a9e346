// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for faster variants: of one task, and of many.
#pragma once

#include "core/models/makechatmodel.h"
#include "core/models/spending.h"
#include "core/optimize/campaign.h"
#include "ui/work/gatheredtext.h"
#include "ui/work/jobwork.h"

#include <map>
#include <optional>

namespace cudal1::ui {

class OptimizeWork : public JobWork {
public:
    OptimizeWork(Means means, OptimizeJob job);
    void start() override;
    void stop() override;
    base::Status cutOff() override;

private:
    void makeSession();
    void begin();

    Means m_means;
    OptimizeJob m_job;
    models::ModelSources m_sources;
    std::optional<models::Spending> m_spending; ///< once the run has a number
    std::unique_ptr<policy::Policy> m_policy;
    std::unique_ptr<optimize::Search> m_session; ///< null where the policy cannot be made
    bool m_stopped = false;
    GatheredText m_written; ///< of the reply that comes
};

class OptimizeManyWork : public JobWork {
public:
    OptimizeManyWork(Means means, OptimizeManyJob job, std::vector<Place> places);
    void start() override;
    void stop() override
    {
        m_stopped = true;
        m_campaign->stop();
    }
    base::Status cutOff() override;

private:
    void write(const base::TaskId& task, const QString& text);
    void flush();

    Means m_means;
    OptimizeManyJob m_job;
    models::ModelSources m_sources; ///< the policies of all tasks have the same ledgers
    std::optional<models::Spending> m_spending;
    std::vector<Place> m_places;
    std::map<base::TaskId, GatheredText> m_written; ///< of the replies that come
    std::unique_ptr<optimize::Campaign> m_campaign;
    bool m_stopped = false;
};

} // namespace cudal1::ui
