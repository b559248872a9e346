// SPDX-License-Identifier: GPL-3.0-or-later
// The sample project of the page tests.
#include "pageproject.h"

namespace cudal1::tests {

std::string referenceSource()
{
    return R"(import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.diag(A) @ B


M = 4096
N = 4096


def get_inputs():
    return [torch.randn(N), torch.randn(N, M)]


def get_init_inputs():
    return []
)";
}

std::string bestSource()
{
    return R"(import torch
import torch.nn as nn

USE_DIAGONAL_BROADCAST = True


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        # Row i of the product is B's row i scaled by A[i].
        return A.unsqueeze(1) * B


M = 4096
N = 4096


def get_inputs():
    return [torch.randn(N), torch.randn(N, M)]


def get_init_inputs():
    return []
)";
}

protocol::Evaluation judged(protocol::Verdict verdict, double estimate, double low, double high)
{
    protocol::Evaluation evaluation;
    evaluation.verdict = verdict;
    evaluation.speedup.wall = {{estimate, low, high}, 4.1e6, estimate > 0 ? 4.1e6 / estimate : 0};
    evaluation.device.name = "cpu";
    evaluation.device.model = "Sample CPU";
    evaluation.environment.torch = "2.11.0";
    evaluation.trials.run = 20;
    evaluation.trials.passed = verdict == protocol::Verdict::Correct ? 20 : 13;
    if (verdict != protocol::Verdict::Correct)
        evaluation.reasons.push_back(
            {"wrong_values", "7 of 20 trials differ beyond the tolerance", "trial 3: 0.25 against 0.5"});
    return evaluation;
}

SampleProject makeSampleProject(const QString& folder)
{
    SampleProject sample;
    const QString file = folder + QStringLiteral("/sample.cudal1");
    auto project = store::Project::open(file.toStdString());
    if (!project)
        return sample;
    store::Project& store = **project;
    const auto add = [&](const std::string& source, const char* technique, const protocol::Evaluation& evaluation) {
        store::VariantRecord variant;
        variant.task = sample.task;
        variant.taskHash = "hash-1-12";
        variant.source = source;
        variant.performanceAnalysis = "The product with a diagonal matrix reads zeros.";
        variant.origin = "technique library";
        variant.techniques = {technique};
        variant.created_ms = 1'750'000'000'000;
        const auto id = store.addVariant(variant);
        const bool stored = id && store.addEvaluation(*id, evaluation);
        return stored ? *id : base::VariantId();
    };
    const bool tasks = store.putTask({sample.task, "Matmul_with_diagonal_matrices_", "sample-suite", 1,
                                      referenceSource(), "hash-1-12"}) &&
                       store.putTask({sample.untried, "Matmul_Scaling", "sample-suite", 2,
                                      referenceSource() + "# other\n", "hash-2-40"});
    protocol::Evaluation best = judged(protocol::Verdict::Correct, 19.8, 19.5, 20.1);
    best.speedup.event = {{28.9, 28.5, 29.3}, 4.0e6, 1.4e5};
    best.floor.time_ns = 4.1e6 / 19.8 / 4; // a quarter of its time
    sample.best = add(bestSource(), "diagonal_broadcast", best);
    sample.incorrect = add(bestSource() + "# wrong\n", "tf32", judged(protocol::Verdict::Incorrect, 0, 0, 0));
    sample.second = add(referenceSource() + "# compiled\n", "compiled_graph",
                        judged(protocol::Verdict::Correct, 1.02, 0.93, 1.12));
    if (tasks && sample.best && sample.incorrect && sample.second)
        sample.file = file;
    return sample;
}

} // namespace cudal1::tests
