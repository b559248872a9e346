// SPDX-License-Identifier: GPL-3.0-or-later
// The open project and its suite as the window sees them, on the GUI thread.
//
// Long reads run on a worker with a connection of its own and come back whole, as const snapshots, by a signal; each
// has a generation number, and an answer to an outdated question is dropped. Commits of other processes are noticed
// within a second. Single rows may be read synchronously through project().
#pragma once

#include "core/base/result.h"
#include "core/baselines/baselinerows.h"
#include "core/store/project.h"
#include "core/tasks/suite.h"

#include <QObject>
#include <QString>

#include <memory>
#include <unordered_map>
#include <vector>

class QThread;
class QTimer;

namespace cudal1::ui {

/// A task of the suite or of the project, or of both.
struct TaskEntry {
    base::TaskId id;        ///< as the project keeps it: see store::keptAs()
    QString name;           ///< as a person reads it: shownName()
    int level = 0;          ///< 0 for a single file
    int number = 0;         ///< 0 for a single file
    bool inSuite = false;   ///< its source is at hand in the suite; else only in the project
    bool elsewhere = false; ///< has a level, but of another suite or version than the one that is open
    store::TaskRow row;     ///< state, best, number of variants; defaults when the project has nothing of it
};

/// A suite's task is named after its file, with blanks in place of underscores; a single file keeps its name.
QString shownName(const std::string& name, int level);

using TaskList = std::vector<TaskEntry>;
using VariantList = std::vector<store::VariantRow>;
using BaselineList = std::vector<baselines::BaselineRow>;
using ClaimList = std::vector<store::ClaimRecord>;

class ProjectModel : public QObject {
    Q_OBJECT
public:
    explicit ProjectModel(QObject* parent = nullptr);
    ~ProjectModel() override;

    /// Opens, in the background, the project file and the suite folder (empty: no suite). `opened` or `failed` follows;
    /// what was open before is closed at once.
    void open(const QString& projectFile, const QString& suiteFolder);
    void close();
    /// Reads another suite in the background for the open project; `suiteChanged` or `failed` follows, and with a
    /// failure the suite that is open stays.
    void openSuite(const QString& folder);
    /// Takes in, in the background, what another project file has; `imported` or `failed` follows.
    void importProject(const QString& file);
    bool isOpen() const { return m_project != nullptr; }
    bool isLoading() const { return m_loading > 0; }
    QString path() const;
    bool isReadOnly() const; ///< what is started then fails with the reason
    /// For a person: why nothing can be judged, measured or trained, and what to do; empty where it can.
    QString readOnlyReason() const;

    /// This thread's connection, for short reads and writes; null while none is open. Call changedHere() after a write.
    store::Project* project() const { return m_project.get(); }
    /// Reloads what a write of this process may have changed; the poll would see it too, up to a second later. Calls
    /// are gathered: many writes in a row cause one reload.
    void changedHere();

    /// At which precisions variants were evaluated, and which of them counts; as of the tasks.
    const store::CountedPrecision& countedPrecision() const { return m_counted; }
    /// From now on what was measured at this precision counts (store::Project::countAt()).
    void countAt(protocol::Precision precision);

    /// By level and number; never null.
    std::shared_ptr<const TaskList> tasks() const { return m_tasks; }
    base::TaskId firstTask() const; ///< empty without tasks
    const TaskEntry* entry(const base::TaskId& id) const;
    /// The open suite; without tasks when none is open. Never null.
    std::shared_ptr<const tasks::Suite> suite() const { return m_suite; }
    /// In how many tasks the sizes differ from those of the bundled suite.
    const tasks::SizeComparison& sizes() const { return m_sizes; }
    /// Tasks of the open suite whose file was changed since the project took its text: the project's stays until
    /// takeChangedTexts() is called, and then variants of the old ones count nowhere.
    std::vector<base::TaskId> changedTexts() const;
    base::Status takeChangedTexts();
    /// Files of the suite that were left out, with their line and reason.
    const std::vector<tasks::Problem>& problems() const;

    /// Rows of a task, best first, of the whole project for an empty id; null while they are not loaded yet: then a
    /// load is started and variantsChanged(task) follows. Kept up to date from the first call on.
    std::shared_ptr<const VariantList> variants(const base::TaskId& task);
    /// The same for the baselines of one task, each with its newest evaluation; they are loaded with the variants.
    std::shared_ptr<const BaselineList> baselines(const base::TaskId& task);
    /// What others published of one task; loaded with the variants.
    std::shared_ptr<const ClaimList> claims(const base::TaskId& task);

