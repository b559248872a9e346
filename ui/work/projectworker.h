// SPDX-License-Identifier: GPL-3.0-or-later
// What a project model does on its second thread. For projectmodel.cpp alone.
#pragma once

#include "core/base/caught.h"
#include "core/optimize/options.h"
#include "ui/work/projectmodel.h"

#include <QCoreApplication>
#include <QTimer>

namespace cudal1::ui {

/// What opening brings: the suite, and the project's rows.
struct ProjectModel::Loaded {
    std::shared_ptr<const tasks::Suite> suite;
    tasks::SizeComparison sizes;
    Rows rows;
};

/// Lives on the worker thread with its own connection; every answer is posted to the model with its generation. What it
/// reads by other libraries is caught: an exception in this thread would end the program.
class ProjectModel::Worker : public QObject {
public:
    explicit Worker(ProjectModel* model) : m_model(model) {}

    void open(quint64 generation, const QString& file, const QString& folder)
    {
        m_project.reset();
        Loaded loaded;
        std::optional<base::Error> problem;
        if (const auto status = base::caught([&] { return readSuite(folder, loaded); }); !status)
            problem = status.error();
        auto project = store::Project::open(file.toStdString());
        if (!project)
            return answer([=, this, error = project.error()] {
                if (generation != m_model->m_generation)
                    return;
                m_model->setLoading(-1);
                emit m_model->failed(error);
            });
        m_project = std::move(project.value());
        auto rows = base::caught([this] { return readRows(*m_project); });
        if (!rows)
            problem = rows.error();
        else
            loaded.rows = std::move(rows.value());
        answer([=, this, data = std::move(loaded)]() mutable {
            if (generation != m_model->m_generation)
                return;
            m_model->setLoading(-1);
            auto own = store::Project::open(file.toStdString());
            if (!own) {
                emit m_model->failed(own.error());
                return;
            }
            m_model->m_project = std::move(own.value());
            m_model->m_dataVersion = m_model->m_project->dataVersion().ok() ? m_model->m_project->dataVersion().value()
                                                                            : 0;
            m_model->m_suite = data.suite;
            m_model->m_sizes = data.sizes;
            m_model->setRows(std::move(data.rows));
            m_model->m_poll->start();
            emit m_model->opened();
            emit m_model->tasksChanged();
            if (problem)
                emit m_model->failed(*problem);
        });
    }

    void close() { m_project.reset(); }

    void suite(quint64 generation, const QString& folder)
    {
        Loaded loaded;
        const base::Status status = base::caught([&] { return readSuite(folder, loaded); });
        answer([=, this, data = std::move(loaded)] {
            if (generation != m_model->m_generation)
                return;
            m_model->setLoading(-1);
            if (!status) {
                emit m_model->failed(status.error());
                return;
            }
            m_model->m_suite = data.suite;
            m_model->m_sizes = data.sizes;
            m_model->setTasks(m_model->m_rows);
            emit m_model->suiteChanged();
            emit m_model->tasksChanged();
        });
    }

    void importProject(quint64 generation, const QString& file)
    {
        base::Result<store::MergeCounts> counts = base::Error{
            base::ErrorCode::NotFound, "There is no open project", {}, {}};
        if (m_project) {
            const auto theirs = store::Project::openCopy(file.toStdString());
            counts = theirs ? m_project->importProject(**theirs) : base::Result<store::MergeCounts>(theirs.error());
        }
        answer([=, this] {
            if (generation != m_model->m_generation)
                return;
            m_model->setLoading(-1);
            if (!counts) {
                emit m_model->failed(counts.error());
                return;
            }
            m_model->changedHere();
            emit m_model->imported(file, *counts);
        });
    }

    void taskRows(quint64 generation)
    {
        if (m_project)
            answer([=, this, rows = base::caught([this] { return readRows(*m_project); })]() mutable {
                m_model->taskRowsLoaded(generation, std::move(rows));
            });
    }

