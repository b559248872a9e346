// SPDX-License-Identifier: GPL-3.0-or-later
// The border of the store: opens the file, wraps writes in transactions, turns failures into results.
#include "core/store/project.h"

#include "core/store/committedcopy.h"
#include "core/store/countedprecision.h"
#include "core/store/failure.h"
#include "core/store/fileuse.h"
#include "core/store/inspection.h"
#include "core/store/schema.h"
#include "core/store/tables.h"
#include "core/store/transaction.h"

#include <QStandardPaths>
#include <QTemporaryDir>

namespace cudal1::store {

using base::Result;
using base::Status;
namespace fs = std::filesystem;

struct Project::Private {
    Private(const fs::path& path, bool onlyRead)
        : database(path, onlyRead ? Database::Mode::Immutable : Database::Mode::ReadWrite), readOnly(onlyRead)
    {
        // Opening alone touches nothing: the file is made, and its locks are taken, by the first statement.
        database.scalar("PRAGMA schema_version");
    }

    /// One write: everything that `body` does is committed together, or nothing.
    template<class Body> auto write(Body&& body) -> Result<std::invoke_result_t<Body, Database&>>
    {
        return guarded([&] {
            Transaction transaction(database);
            if constexpr (std::is_void_v<std::invoke_result_t<Body, Database&>>) {
                body(database);
                transaction.commit();
            } else {
                auto value = body(database);
                transaction.commit();
                return value;
            }
        });
    }

