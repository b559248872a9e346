// SPDX-License-Identifier: GPL-3.0-or-later
// Programs from resources/ablation.
#include "core/ablation/examples.h"

#include "core/policy/toggles.h"

#include <QFile>

#include <array>

// A static library's resources are taken in by this, which must stand outside of any namespace.
static void takeInResources()
{
    Q_INIT_RESOURCE(ablation);
}

namespace cudal1::ablation {

namespace {

constexpr std::array<Example, 2> all{{
    {"3/41", "bidirectional GRU, four toggles", "table 9", "gru_bidirectional.py"},
    {"1/66", "asymmetric 3-D convolution, three toggles", "table 10", "conv3d_asymmetric.py"},
}};

} // namespace

std::span<const Example> examples()
{
    return all;
}

const Example* exampleFor(const base::TaskId& task)
{
    for (const Example& example : all)
        if (example.task == task.value)
            return &example;
    return nullptr;
}

store::VariantRecord variantOf(const Example& example, const store::TaskRecord& task)
{
    store::VariantRecord out;
    out.task = task.id;
    out.taskHash = task.hash;
    out.source = sourceOf(example);
    out.origin = "example: " + std::string(example.title);
    if (const auto toggles = policy::findToggles(out.source))
        for (const policy::Toggle& toggle : *toggles)
            if (toggle.on)
                out.techniques.push_back(policy::techniqueOf(toggle.name));
    return out;
}

std::string sourceOf(const Example& example)
{
    takeInResources();
    QFile file(QStringLiteral(":/ablation/") + QString::fromUtf8(example.file));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace cudal1::ablation
