// SPDX-License-Identifier: GPL-3.0-or-later
// Small task files, suites and projects for the tests of the window.
#pragma once

#include "core/store/project.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QString>

namespace samples {

inline QByteArray taskSource()
{
    return "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def __init__(self):\n        "
           "super().__init__()\n\n"
           "    def forward(self, x):\n        return torch.relu(x)\n\n\ndef get_inputs():\n    return "
           "[torch.randn(16, 16)]\n\n\n"
           "def get_init_inputs():\n    return []\n";
}

inline void write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", qPrintable(path));
}

/// A suite with tasks 1/1 Relu, 1/2 Twice and 2/1 Chain.
inline QString suite(const QString& folder)
{
    for (const char* name : {"level1/1_Relu.py", "level1/2_Twice.py", "level2/1_Chain.py"})
        write(folder + QLatin1Char('/') + QLatin1String(name), taskSource() + "# " + name + "\n");
    return folder;
}

inline cudal1::protocol::Evaluation evaluation(double speedup)
{
    cudal1::protocol::Evaluation out;
    out.verdict = speedup > 0 ? cudal1::protocol::Verdict::Correct : cudal1::protocol::Verdict::Incorrect;
    if (speedup > 0)
        out.speedup.wall = {{speedup, speedup * 0.98, speedup * 1.02}, 1e6, 1e6 / speedup};
    else
        out.reasons.push_back({"wrong_values", "3 of 20 trials differ from the reference.", {}});
    out.device.name = "cpu";
    out.device.model = "Test CPU";
    out.trials.run = 20;
    out.trials.passed = speedup > 0 ? 20 : 17;
    return out;
}

/// Adds a judged variant of task 1/1, or a baseline of it; a speed-up of 0 is an incorrect one.
inline cudal1::base::VariantId addVariant(cudal1::store::Project& project, const std::string& source, double speedup,
                                          const std::string& baseline = {})
{
    using namespace cudal1;
    const QByteArray text = taskSource() + "# level1/1_Relu.py\n"; // as in suite()
    const std::string hash = QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().toStdString();
    (void)project.putTask({{"1/1"}, "Relu", "suite", 1, text.toStdString(), hash});
    store::VariantRecord variant;
    variant.task = {"1/1"};
    variant.taskHash = hash;
    variant.source = source;
    variant.origin = "technique library";
    variant.techniques = {"cuda_graph"};
    variant.baseline = baseline;
    const auto id = project.addVariant(variant);
    if (!id || !project.addEvaluation(*id, evaluation(speedup)))
        qFatal("the variant cannot be added");
    return *id;
}

} // namespace samples