    std::unique_ptr<QTemporaryDir> folder; ///< of a copy; outlives the connection, as `use` does
    fs::path copyOf;
    std::optional<FileUse> use;
    Database database;
    const bool readOnly;
};

Project::Project(std::unique_ptr<Private> p) : d(std::move(p)) {}
Project::~Project() = default;

fs::path Project::defaultPath()
{
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return fs::path(data.toStdString()) / "cudal1-workbench" / "project.cudal1";
}

Result<std::unique_ptr<Project>> Project::open(const fs::path& given)
{
    std::error_code error;
    const fs::path path = fs::absolute(given, error).lexically_normal();
    if (path == defaultPath().lexically_normal())
        fs::create_directories(path.parent_path(), error); // a failure shows as a missing folder just below
    return guarded([&] {
        const std::unique_lock opening = FileUse::lockOpening();
        // Looking at a file that this process has open would take its locks away; it was looked at when it was opened
        // first.
        const std::optional<bool> readOnly = FileUse::openReadOnly(path);
        auto d = std::make_unique<Private>(path,
                                           readOnly ? *readOnly : inspect(path, schemaVersion) == FileAccess::Read);
        d->use.emplace(path, d->readOnly);
        if (d->readOnly)
            return std::unique_ptr<Project>(new Project(std::move(d)));
        Database& database = d->database;
        database.run("PRAGMA foreign_keys = ON");
        // The marks that inspect() looks at must be in the file itself and not in a log, so the tables come before WAL.
        migrate(database, migrations());
        database.scalar("PRAGMA journal_mode = WAL");
        database.run("PRAGMA synchronous = NORMAL");
        return std::unique_ptr<Project>(new Project(std::move(d)));
    });
}

Result<std::unique_ptr<Project>> Project::openExisting(const fs::path& path)
{
    if (const Status there = hasContents(path); !there)
        return there.error();
    return open(path);
}

Result<std::unique_ptr<Project>> Project::openCopy(const fs::path& path)
{
    if (const Status there = hasContents(path); !there)
        return there.error();
    auto folder = std::make_unique<QTemporaryDir>();
    if (!folder->isValid())
        return base::Error{base::ErrorCode::Unavailable,
                           "There is no folder for a copy of the project: " + folder->errorString().toStdString(),
                           path.string(), "Make room in the folder for temporary files, or set TMPDIR"};
    const fs::path copy = fs::path(folder->path().toStdString()) / path.filename();
    if (const Status copied = guarded([&] { copyCommitted(path, copy, schemaVersion); }); !copied)
        return copied.error();
    auto project = open(copy);
    if (project) {
        (*project)->d->folder = std::move(folder);
        (*project)->d->copyOf = path;
    }
    return project;
}

const fs::path& Project::path() const
{
    return d->database.path();
}

bool Project::isReadOnly() const
{
    return d->readOnly;
}

Status Project::copyTo(const fs::path& file) const
{
    std::error_code error;
    if (fs::exists(file, error))
        return base::Error{base::ErrorCode::Unavailable, "There is a file of this name already", file.string(),
                           "Choose another name"};
    return guarded([&] { d->database.run("VACUUM INTO ?", {bound(file.string())}); });
}

Status Project::putTask(const TaskRecord& task)
{
    return d->write([&](Database& database) { store::putTask(database, task); });
}

Result<TaskRecord> Project::task(const base::TaskId& id) const
{
    return guarded([&] { return readTask(d->database, id); });
}

Result<base::TaskId> Project::idOf(const TaskRecord& task) const
{
    return guarded([&] { return keptAs(d->database, task); });
}

Result<CountedPrecision> Project::countedPrecision() const
{
    return guarded([&] { return readCountedPrecision(d->database); });
}

Result<std::optional<EvaluationSummary>> Project::countedEvaluation(base::VariantId variant) const
{
    return guarded([&] { return readCountedEvaluation(d->database, variant); });
}

Result<std::vector<TaskRow>> Project::taskRows() const
{
    return guarded([&] { return readTaskRows(d->database); });
}

Result<base::VariantId> Project::addVariant(const VariantRecord& variant)
{
    return d->write([&](Database& database) { return store::addVariant(database, variant); });
}

Result<VariantRecord> Project::variant(base::VariantId id) const
{
    return guarded([&] { return readVariant(d->database, id); });
}

Result<std::optional<base::VariantId>> Project::findVariant(const base::TaskId& task, const std::string& taskHash,
                                                            const std::string& source) const
{
    return guarded([&] { return store::findVariant(d->database, task, taskHash, source); });
}

Result<std::vector<VariantRow>> Project::variantRows(const base::TaskId& task) const
{
    return guarded([&] { return readVariantRows(d->database, task); });
}

Result<std::vector<VariantRow>> Project::baselineRows(const base::TaskId& task) const
{
    return guarded([&] { return readBaselineRows(d->database, task); });
}

Result<std::vector<base::SampleId>> Project::addSamples(const std::vector<Sample>& samples)
{
    const auto packed = guarded([&] { return pack(samples); });
    if (!packed)
        return packed.error();
    return d->write([&](Database& database) { return store::addSamples(database, *packed); });
}

Result<Sample> Project::sample(base::SampleId id) const
{
    return guarded([&] { return readSample(d->database, id); });
}

Result<std::optional<Sample>> Project::madeBy(base::VariantId variant) const
{
    return guarded([&] { return readMadeBy(d->database, variant); });
}

Result<std::vector<SampleRecord>> Project::samples(base::VariantId variant) const
{
    return guarded([&] { return readSamples(d->database, variant); });
}

Result<std::vector<SampleRecord>> Project::samples(base::RunId run) const
{
    return guarded([&] { return readSamples(d->database, run, {}); });
}

Result<std::vector<SampleRecord>> Project::samples(base::RunId run, std::int64_t group) const
{
    return guarded([&] { return readSamples(d->database, run, group); });
}

Result<std::vector<SampleRecord>> Project::samplesOf(const base::TaskId& task) const
{
    return guarded([&] { return readSamples(d->database, task); });
}

Status Project::setRewards(const std::vector<SampleReward>& rewards)
{
    return d->write([&](Database& database) { store::setRewards(database, rewards); });
}

Status Project::addToReply(base::SampleId id, const std::string& text)
{
    return d->write([&](Database& database) { store::addToReply(database, id, text); });
}

Status Project::putKernels(base::VariantId variant, const protocol::Kernels& kernels)
{
    return d->write([&](Database& database) { store::putKernels(database, variant, kernels); });
}

Result<std::vector<KernelsRecord>> Project::kernels(base::VariantId variant) const
{
    return guarded([&] { return readKernels(d->database, variant); });
}

Status Project::putCounters(const base::TaskId& task, base::VariantId variant, const protocol::Counters& counters)
{
    return d->write([&](Database& database) { store::putCounters(database, task, variant, counters); });
}

Result<std::vector<CountersRecord>> Project::counters(const base::TaskId& task, base::VariantId variant) const
{
    return guarded([&] { return readCounters(d->database, task, variant); });
}

Result<ImportCounts> Project::importRows(const std::vector<ImportRow>& rows)
{
    return d->write([&](Database& database) { return store::importRows(database, rows); });
}

Result<MergeCounts> Project::importProject(const Project& other)
{
    std::error_code ignored;
    if (fs::equivalent(path(), other.d->copyOf.empty() ? other.path() : other.d->copyOf, ignored))
        return base::Error{base::ErrorCode::InvalidArgument, "A project cannot be imported into itself",
                           path().string(), "Name another project with --project"};
    return guarded([&] {
        // What is written there in the meantime belongs to the next import.
        const Database& theirs = other.d->database;
        theirs.run("BEGIN");
        try {
            const MergeCounts counts = merge(d->database, theirs);
            theirs.run("COMMIT");
            return counts;
        } catch (...) {
            theirs.run("ROLLBACK");
            throw;
        }
    });
}

Result<std::vector<ClaimRecord>> Project::claims() const
{
    return guarded([&] { return readClaims(d->database); });
}

Result<base::EvaluationId> Project::addEvaluation(base::VariantId variant, const protocol::Evaluation& evaluation)
{
    const auto packed = guarded([&] { return pack(evaluation); });
    if (!packed)
        return packed.error();
    return d->write([&](Database& database) { return store::addEvaluation(database, variant, *packed); });
}

Result<protocol::Evaluation> Project::evaluation(base::EvaluationId id) const
{
    return guarded([&] { return readEvaluation(d->database, id); });
}

Result<std::vector<EvaluationSummary>> Project::evaluations(base::VariantId variant) const
{
    return guarded([&] { return readEvaluations(d->database, variant); });
}

Result<std::optional<EvaluationSummary>> Project::findEvaluation(base::VariantId variant,
                                                                 const std::string& deviceModel,
                                                                 protocol::Precision precision,
                                                                 protocol::Preset preset) const
{
    return guarded([&] { return store::findEvaluation(d->database, variant, deviceModel, precision, preset); });
}

Result<std::optional<StoredEvaluation>> Project::findWholeEvaluation(base::VariantId variant,
                                                                     const std::string& deviceModel,
                                                                     protocol::Precision precision,
                                                                     protocol::Preset preset) const
{
    return guarded([&]() -> std::optional<StoredEvaluation> {
        const auto found = store::findEvaluation(d->database, variant, deviceModel, precision, preset);
        if (!found)
            return {};
        return StoredEvaluation{found->id, readEvaluation(d->database, found->id)};
    });
}

Result<base::TimelineId> Project::addTimeline(const base::TaskId& task, base::VariantId variant,
                                              const protocol::TimelineAnswer& answer)
{
    const auto packed = guarded([&] { return pack(answer); });
    if (!packed)
        return packed.error();
    return d->write([&](Database& database) { return store::addTimeline(database, task, variant, *packed); });
}

Result<std::vector<TimelineRecord>> Project::timelines(const base::TaskId& task) const
{
    return guarded([&] { return readTimelines(d->database, task); });
}

Result<TimelineRecord> Project::timelineRecord(base::TimelineId id) const
{
    return guarded([&] { return readTimelineRecord(d->database, id); });
}

Result<protocol::TimelineAnswer> Project::timeline(base::TimelineId id) const
{
    return guarded([&] { return readTimeline(d->database, id); });
}

Result<base::AblationId> Project::addAblation(const AblationRecord& ablation)
{
    return d->write([&](Database& database) { return store::addAblation(database, ablation); });
}

Status Project::setAblationRun(base::AblationId id, base::RunId run)
{
    return d->write([&](Database& database) { store::setAblationRun(database, id, run); });
}

Result<AblationRecord> Project::ablation(base::AblationId id) const
{
    return guarded([&] { return readAblation(d->database, id); });
}

Result<std::vector<AblationRecord>> Project::ablations(const base::TaskId& task) const
{
    return guarded([&] { return readAblations(d->database, task); });
}

Result<std::vector<EvaluationSummary>> Project::newestEvaluations(const std::string& deviceModel, int most) const
{
    return guarded([&] { return readNewestEvaluations(d->database, deviceModel, most); });
}

Result<std::vector<ResultGroup>> Project::resultGroups() const
{
    return guarded([&] { return readResultGroups(d->database); });
}

Result<std::vector<VariantRow>> Project::rowsMeasured(const std::string& deviceModel,
                                                      protocol::Precision precision) const
{
    return guarded([&] { return readRowsMeasured(d->database, deviceModel, precision); });
}

Result<std::vector<MeasuredOn>> Project::measured() const
{
    return guarded([&] { return readMeasured(d->database); });
}

Result<std::vector<RunResult>> Project::runResults(base::RunId run) const
{
    return guarded([&] { return readRunResults(d->database, run); });
}

Result<std::vector<Improvement>> Project::improvements() const
{
    return guarded([&] { return readImprovements(d->database); });
}

Result<base::RunId> Project::startRun(const RunRecord& run)
{
    return d->write([&](Database& database) { return store::startRun(database, run); });
}

Status Project::setRunState(base::RunId id, RunState state, const std::string& message)
{
    return d->write([&](Database& database) { store::setRunState(database, id, state, message); });
}

Result<std::vector<RunRecord>> Project::runs(std::optional<RunState> state) const
{
    return guarded([&] { return readRuns(d->database, state); });
}

Status Project::enqueue(base::RunId run, base::VariantId variant, int round)
{
    return d->write([&](Database& database) { store::enqueue(database, run, variant, round); });
}

Result<std::vector<QueueItem>> Project::queue(base::RunId run) const
{
    return guarded([&] { return readQueue(d->database, run); });
}

Result<base::EvaluationId> Project::finish(const QueueItem& item, const protocol::Evaluation& evaluation)
{
    const auto packed = guarded([&] { return pack(evaluation); });
    if (!packed)
        return packed.error();
    return d->write([&](Database& database) {
        takeOff(database, item);
        return store::addEvaluation(database, item.variant, *packed);
    });
}

Status Project::drop(const QueueItem& item)
{
    return d->write([&](Database& database) { takeOff(database, item); });
}

Status Project::putCache(const std::string& key, const std::string& value)
{
    const QByteArray value_zlib = packed(value);
    return d->write([&](Database& database) {
        database.run("INSERT OR REPLACE INTO cache (key, value_zlib) VALUES (?, ?)", {bound(key), value_zlib});
    });
}

Result<std::optional<std::string>> Project::cache(const std::string& key) const
{
    return guarded([&]() -> std::optional<std::string> {
        const QVariant value_zlib = d->database.scalar("SELECT value_zlib FROM cache WHERE key = ?", {bound(key)});
        return value_zlib.isValid() ? std::optional(unpacked(value_zlib)) : std::nullopt;
    });
}

namespace {

/// The keys from `prefix`, which ends with '/', up to what comes behind all that begin with it.
std::pair<QVariant, QVariant> keysWith(std::string prefix)
{
    const QVariant first = bound(prefix);
    ++prefix.back();
    return {first, bound(prefix)};
}

} // namespace

Result<std::vector<std::string>> Project::caches(const std::string& prefix) const
{
    return guarded([&] {
        const auto [first, behind] = keysWith(prefix);
        std::vector<std::string> out;
        d->database.each("SELECT value_zlib FROM cache WHERE key >= ? AND key < ? ORDER BY key", {first, behind},
                         [&](const QSqlQuery& row) { out.push_back(unpacked(row.value(0))); });
        return out;
    });
}

Status Project::dropCaches(const std::string& prefix)
{
    return d->write([&](Database& database) {
        const auto [first, behind] = keysWith(prefix);
        database.run("DELETE FROM cache WHERE key >= ? AND key < ?", {first, behind});
    });
}

Result<std::int64_t> Project::dataVersion() const
{
    return guarded([&] { return d->database.version(); });
}

} // namespace cudal1::store
