// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what the ablation page shows, on a thread of its own with a connection of its own.
#pragma once

#include "core/ablation/effects.h"
#include "core/ablation/forecast.h"
#include "ui/kit/background.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <memory>
#include <optional>
#include <vector>

namespace cudal1::ui {

/// What the page wants to see.
struct AblationQuestion {
    QString project;
    store::TaskRecord task;
    std::optional<base::AblationId> stored; ///< as it was run; else what follows
    bool newest = false;                    ///< the newest stored one of the task, where there is one
    ablation::AblationRequest request;
    ablation::AblationSettings settings;
    bool chosenDevice = false; ///< these settings also where nothing is judged with them, but with others
};

/// All of it in one piece; shared and never changed.
struct AblationView {
    std::vector<store::AblationRecord> stored; ///< of the task, newest first
    std::optional<base::AblationId> shown;     ///< which of them this is, if it is one
    ablation::AblationRequest request;
    ablation::AblationSettings settings;
    std::vector<policy::Toggle> toggles; ///< all of the variant's; the request names those that are switched
    std::optional<base::Error> error;    ///< why there is no plan
    ablation::AblationPlan plan;
    std::vector<ablation::CombinationRow> rows; ///< in the plan's order
    ablation::Forecast forecast;
    /// What Run would do with the present choice of device, precision and preset, where what is shown was judged with
    /// another.
    struct Here {
        ablation::AblationSettings settings;
        ablation::Forecast forecast;
    };
    std::optional<Here> here;
    /// Other settings that have results where the present choice has none; what is shown, unless the question says no.
    std::optional<ablation::AblationSettings> elsewhere;
    ablation::Effects wall, event;
};

/// "NVIDIA H200 (kernelbench, standard)"
QString conditionsText(const ablation::AblationSettings& settings);

class AblationLoader : public QObject {
    Q_OBJECT
public:
    explicit AblationLoader(QObject* parent = nullptr);
    ~AblationLoader() override; ///< waits for the read in work, some milliseconds

    /// `loaded` follows; an answer to an earlier question does not.
    void load(AblationQuestion question);
    void forget() { m_asker.forget(); } ///< no answer to what was asked follows
    bool isLoading() const { return m_asker.isWaiting(); }

signals:
    void loaded(std::shared_ptr<const cudal1::ui::AblationView> view);

private:
    QThreadPool m_pool;
    Asker m_asker{this, m_pool};
};

} // namespace cudal1::ui
