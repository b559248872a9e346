// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps snapshots of what the worker loads, and polls for commits of other processes.
#include "ui/work/projectworker.h"

#include <QFileInfo>
#include <QThread>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace cudal1::ui {

using namespace std::chrono_literals;

namespace {
/// Enough for going to and fro between variants; each may hold a megabyte of samples.
constexpr std::size_t keptEvaluations = 16;
} // namespace

QString shownName(const std::string& name, int level)
{
    const QString text = QString::fromStdString(name);
    return level > 0 ? QString(text).replace(u'_', u' ').simplified() : text;
}

ProjectModel::ProjectModel(QObject* parent)
    : QObject(parent), m_suite(std::make_shared<tasks::Suite>()), m_tasks(std::make_shared<TaskList>()),
      m_loneBaselines(std::make_shared<VariantList>()), m_thread(new QThread(this)), m_worker(new Worker(this)),
      m_poll(new QTimer(this)), m_gather(new QTimer(this))
{
    m_worker->moveToThread(m_thread);
    connect(m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread->setObjectName(QStringLiteral("project reader"));
    m_thread->start();
    m_poll->setInterval(1s);
    connect(m_poll, &QTimer::timeout, this, &ProjectModel::poll);
    m_gather->setSingleShot(true);
    m_gather->setInterval(50ms);
    connect(m_gather, &QTimer::timeout, this, [this] {
        reloadTasks();
        for (const auto& [task, entry] : m_variants)
            reloadVariants(task);
    });
}

ProjectModel::~ProjectModel()
{
    m_thread->quit();
    m_thread->wait();
}

void ProjectModel::open(const QString& projectFile, const QString& suiteFolder)
{
    close();
    setLoading(1);
    QMetaObject::invokeMethod(
        m_worker, [=, this, generation = m_generation] { m_worker->open(generation, projectFile, suiteFolder); });
}

void ProjectModel::close()
{
    ++m_generation;
    m_poll->stop();
    m_gather->stop();
    m_variants.clear();
    m_evaluations.clear();
    m_index.clear();
    m_tasks = std::make_shared<TaskList>();
    m_loneBaselines = std::make_shared<VariantList>();
    m_loneClaims = false;
    m_suite = std::make_shared<tasks::Suite>();
    m_sizes = {};
    m_suiteTasks.clear();
    m_rows.clear();
    m_tasksLoading = m_tasksStale = false;
    if (m_loading)
        setLoading(-m_loading);
    if (m_project) {
        m_project.reset();
        QMetaObject::invokeMethod(m_worker, [worker = m_worker] { worker->close(); });
        emit closed();
        emit tasksChanged();
    }
}

void ProjectModel::openSuite(const QString& folder)
{
    if (!m_project)
        return;
    setLoading(1);
    QMetaObject::invokeMethod(m_worker, [=, this, generation = m_generation] { m_worker->suite(generation, folder); });
}

void ProjectModel::importProject(const QString& file)
{
    if (!m_project)
        return;
    setLoading(1);
    QMetaObject::invokeMethod(m_worker,
                              [=, this, generation = m_generation] { m_worker->importProject(generation, file); });
}

bool ProjectModel::isReadOnly() const
{
    return m_project && m_project->isReadOnly();
}

QString ProjectModel::readOnlyReason() const
{
    return isReadOnly() ? tr("The project may not be written. File > Save a Copy makes one that may.") : QString();
}

QString ProjectModel::path() const
{
    return m_project ? QString::fromStdString(m_project->path().string()) : QString();
}

void ProjectModel::changedHere()
{
    if (m_project && !m_gather->isActive())
        m_gather->start();
}

void ProjectModel::countAt(protocol::Precision precision)
{
    if (store::Project::countsAt() == precision)
        return;
    store::Project::countAt(precision);
    std::erase_if(m_evaluations, [](const Kept& kept) { return kept.evaluation != nullptr; });
    for (Kept& kept : m_evaluations)
        kept.stale = true;
    changedHere();
}

void ProjectModel::poll()
{
    const auto version = m_project->dataVersion();
    if (!version || version.value() == m_dataVersion)
        return;
    m_dataVersion = version.value();
    changedHere();
}

void ProjectModel::reloadTasks()
{
    if (std::exchange(m_tasksLoading, true)) {
        m_tasksStale = true;
        return;
    }
    setLoading(1);
    QMetaObject::invokeMethod(m_worker, [this, generation = m_generation] { m_worker->taskRows(generation); });
}

void ProjectModel::taskRowsLoaded(quint64 generation, base::Result<Rows> rows)
{
    if (generation != m_generation)
        return;
    m_tasksLoading = false;
    setLoading(-1);
    if (!rows) {
        emit failed(rows.error());
        return;
    }
    setRows(std::move(rows.value()));
    emit tasksChanged();
    if (std::exchange(m_tasksStale, false))
        reloadTasks();
}

void ProjectModel::setRows(Rows rows)
{
    m_loneBaselines = std::make_shared<const VariantList>(std::move(rows.loneBaselines));
    m_loneClaims = rows.loneClaims;
    m_counted = std::move(rows.counted);
    setTasks(std::move(rows.tasks));
}

void ProjectModel::setTasks(std::vector<store::TaskRow> rows)
{
    m_rows = std::move(rows);
    std::unordered_map<base::TaskId, const store::TaskRow*> known;
    for (const store::TaskRow& row : m_rows)
        known.emplace(row.id, &row);
    const auto knownAs = [&known](const base::TaskId& id) {
        const auto found = known.find(id);
        return found == known.end() ? nullptr : found->second;
    };
    auto list = std::make_shared<TaskList>();
    list->reserve(m_suite->tasks.size() + m_rows.size());
    m_suiteTasks.clear();
    for (std::size_t place = 0; place < m_suite->tasks.size(); ++place) {
        const tasks::Task& task = m_suite->tasks[place];
        store::TaskRow row;
        row.id = task.id;
        row.level = task.level;
        row.suite = task.suite;
        row.hash = task.hash;
        row.id = store::keptAs(row, knownAs(task.id));
        if (const store::TaskRow* own = knownAs(row.id))
            row = *own;
        m_suiteTasks.emplace(row.id, place);
        list->push_back({row.id, shownName(task.name, task.level), task.level, task.number, true, false, row});
    }
    for (const store::TaskRow& row : m_rows) {
        if (m_suiteTasks.contains(row.id))
            continue;
        const QString id = QString::fromStdString(row.id.value);
        const int number = row.level > 0 ? id.section(QLatin1Char('/'), 1).section(QLatin1Char('@'), 0, 0).toInt() : 0;
        list->push_back({row.id, shownName(row.name, row.level), row.level, number, false,
                         row.level > 0 && !m_suite->tasks.empty(), row});
    }
    // Files of no suite come last, since level 0 is "none", not "easiest"; before them what another suite has.
    const auto key = [](const TaskEntry& e) { return std::make_tuple(e.level == 0, e.elsewhere, e.level, e.number); };
    std::stable_sort(list->begin(), list->end(),
                     [&](const TaskEntry& a, const TaskEntry& b) { return key(a) < key(b); });
    m_index.clear();
    for (std::size_t i = 0; i < list->size(); ++i)
        m_index.emplace((*list)[i].id, i);
    m_tasks = std::move(list);
}

void ProjectModel::setLoading(int change)
{
    const bool before = m_loading > 0;
    m_loading += change;
    if (before != (m_loading > 0))
        emit loadingChanged(m_loading > 0);
}

base::TaskId ProjectModel::firstTask() const
{
    return m_tasks->empty() ? base::TaskId() : m_tasks->front().id;
}

const TaskEntry* ProjectModel::entry(const base::TaskId& id) const
{
    const auto found = m_index.find(id);
    return found == m_index.end() ? nullptr : &(*m_tasks)[found->second];
}

const std::vector<tasks::Problem>& ProjectModel::problems() const
{
    return m_suite->problems;
}

std::shared_ptr<const VariantList> ProjectModel::variants(const base::TaskId& task)
{
    if (!m_project)
        return nullptr;
    const auto [found, isNew] = m_variants.try_emplace(task);
    if (isNew)
        reloadVariants(task);
    return m_variants[task].rows;
}

std::shared_ptr<const BaselineList> ProjectModel::baselines(const base::TaskId& task)
{
    variants(task); // loads both
    const auto found = m_variants.find(task);
    return found == m_variants.end() ? nullptr : found->second.baselines;
}

std::shared_ptr<const ClaimList> ProjectModel::claims(const base::TaskId& task)
{
    variants(task); // loads all three
    const auto found = m_variants.find(task);
    return found == m_variants.end() ? nullptr : found->second.claims;
}

void ProjectModel::reloadVariants(const base::TaskId& task)
{
    Variants& entry = m_variants[task];
    if (std::exchange(entry.loading, true)) {
        entry.stale = true;
        return;
    }
    setLoading(1);
    QMetaObject::invokeMethod(m_worker,
                              [this, task, generation = m_generation] { m_worker->variantRows(generation, task); });
}

base::Result<store::TaskRecord> ProjectModel::taskRecord(const base::TaskId& id) const
{
    if (m_project)
        if (auto record = m_project->task(id))
            return record;
    const tasks::Task* task = taskOfSuite(id);
    if (!task)
        return base::Error{
            base::ErrorCode::NotFound, "This task is neither in the suite nor in the project.", id.value, {}};
    return store::TaskRecord{id, task->name, task->suite, task->level, task->source, task->hash};
}

base::Result<std::vector<store::TaskRecord>> ProjectModel::taskRecords(const std::vector<base::TaskId>& ids) const
{
    std::vector<store::TaskRecord> out;
    for (const base::TaskId& id : ids) {
        auto task = taskRecord(id);
        if (!task)
            return task.error();
        out.push_back(std::move(*task));
    }
    return out;
}

const tasks::Task* ProjectModel::taskOfSuite(const base::TaskId& id) const
{
    const auto found = m_suiteTasks.find(id);
    return found == m_suiteTasks.end() ? nullptr : &m_suite->tasks[found->second];
}

std::vector<base::TaskId> ProjectModel::changedTexts() const
{
    std::vector<base::TaskId> out;
    for (const store::TaskRow& row : m_rows)
        if (const tasks::Task* task = taskOfSuite(row.id); task && task->hash != row.hash)
            out.push_back(row.id);
    return out;
}

base::Status ProjectModel::takeChangedTexts()
{
    for (const base::TaskId& id : changedTexts()) {
        const tasks::Task* task = taskOfSuite(id);
        if (const auto put = m_project->putTask({id, task->name, task->suite, task->level, task->source, task->hash});
            !put)
            return put;
    }
    changedHere();
    return {};
}

base::Result<store::VariantRecord> ProjectModel::variant(base::VariantId id) const
{
    if (!m_project)
        return base::Error{base::ErrorCode::NotFound, "No project is open.", {}, {}};
    return m_project->variant(id);
}

std::shared_ptr<const base::Result<protocol::Evaluation>> ProjectModel::evaluation(base::VariantId id)
{
    const auto found = std::find_if(m_evaluations.begin(), m_evaluations.end(),
                                    [id](const Kept& kept) { return kept.variant == id; });
    if (found != m_evaluations.end()) {
        std::rotate(found, found + 1, m_evaluations.end());
        return m_evaluations.back().evaluation;
    }
    if (!m_project)
        return nullptr;
    if (m_evaluations.size() >= keptEvaluations)
        // One that is being read stays, or its answer would find no place.
        if (const auto oldest = std::find_if(m_evaluations.begin(), m_evaluations.end(),
                                             [](const Kept& kept) { return kept.evaluation != nullptr; });
            oldest != m_evaluations.end())
            m_evaluations.erase(oldest);
    m_evaluations.push_back({id, nullptr, {}, false});
    readEvaluation(id);
    return nullptr;
}

void ProjectModel::readEvaluation(base::VariantId variant)
{
    setLoading(1);
    QMetaObject::invokeMethod(m_worker,
                              [=, this, generation = m_generation] { m_worker->evaluation(generation, variant); });
}

void ProjectModel::evaluationRead(quint64 generation, base::VariantId variant, base::EvaluationId id,
                                  std::shared_ptr<const base::Result<protocol::Evaluation>> evaluation)
{
    if (generation != m_generation)
        return;
    setLoading(-1);
    const auto found = std::find_if(m_evaluations.begin(), m_evaluations.end(),
                                    [variant](const Kept& kept) { return kept.variant == variant; });
    if (found == m_evaluations.end())
        return;
    if (std::exchange(found->stale, false))
        return readEvaluation(variant);
    found->id = id;
    found->evaluation = std::move(evaluation);
    emit evaluationLoaded(variant);
}

/// Rows name the evaluation of each variant that counts; one that was kept of another state of the project goes.
void ProjectModel::forgetChanged(const VariantList& rows)
{
    for (const store::VariantRow& row : rows) {
        const auto found = std::find_if(m_evaluations.begin(), m_evaluations.end(),
                                        [&row](const Kept& kept) { return kept.variant == row.id; });
        if (found == m_evaluations.end())
            continue;
        const base::EvaluationId newest = row.evaluation ? row.evaluation->id : base::EvaluationId();
        if (!found->evaluation)
            found->stale = true;
        else if (found->id != newest)
            m_evaluations.erase(found);
    }
}

base::Result<base::TaskId> ProjectModel::addTaskFile(const QString& file)
{
    if (!m_project)
        return base::Error{base::ErrorCode::NotFound, "No project is open.", {}, "Open or create a project first"};
    auto task = tasks::readTask(QFileInfo(file).absoluteFilePath().toStdString());
    if (!task)
        return task.error();
    const auto put = m_project->putTask({task->id, task->name, task->suite, task->level, task->source, task->hash});
    if (!put)
        return put.error();
    changedHere();
    return task->id;
}

} // namespace cudal1::ui
