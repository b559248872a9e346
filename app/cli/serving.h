// SPDX-License-Identifier: GPL-3.0-or-later
// What `cudal1 serve` and `cudal1 mcp` begin with: project, suite, evaluators and what they judge on.
#pragma once

#include "app/cli/context.h"
#include "core/crew/crew.h"
#include "core/serve/mcptools.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

namespace cudal1::cli {

class Serving : public QObject {
    Q_OBJECT
public:
    /// Nothing runs yet. With --device the devices that are named are judged on, several with commas between; else any
    /// that a request names, and by default the first GPU or the CPU.
    static base::Result<std::unique_ptr<Serving>> make(Context& context, const serve::ServiceLimits& limits);

    serve::JudgeService& service() { return *m_service; }
    serve::TaskBook& book() { return *m_book; }
    serve::McpTools::Means means();
    using Ready = std::function<void(const base::Status&)>;
    /// Starts an evaluator, where none is there or starting, and asks it what there is. Calls back when that is known,
    /// at once where it is.
    void whenReady(Ready ready);

private:
    explicit Serving(Context& context) : m_context(context) {}
    void take(const crew::JobOutcome& outcome);

    Context& m_context;
    store::Project* m_project = nullptr; ///< the context's
    std::unique_ptr<crew::Crew> m_crew;
    std::unique_ptr<serve::TaskBook> m_book;
    std::unique_ptr<serve::JudgeService> m_service;
    std::filesystem::path m_bundled;
    crew::JobId m_describing = 0;
    std::vector<Ready> m_waiting;
};

} // namespace cudal1::cli