    /// Rows of all baselines as store::Project::baselineRows() has them, while no variant of the project was judged:
    /// then they are what it has. Empty afterwards; never null. tasksChanged() tells of a change.
    std::shared_ptr<const VariantList> loneBaselines() const { return m_loneBaselines; }
    /// There is something that others published, while no variant of the project was judged: the overview shows that.
    bool hasLoneClaims() const { return m_loneClaims; }

    /// The reference's source: of the project if it pinned one, else of the suite.
    base::Result<store::TaskRecord> taskRecord(const base::TaskId& id) const;
    base::Result<std::vector<store::TaskRecord>> taskRecords(const std::vector<base::TaskId>& ids) const;
    base::Result<store::VariantRecord> variant(base::VariantId id) const;
    /// The evaluation that a variant's row has, with its samples; NotFound inside when there is none. Read and unpacked
    /// on the worker: null at first, then evaluationLoaded(id) follows. The last few asked for are kept; what is kept
    /// of a variant is forgotten when its task's rows change and they name another evaluation.
    std::shared_ptr<const base::Result<protocol::Evaluation>> evaluation(base::VariantId id);
    /// Adds a file outside the suite to the project, so that it shows in the list.
    base::Result<base::TaskId> addTaskFile(const QString& file);

signals:
    void opened();
    void closed();
    void failed(const cudal1::base::Error& error);
    void tasksChanged();
    void suiteChanged();
    void imported(const QString& file, const cudal1::store::MergeCounts& counts);
    void variantsChanged(const cudal1::base::TaskId& task);
    void evaluationLoaded(cudal1::base::VariantId variant);
    void loadingChanged(bool loading);

private:
    struct Loaded;
    struct Rows {
        std::vector<store::TaskRow> tasks;
        VariantList loneBaselines;
        bool loneClaims = false;
        store::CountedPrecision counted;
    };
    class Worker;
    void taskRowsLoaded(quint64 generation, base::Result<Rows> rows);
    void setRows(Rows rows);
    void setTasks(std::vector<store::TaskRow> rows);
    void poll();
    void reloadTasks();
    void reloadVariants(const base::TaskId& task);
    void setLoading(int change);

    std::unique_ptr<store::Project> m_project;
    const tasks::Task* taskOfSuite(const base::TaskId& id) const;

    std::shared_ptr<const tasks::Suite> m_suite;
    tasks::SizeComparison m_sizes;
    std::unordered_map<base::TaskId, std::size_t> m_suiteTasks; ///< place in the suite by the id that the project gives
    std::vector<store::TaskRow> m_rows;                         ///< of the project, as last read
    std::shared_ptr<const TaskList> m_tasks;
    std::shared_ptr<const VariantList> m_loneBaselines;
    bool m_loneClaims = false;
    std::unordered_map<base::TaskId, std::size_t> m_index;
    struct Variants {
        std::shared_ptr<const VariantList> rows;
        std::shared_ptr<const BaselineList> baselines;
        std::shared_ptr<const ClaimList> claims;
        bool loading = false;
        bool stale = false;
    };
    std::unordered_map<base::TaskId, Variants> m_variants;
    struct Kept {
        base::VariantId variant;
        std::shared_ptr<const base::Result<protocol::Evaluation>> evaluation; ///< null while it is being read
        base::EvaluationId id;                                                ///< 0 where the variant had none
        bool stale = false;                                                   ///< changed while it was being read
    };
    void evaluationRead(quint64 generation, base::VariantId variant, base::EvaluationId id,
                        std::shared_ptr<const base::Result<protocol::Evaluation>> evaluation);
    void forgetChanged(const VariantList& rows);
    void readEvaluation(base::VariantId variant);
    std::vector<Kept> m_evaluations; ///< newest question last
    QThread* m_thread;               ///< where m_worker, and its own connection, live
    Worker* m_worker;
    QTimer* m_poll = nullptr;
    QTimer* m_gather = nullptr;
    std::int64_t m_dataVersion = 0;
    store::CountedPrecision m_counted;
    quint64 m_generation = 0; ///< of the open project; late answers of another are dropped
    int m_loading = 0;
    bool m_tasksLoading = false;
    bool m_tasksStale = false;
};

} // namespace cudal1::ui
