// SPDX-License-Identifier: GPL-3.0-or-later
// Which work a request asks for.
#include "ui/work/jobwork.h"

#include "ui/work/askwork.h"
#include "ui/work/batchwork.h"
#include "ui/work/experimentwork.h"
#include "ui/work/promptwork.h"
#include "ui/work/searchwork.h"
#include "ui/work/trainwork.h"

namespace cudal1::ui {

namespace {

struct Make {
    JobWork::Means means;
    std::vector<Place> places;

    std::unique_ptr<JobWork> operator()(OptimizeJob job)
    {
        job.options.evaluator = places.at(0).launcher.text().toStdString();
        job.options.device = places.at(0).device.toStdString();
        return std::make_unique<OptimizeWork>(std::move(means), std::move(job));
    }
    std::unique_ptr<JobWork> operator()(OptimizeManyJob job)
    {
        return std::make_unique<OptimizeManyWork>(std::move(means), std::move(job), places);
    }
    std::unique_ptr<JobWork> operator()(EvaluateJob job)
    {
        return std::make_unique<EvaluateWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(BaselinesJob job)
    {
        return std::make_unique<BaselinesWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(AblationJob job)
    {
        return std::make_unique<AblationWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(TimelineJob job)
    {
        return std::make_unique<TimelineWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(KernelsJob job)
    {
        return std::make_unique<KernelsWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(CountersJob job)
    {
        return std::make_unique<CountersWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(PromptJob job)
    {
        return std::make_unique<PromptWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(ExperimentJob job)
    {
        return std::make_unique<ExperimentWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(TrainJob job)
    {
        return std::make_unique<TrainWork>(std::move(means), std::move(job), places.at(0));
    }
    std::unique_ptr<JobWork> operator()(TrainExampleJob job)
    {
        return std::make_unique<TrainExampleWork>(std::move(job));
    }
};

} // namespace

std::unique_ptr<JobWork> makeWork(JobWork::Means means, JobRequest request)
{
    return std::visit(Make{std::move(means), request.places}, std::move(request.what));
}

} // namespace cudal1::ui
