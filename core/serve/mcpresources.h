// SPDX-License-Identifier: GPL-3.0-or-later
// Sources and reports that agents read by their addresses.
#pragma once

#include "core/serve/taskbook.h"

#include <QObject>
#include <QThreadPool>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace cudal1::serve {

/// Addresses: cudal1://tasks/TASK/reference, cudal1://tasks/TASK/report, cudal1://variants/N/source,
/// cudal1://evaluations/N, cudal1://report. Lives on the project's thread; reports are made on another one.
class McpResources : public QObject {
    Q_OBJECT
public:
    McpResources(const store::Project& project, const TaskBook& book, QObject* parent = nullptr);

    /// A page of what there is, as resources/list answers; the cursor is that of the page before, empty for the first.
    base::Result<nlohmann::json> list(const std::string& cursor) const;
    static nlohmann::json templates();
    using Done = std::function<void(const base::Result<nlohmann::json>&)>;
    /// As resources/read answers; NotFound for what is not there. At once, or for a report from the event loop.
    void read(const std::string& uri, Done done);

private:
    base::Result<nlohmann::json> text(const std::string& uri) const;
    void report(const std::string& uri, const base::TaskId& task, Done done);

    const store::Project& m_project;
    const TaskBook& m_book;
    QThreadPool m_workers; ///< its end waits for theirs
};

} // namespace cudal1::serve
