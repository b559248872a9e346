// SPDX-License-Identifier: GPL-3.0-or-later
// A project in a folder of its own, with options for one task: what tests of the optimise loop begin with.
#pragma once

#include "core/optimize/search.h"

#include <QByteArray>
#include <QFile>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>

namespace cudal1::tests {

class ProjectFixture {
protected:
    /// A new, empty project and options for the task 1/12, which is not in it yet. Ends the test program on failure.
    void renew()
    {
        m_project.reset(); // before its folder
        m_folder = std::make_unique<QTemporaryDir>();
        auto opened = store::Project::open(m_folder->filePath("p.cudal1").toStdString());
        if (!opened)
            qFatal("%s", opened.error().text().c_str());
        m_project = std::move(*opened);
        m_options = {};
        m_options.task = {{"1/12"}, "Diagonal", "suite", 1, "class Model: pass", "abc"};
    }

    /// The command of an evaluator that answers with a small graph, after some milliseconds, and then with these lines
    /// of a recording. It logs the requests that it gets in log.jsonl of the folder.
    QStringList command(const QByteArray& lines, int graphAfter_ms = 0) const
    {
        QFile file(m_folder->filePath("recording.jsonl"));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) ||
            file.write("{\"on\":\"graph\",\"delay_ms\":" + QByteArray::number(graphAfter_ms) +
                       ",\"reply\":{\"output_kind\":\"tensor\",\"total_ns\":1000}}\n" + lines) < 0)
            qFatal("cannot write the recording");
        return {QString(CUDAL1_BINARY_DIR) + "/tests/replay_evaluator", file.fileName(), "--log",
                m_folder->filePath("log.jsonl")};
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    optimize::SearchOptions m_options;
};

} // namespace cudal1::tests
