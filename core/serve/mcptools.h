// SPDX-License-Identifier: GPL-3.0-or-later
// What the tools of agents do. Each works on the project and the judge; none reads or writes a file of the machine.
#pragma once

#include "core/mcp/toolbox.h"
#include "core/serve/judgeservice.h"

#include <QObject>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace cudal1::serve {

/// Lives on the service's thread, together with project and crew; all must outlive it.
class McpTools : public QObject, public mcp::Toolbox {
    Q_OBJECT
public:
    struct Means {
        JudgeService& service;
        crew::Crew& crew;
        store::Project& project;
        const TaskBook& book;
        std::filesystem::path bundled; ///< the bundled suite, whose facts are read; may be empty
        /// Calls back when the judge can be asked, at once where it can be now, or with why it cannot.
        std::function<void(std::function<void(const base::Status&)>)> whenReady;
    };
    using Caller = mcp::Caller;
    using Cancel = mcp::Cancel;

    explicit McpTools(Means means, QObject* parent = nullptr);

    const nlohmann::json& list() const override;
    std::string instructions() const override;
    Cancel call(const std::string& tool, const nlohmann::json& arguments, const Caller& caller) override;

private:
    Cancel whenReady(const Caller& caller, std::function<Cancel()> begin);
    base::Result<nlohmann::json> read(const std::string& tool, const nlohmann::json& arguments) const;
    base::Result<nlohmann::json> listTasks(const nlohmann::json& arguments) const;
    base::Result<nlohmann::json> showTask(const nlohmann::json& arguments) const;
    base::Result<nlohmann::json> compare(const nlohmann::json& arguments) const;
    base::Result<nlohmann::json> variants(const nlohmann::json& arguments) const;
    base::Result<nlohmann::json> baselines(const nlohmann::json& arguments) const;
    base::Result<nlohmann::json> kernels(const nlohmann::json& arguments) const;
    Cancel evaluate(const nlohmann::json& arguments, const Caller& caller);
    Cancel timeline(const nlohmann::json& arguments, const Caller& caller);
    base::Result<nlohmann::json> keepTimeline(const store::TaskRecord& task, base::VariantId variant,
                                              const std::string& source, const std::string& client,
                                              const protocol::TimelineAnswer& answer, int rows);

    Means m_means;
    struct Recording {
        Caller caller;
        std::function<base::Result<nlohmann::json>(const protocol::TimelineAnswer&)> keep;
    };
    std::map<crew::JobId, Recording> m_recordings;
};

} // namespace cudal1::serve
