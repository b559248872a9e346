// SPDX-License-Identifier: GPL-3.0-or-later
// Sources and reports that agents read by their addresses.
#pragma once

#include "core/mcp/toolbox.h"
#include "core/serve/taskbook.h"

#include <QObject>
#include <QThreadPool>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace cudal1::serve {

/// Addresses: cudal1://tasks/TASK/reference, cudal1://tasks/TASK/report, cudal1://variants/N/source,
/// cudal1://evaluations/N, cudal1://report. Lives on the project's thread; reports are made on another one.
class McpResources : public QObject, public mcp::Shelf {
    Q_OBJECT
public:
    McpResources(const store::Project& project, const TaskBook& book, QObject* parent = nullptr);

    base::Result<nlohmann::json> list(const std::string& cursor) const override;
    nlohmann::json templates() const override;
    void read(const std::string& uri, Done done) override;

private:
    base::Result<nlohmann::json> text(const std::string& uri) const;
    void report(const std::string& uri, const base::TaskId& task, Done done);

    const store::Project& m_project;
    const TaskBook& m_book;
    QThreadPool m_workers; ///< its end waits for theirs
};

} // namespace cudal1::serve
