// SPDX-License-Identifier: GPL-3.0-or-later
// From the question to rows, forecast and effects.
#include "ui/ablation/ablationloader.h"

#include "core/ablation/examples.h"
#include "core/ablation/findingstext.h"
#include "core/ablation/measured.h"

#include <algorithm>

namespace cudal1::ui {

namespace {

base::Result<ablation::AblationPlan> planOf(const store::Project& project, const AblationQuestion& question,
                                            AblationView& view)
{
    const auto stored = std::find_if(view.stored.begin(), view.stored.end(), [&](const store::AblationRecord& one) {
        return question.newest || one.id == question.stored;
    });
    if ((question.stored || question.newest) && stored != view.stored.end()) {
        auto plan = ablation::planOf(project, *stored);
        if (!plan)
            return plan;
        view.shown = stored->id;
        view.settings = ablation::settingsOf(*stored);
        view.request = {question.task.id, stored->variant, stored->toggles, plan->design, {}, false};
        for (const store::AblationRow& row : stored->rows)
            if (plan->design == ablation::Design::List)
                view.request.list += (view.request.list.empty() ? "" : ", ") +
                                     ablation::combinationText(stored->toggles, row.on);
        return plan;
    }
    const ablation::AblationRequest& request = question.request;
    if (request.variant)
        return ablation::planFor(project, request.variant, request.toggles, request.design, request.list);
    const ablation::Example* example = ablation::exampleFor(question.task.id);
    if (!example)
        return base::Error{base::ErrorCode::NotFound, "No variant is chosen", {}, "Choose one above the table"};
    auto variant = ablation::variantOf(*example, question.task);
    if (const auto known = project.findVariant(question.task.id, question.task.hash, variant.source); known && *known)
        variant.id = **known;
    return ablation::planFor(question.task, variant, request.toggles, request.design, request.list);
}

bool sameConditions(const ablation::AblationSettings& a, const ablation::AblationSettings& b)
{
    return a.deviceModel == b.deviceModel && a.precision == b.precision && a.preset == b.preset;
}

/// The rows with the view's settings or, where nothing is judged with the chosen ones, with others.
base::Status readRows(const store::Project& project, const AblationQuestion& question, AblationView& view)
{
    auto rows = ablation::rowsOf(project, view.plan, view.settings);
    if (!rows)
        return rows.error();
    view.rows = std::move(*rows);
    const bool any = std::ranges::any_of(view.rows, [](const auto& row) { return row.found.has_value(); });
    if (view.shown || any) // a stored ablation has settings of its own
        return {};
    const auto other = ablation::judgedElsewhere(project, view.rows, view.settings);
    if (!other)
        return other.error();
    view.elsewhere = *other;
    if (!view.elsewhere || question.chosenDevice)
        return {};
    view.settings = *view.elsewhere;
    auto there = ablation::rowsOf(project, view.plan, view.settings);
    if (!there)
        return there.error();
    view.rows = std::move(*there);
    return {};
}

AblationView read(const AblationQuestion& question)
{
    AblationView view;
    view.request = question.request;
    view.settings = question.settings;
    const auto read = [&]() -> base::Status {
        const auto project = store::Project::open(question.project.toStdString());
        if (!project)
            return project.error();
        auto stored = (*project)->ablations(question.task.id);
        if (!stored)
            return stored.error();
        view.stored = std::move(*stored);
        // The toggles are told also where the design cannot be made of them.
        if (question.request.variant) {
            if (const auto variant = (*project)->variant(question.request.variant))
                if (auto toggles = policy::findSwitches(variant->source))
                    view.toggles = std::move(*toggles);
        }
        auto plan = planOf(**project, question, view);
        if (!plan)
            return plan.error();
        view.plan = std::move(*plan);
        if (auto toggles = policy::findSwitches(view.plan.variant.source)) // the user's own need not begin with USE_
            view.toggles = std::move(*toggles);
        if (const auto status = readRows(**project, question, view); !status)
            return status;
        for (const store::AblationRecord& one : view.stored) {
            std::vector<std::uint32_t> combinations;
            for (const store::AblationRow& row : one.rows)
                combinations.push_back(row.on);
            if (!view.shown && one.variant == view.plan.variant.id && one.toggles == view.plan.names() &&
                combinations == view.plan.combinations && sameConditions(ablation::settingsOf(one), view.settings))
                view.shown = one.id;
        }
        auto forecast = ablation::forecast(**project, view.plan, view.settings, view.rows, view.request.again);
        if (!forecast)
            return forecast.error();
        view.forecast = *forecast;
        if (!sameConditions(view.settings, question.settings)) {
            const auto rowsHere = ablation::rowsOf(**project, view.plan, question.settings);
            if (!rowsHere)
                return rowsHere.error();
            const auto forecastHere = ablation::forecast(**project, view.plan, question.settings, *rowsHere,
                                                         view.request.again);
            if (!forecastHere)
                return forecastHere.error();
            view.here = {question.settings, *forecastHere};
        }
        const std::size_t count = view.plan.toggles.size();
        view.wall = ablation::effectsOf(count, ablation::measuredOf(view.rows, ablation::EffectClock::Wall));
        view.event = ablation::effectsOf(count, ablation::measuredOf(view.rows, ablation::EffectClock::Event));
        return {};
    };
    if (const auto status = base::caught(read); !status)
        view.error = status.error();
    return view;
}

} // namespace

QString conditionsText(const ablation::AblationSettings& settings)
{
    return QStringLiteral("%1 (%2, %3)")
        .arg(QString::fromStdString(settings.deviceModel.empty() ? settings.device : settings.deviceModel),
             QString::fromUtf8(protocol::toString(settings.precision)),
             QString::fromUtf8(protocol::toString(settings.preset)));
}

AblationLoader::AblationLoader(QObject* parent) : QObject(parent)
{
    m_pool.setMaxThreadCount(1);
}

AblationLoader::~AblationLoader()
{
    m_pool.clear();
    m_pool.waitForDone();
}

void AblationLoader::load(AblationQuestion question)
{
    m_pool.clear(); // questions that nobody waits for any more
    m_asker.ask([question = std::move(question)] { return std::make_shared<const AblationView>(read(question)); },
                [this](const std::shared_ptr<const AblationView>& view) { emit loaded(view); });
}

} // namespace cudal1::ui
