// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses of what the project has.
#include "core/serve/mcpresources.h"

#include "core/optimize/options.h"
#include "core/report/report.h"
#include "core/store/storedjson.h"
#include "core/tasks/suite.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace cudal1::serve {

using base::Error;
using base::ErrorCode;
using nlohmann::json;

namespace {

constexpr std::size_t pageSize = 100;
constexpr std::string_view scheme = "cudal1://";

Error unknown(const std::string& uri)
{
    return {ErrorCode::NotFound,
            "There is no resource " + uri.substr(0, 200),
            {},
            "resources/list and the templates name those that there are"};
}

template<class Number> std::optional<Number> numberIn(std::string_view text)
{
    Number out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

/// What lies between two parts of an address; nothing where they do not fit.
std::optional<std::string> between(std::string_view text, std::string_view before, std::string_view after)
{
    if (text.size() <= before.size() + after.size() || !text.starts_with(before) || !text.ends_with(after))
        return {};
    return std::string(text.substr(before.size(), text.size() - before.size() - after.size()));
}

json contents(const std::string& uri, const char* type, const std::string& text)
{
    return {{"contents", {{{"uri", uri}, {"mimeType", type}, {"text", text}}}}};
}

json entry(const std::string& uri, const std::string& name, const std::string& title, const char* type)
{
    return {{"uri", uri}, {"name", name}, {"title", title}, {"mimeType", type}};
}

} // namespace

McpResources::McpResources(const store::Project& project, const TaskBook& book, QObject* parent)
    : QObject(parent), m_project(project), m_book(book)
{
}

base::Result<json> McpResources::list(const std::string& cursor) const
{
    std::size_t from = 0;
    if (!cursor.empty()) {
        const auto given = numberIn<std::size_t>(cursor);
        if (!given)
            return Error{ErrorCode::InvalidArgument, "The cursor is none of this server", {}, {}};
        from = *given;
    }
    const auto rows = m_project.variantRows();
    if (!rows)
        return rows.error();
    const auto known = optimize::taskRows(m_project);
    if (!known)
        return known.error();
    const auto& suite = m_book.suite().tasks;
    const std::size_t total = 1 + known->size() + rows->size() + suite.size();
    const auto at = [&](std::size_t i) {
        if (i == 0)
            return entry("cudal1://report", "report", "Report on the project", "text/markdown");
        if (--i < known->size()) {
            const std::string id = (*known)[i].id.value;
            return entry("cudal1://tasks/" + id + "/report", "report " + id, "Report on task " + id, "text/markdown");
        }
        if ((i -= known->size()) < rows->size()) {
            const store::VariantRow& row = (*rows)[i];
            const std::string number = std::to_string(row.id.value);
            return entry("cudal1://variants/" + number + "/source", "variant " + number,
                         "Variant " + number + " of " + row.task.value, "text/x-python");
        }
        const tasks::Task& task = suite[i - rows->size()];
        return entry("cudal1://tasks/" + task.id.value + "/reference", "task " + task.id.value,
                     task.id.value + " " + task.name, "text/x-python");
    };
    json list = json::array();
    for (std::size_t i = from; i < total && list.size() < pageSize; ++i)
        list.push_back(at(i));
    const std::size_t next = from + list.size();
    json out = {{"resources", std::move(list)}};
    if (next < total)
        out["nextCursor"] = std::to_string(next);
    return out;
}

json McpResources::templates() const
{
    const auto one = [](const char* uri, const char* name, const char* description, const char* type) {
        return json{{"uriTemplate", uri}, {"name", name}, {"description", description}, {"mimeType", type}};
    };
    return {
        {"resourceTemplates",
         {one("cudal1://tasks/{+task}/reference", "reference", "The source of a task, by LEVEL/ID", "text/x-python"),
          one("cudal1://tasks/{+task}/report", "task report", "All that the project knows of a task", "text/markdown"),
          one("cudal1://variants/{variant}/source", "variant", "The source of a variant, by its number",
              "text/x-python"),
          one("cudal1://evaluations/{evaluation}", "evaluation",
              "An evaluation with its raw samples, as `cudal1 evaluate --json` prints it", "application/json")}}};
}

base::Result<json> McpResources::text(const std::string& uri) const
{
    const std::string_view path = std::string_view(uri).substr(scheme.size());
    if (const auto task = between(path, "tasks/", "/reference")) {
        const auto record = m_book.named(*task);
        return record ? base::Result<json>(contents(uri, "text/x-python", record->source)) : unknown(uri);
    }
    if (const auto number = between(path, "variants/", "/source")) {
        const auto id = numberIn<std::int64_t>(*number);
        const auto variant = id ? m_project.variant({*id}) : base::Result<store::VariantRecord>(unknown(uri));
        return variant ? base::Result<json>(contents(uri, "text/x-python", variant->source)) : unknown(uri);
    }
    if (const auto number = between(path, "evaluations/", "")) {
        const auto id = numberIn<std::int64_t>(*number);
        const auto found = id ? m_project.evaluation({*id}) : base::Result<protocol::Evaluation>(unknown(uri));
        if (!found)
            return unknown(uri);
        return contents(uri, "application/json", json(*found).dump(2, ' ', false, json::error_handler_t::replace));
    }
    return unknown(uri);
}

void McpResources::read(const std::string& uri, Done done)
{
    if (uri == "cudal1://report")
        return report(uri, {}, std::move(done));
    if (!uri.starts_with(scheme))
        return done(unknown(uri));
    const auto task = between(std::string_view(uri).substr(scheme.size()), "tasks/", "/report");
    if (!task)
        return done(text(uri));
    const auto record = m_book.named(*task);
    if (!record || !m_project.task(record->id))
        return done(record ? Error{ErrorCode::NotFound,
                                   "The project knows nothing of task " + *task + " yet",
                                   {},
                                   "Judge something"}
                           : unknown(uri));
    report(uri, record->id, std::move(done));
}

/// Reads raw samples, so it has a thread and a connection of its own.
void McpResources::report(const std::string& uri, const base::TaskId& task, Done done)
{
    m_workers.start([this, path = m_project.path(), uri, task, done = std::move(done)] {
        const auto made = [&]() -> base::Result<json> {
            const auto project = store::Project::openExisting(path);
            if (!project)
                return project.error();
            report::ReportScope scope = task.empty() ? report::ReportScope() : report::ReportScope::ofTask(task);
            scope.shape = task.empty() ? report::Template::Summary : report::Template::Full;
            const auto document = report::reportOn(**project, scope);
            if (!document)
                return document.error();
            return contents(uri, "text/markdown", report::markdownOf(*document).toStdString());
        }();
        QMetaObject::invokeMethod(
            this, [done, made] { done(made); }, Qt::QueuedConnection);
    });
}

} // namespace cudal1::serve