    void variantRows(quint64 generation, const base::TaskId& task)
    {
        if (!m_project)
            return;
        // Of the whole project nobody wants them, and reading them is slow.
        auto measured = task.empty() ? base::Result<BaselineList>(BaselineList())
                                     : base::caught([&] { return baselines::latestOf(*m_project, task); });
        auto claims = task.empty() ? base::Result<ClaimList>(ClaimList()) : m_project->claims();
        if (claims)
            std::erase_if(*claims, [&task](const store::ClaimRecord& claim) { return claim.task != task; });
        answer([=, this, rows = m_project->variantRows(task), measured = std::move(measured),
                claims = std::move(claims)]() mutable {
            if (generation != m_model->m_generation)
                return;
            Variants& entry = m_model->m_variants[task];
            entry.loading = false;
            m_model->setLoading(-1);
            if (!rows || !measured || !claims) {
                emit m_model->failed(!rows ? rows.error() : !measured ? measured.error() : claims.error());
                return;
            }
            entry.claims = std::make_shared<const ClaimList>(std::move(claims.value()));
            entry.baselines = std::make_shared<const BaselineList>(std::move(measured.value()));
            entry.rows = std::make_shared<const VariantList>(std::move(rows.value()));
            m_model->forgetChanged(*entry.rows);
            if (std::exchange(entry.stale, false))
                m_model->reloadVariants(task);
            emit m_model->variantsChanged(task);
        });
    }

    void evaluation(quint64 generation, base::VariantId variant)
    {
        if (!m_project)
            return;
        base::EvaluationId id;
        auto read = std::make_shared<base::Result<protocol::Evaluation>>(
            base::Error{base::ErrorCode::NotFound, "This variant was not evaluated yet.", {}, {}});
        if (const auto counted = m_project->countedEvaluation(variant); !counted)
            *read = counted.error();
        else if (*counted) {
            id = (*counted)->id;
            *read = m_project->evaluation(id);
        }
        answer([=, this] { m_model->evaluationRead(generation, variant, id, read); });
    }

private:
    static base::Result<Rows> readRows(const store::Project& project)
    {
        auto tasks = optimize::taskRows(project);
        if (!tasks)
            return tasks.error();
        auto counted = project.countedPrecision();
        if (!counted)
            return counted.error();
        Rows rows{std::move(*tasks), {}, false, std::move(*counted)};
        using State = store::TaskRow::State;
        const auto isTried = [](const store::TaskRow& row) {
            return row.bestVariant || (row.state != State::NotTried && row.state != State::Running);
        };
        if (std::any_of(rows.tasks.begin(), rows.tasks.end(), isTried))
            return rows;
        auto baselines = project.baselineRows();
        if (!baselines)
            return baselines.error();
        rows.loneBaselines = std::move(*baselines);
        const auto claims = project.claims();
        if (!claims)
            return claims.error();
        rows.loneClaims = !claims->empty();
        return rows;
    }

    /// An empty suite for an empty folder, and when there is an error.
    static base::Status readSuite(const QString& folder, Loaded& loaded)
    {
        auto suite = std::make_shared<tasks::Suite>();
        loaded.suite = suite;
        if (folder.isEmpty())
            return {};
        auto read = tasks::readSuite(folder.toStdString());
        if (!read)
            return read.error();
        *suite = std::move(*read);
        if (suite->kind == tasks::Suite::Kind::Bundled)
            return {};
        // A missing bundled suite is nothing to complain of while another one is open.
        if (const auto bundled = tasks::bundledSuite(QCoreApplication::applicationDirPath().toStdString()))
            if (const auto other = tasks::readSuite(*bundled))
                loaded.sizes = tasks::compareSizes(*suite, *other);
        return {};
    }

    template<class F> void answer(F&& function)
    {
        QMetaObject::invokeMethod(m_model, std::forward<F>(function), Qt::QueuedConnection);
    }

    ProjectModel* m_model;
    std::unique_ptr<store::Project> m_project;
};

} // namespace cudal1::ui
