// SPDX-License-Identifier: GPL-3.0-or-later
// What may be opened as a project, what is refused with which words, and that a refused file keeps every byte.
#include "core/store/project.h"
#include "core/store/schema.h"
#include "core/store/tables.h"
#include "tests/store/storesamples.h"
#include "tests/timeline/timelinesamples.h"

#include <QDir>
#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include <unistd.h>

using namespace cudal1;
using namespace cudal1::store;
using base::ErrorCode;
namespace fs = std::filesystem;

namespace {

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

void writeBytes(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        qFatal("cannot write %s", qPrintable(path));
}

/// The schema's version as it stands in the file's head: four bytes, the highest first.
QByteArray storedVersion()
{
    return QByteArray(3, '\0') + char(Project::schemaVersion);
}

/// Statements run on a plain connection, as another program would.
void runSql(const QString& path, const QStringList& statements)
{
    {
        QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "plain");
        database.setDatabaseName(path);
        if (!database.open())
            qFatal("cannot open %s", qPrintable(path));
        for (const QString& statement : statements)
            if (QSqlQuery query(database); !query.exec(statement))
                qFatal("%s", qPrintable(statement));
    }
    QSqlDatabase::removeDatabase("plain");
}

} // namespace

/// Root may write everywhere, so it becomes nobody for a while, who owns these.
class OtherUser {
public:
    explicit OtherUser(const QStringList& paths)
    {
        if (!m_root)
            return;
        for (const QString& path : paths)
            if (::chown(path.toUtf8().constData(), nobody, nobody) != 0)
                qFatal("chown failed");
        if (::seteuid(nobody) != 0)
            qFatal("seteuid failed");
    }
    ~OtherUser()
    {
        if (m_root && ::seteuid(0) != 0)
            qFatal("seteuid failed");
    }
    Q_DISABLE_COPY_MOVE(OtherUser)

private:
    static constexpr unsigned nobody = 65534;
    const bool m_root = ::geteuid() == 0;
};

class TestOpen : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        m_path = m_folder->filePath("project.cudal1");
    }

    void newProjectIsMarked();
    void emptyFileBecomesAProject();
    void refusedFilesStayUntouched_data();
    void refusedFilesStayUntouched();
    void newerVersionInALogIsSeen();
    void sparseDamageIsCorrupt();
    void killedWritersLogIsTakenUp();
    void foldersAndPermissions();
    void readOnlyFile();
    void aCopyHasEverything();
    void readOnlyFileThatIsNotWhole();
    void defaultPathHonoursXdg();
    void failingMigrationChangesNothing();
    void laterStepsRunOnOlderFiles();
    void everyOlderVersionIsMigrated_data();
    void everyOlderVersionIsMigrated();
    void connectionsAreClosed();

private:
    fs::path path() const { return m_path.toStdString(); }
    /// A project with enough rows to fill several pages, closed again.
    void makeProject()
    {
        auto project = Project::open(path());
        QVERIFY(project.ok());
        QVERIFY((*project)->putTask(samples::task()).ok());
        for (int i = 0; i < 20; ++i) {
            const auto id = (*project)->addVariant(samples::variant(std::string(3000, 'x') + std::to_string(i)));
            QVERIFY((*project)->addEvaluation(*id, samples::evaluation(1 + i)).ok());
        }
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

void TestOpen::newProjectIsMarked()
{
    makeProject();
    const QByteArray head = bytesOf(m_path).left(100);
    QVERIFY(head.startsWith("SQLite format 3"));
    QCOMPARE(head.mid(68, 4), QByteArray("CL1W"));
    QCOMPARE(head.mid(60, 4), storedVersion());
    QCOMPARE(int(head.at(18)), 2); // write-ahead log
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList("project.cudal1"));
    const auto project = Project::open(path());
    QVERIFY(project.ok());
    QCOMPARE((*project)->variantRows()->size(), std::size_t(20));
}

void TestOpen::emptyFileBecomesAProject()
{
    writeBytes(m_path, {});
    const auto project = Project::open(path());
    QVERIFY2(project.ok(), project.ok() ? "" : project.error().text().c_str());
    QVERIFY((*project)->putTask(samples::task()).ok());
}

void TestOpen::refusedFilesStayUntouched_data()
{
    QTest::addColumn<QString>("how");
    QTest::addColumn<int>("code");
    QTest::newRow("garbage") << "garbage" << int(ErrorCode::Corrupt);
    QTest::newRow("text shorter than a head") << "short" << int(ErrorCode::Corrupt);
    QTest::newRow("head overwritten") << "head" << int(ErrorCode::Corrupt);
    QTest::newRow("truncated") << "truncated" << int(ErrorCode::Corrupt);
    QTest::newRow("cut inside a page") << "cut" << int(ErrorCode::Corrupt);
    QTest::newRow("schema overwritten") << "schema" << int(ErrorCode::Corrupt);
    QTest::newRow("database of another program") << "foreign" << int(ErrorCode::Unreadable);
    QTest::newRow("newer") << "newer" << int(ErrorCode::TooNew);
}

void TestOpen::refusedFilesStayUntouched()
{
    QFETCH(QString, how);
    QFETCH(int, code);
    if (how == "foreign") {
        runSql(m_path, {"CREATE TABLE other (a)", "INSERT INTO other VALUES (1)"});
    } else {
        makeProject();
        QByteArray bytes = bytesOf(m_path);
        if (how == "garbage")
            bytes = QByteArray("no database at all ").repeated(1000);
        else if (how == "short")
            bytes = "hello";
        else if (how == "head")
            bytes.replace(0, 40, QByteArray(40, '\xee'));
        else if (how == "truncated")
            bytes.truncate(2 * 4096);
        else if (how == "cut")
            bytes.chop(1000);
        else if (how == "schema")
            bytes.replace(100, 3900, QByteArray(3900, '\xee'));
        writeBytes(m_path, bytes);
        if (how == "newer")
            runSql(m_path, {QString("PRAGMA user_version = %1").arg(Project::schemaVersion + 1)});
    }
    const QByteArray before = bytesOf(m_path);
    const auto opened = Project::open(path());
    QVERIFY(!opened.ok());
    QCOMPARE(int(opened.error().code), code);
    QVERIFY(!opened.error().message.empty() && !opened.error().hint.empty());
    QVERIFY(QString::fromStdString(opened.error().context).contains("project.cudal1"));
    QVERIFY(bytesOf(m_path) == before);
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList("project.cudal1"));
}

void TestOpen::newerVersionInALogIsSeen()
{
    // A later version of the program migrated the file and was killed before its log went into the file.
    makeProject();
    const QString killed = m_folder->filePath("killed.cudal1");
    {
        QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "later");
        database.setDatabaseName(m_path);
        QVERIFY(database.open());
        QVERIFY(QSqlQuery(database).exec("PRAGMA user_version = 70"));
        QCOMPARE(bytesOf(m_path).mid(60, 4), storedVersion()); // else this test would show nothing
        QVERIFY(QFile::copy(m_path, killed));
        QVERIFY(QFile::copy(m_path + "-wal", killed + "-wal"));
    }
    QSqlDatabase::removeDatabase("later");
    const QByteArray file = bytesOf(killed), log = bytesOf(killed + "-wal");
    const auto opened = Project::open(killed.toStdString());
    QVERIFY(!opened.ok());
    QCOMPARE(int(opened.error().code), int(ErrorCode::TooNew));
    QVERIFY(bytesOf(killed) == file);
    QVERIFY(bytesOf(killed + "-wal") == log);
}

void TestOpen::sparseDamageIsCorrupt()
{
    // Damage that only shows when a page is read later is a Result with the code Corrupt, never an exception.
    makeProject();
    QByteArray bytes = bytesOf(m_path);
    const QByteArray needle = "launch gaps";
    QVERIFY(bytes.contains(needle));
    for (qsizetype page = 30 * 4096; page + 4096 <= bytes.size(); page += 4096)
        bytes.replace(page, 64, QByteArray(64, '\xee'));
    writeBytes(m_path, bytes);
    const auto opened = Project::open(path());
    if (!opened.ok()) {
        QCOMPARE(int(opened.error().code), int(ErrorCode::Corrupt));
        QVERIFY(bytesOf(m_path) == bytes);
        return;
    }
    int corrupt = 0;
    for (int id = 1; id <= 20; ++id) {
        const auto variant = (*opened)->variant({id});
        const auto evaluation = (*opened)->evaluation({id});
        for (const base::Error* error :
             {variant ? nullptr : &variant.error(), evaluation ? nullptr : &evaluation.error()})
            if (error) {
                QCOMPARE(int(error->code), int(ErrorCode::Corrupt));
                ++corrupt;
            }
    }
    QVERIFY(corrupt > 0);
}

void TestOpen::killedWritersLogIsTakenUp()
{
    const QString killed = m_folder->filePath("killed.cudal1");
    {
        auto project = Project::open(path());
        QVERIFY((*project)->putTask(samples::task()).ok());
        QVERIFY(bytesOf(m_path + "-wal").size() > 0);
        QVERIFY(QFile::copy(m_path, killed));
        QVERIFY(QFile::copy(m_path + "-wal", killed + "-wal"));
    }
    {
        const auto project = Project::open(killed.toStdString());
        QVERIFY2(project.ok(), project.ok() ? "" : project.error().text().c_str());
        QCOMPARE((*project)->task({"3/41"})->source, samples::task().source);
    }
    QVERIFY(!QFile::exists(killed + "-wal"));
}

void TestOpen::foldersAndPermissions()
{
    const auto folder = Project::open(fs::path(m_folder->path().toStdString()));
    QCOMPARE(int(folder.error().code), int(ErrorCode::InvalidArgument));
    const auto missing = Project::open(path() / "not" / "there.cudal1");
    QCOMPARE(int(missing.error().code), int(ErrorCode::NotFound));
    QVERIFY(!missing.error().hint.empty());
    QVERIFY(!fs::exists(path()));
    // No one may create files there, not even root.
    const auto kernel = Project::open("/proc/project.cudal1");
    QVERIFY(!kernel.ok());
    QCOMPARE(int(kernel.error().code), int(ErrorCode::Unavailable));
    QVERIFY(!kernel.error().hint.empty());
}

void TestOpen::readOnlyFile()
{
    makeProject();
    const QByteArray before = bytesOf(m_path);
    const OtherUser other({m_folder->path(), m_path});
    const auto readAndNoMore = [&] {
        const auto first = Project::open(path()), second = Project::open(path()); // the second is not inspected
        for (const auto* opened : {&first, &second}) {
            QVERIFY2(opened->ok(), opened->ok() ? "" : opened->error().text().c_str());
            Project& project = *opened->value();
            QVERIFY(project.isReadOnly());
            QCOMPARE(project.variantRows()->size(), std::size_t(20));
            const auto status = project.putTask(samples::task());
            QVERIFY(!status.ok());
            QCOMPARE(int(status.error().code), int(ErrorCode::Unavailable));
        }
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList("project.cudal1")); // nothing beside it
    };
    QFile::setPermissions(m_path, QFile::ReadOwner);
    readAndNoMore();
    QFile::setPermissions(m_path, {});
    QCOMPARE(int(Project::open(path()).error().code), int(ErrorCode::Unreadable));
    QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner);
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::ExeOwner);
    readAndNoMore();
    QVERIFY(!Project::open(m_folder->filePath("new.cudal1").toStdString()).ok());
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(bytesOf(m_path) == before);
}

void TestOpen::aCopyHasEverything()
{
    makeProject();
    const QString copy = m_folder->filePath("copy.cudal1");
    const auto opened = Project::open(path());
    QVERIFY(opened.ok());
    QVERIFY((*opened)->copyTo(copy.toStdString()).ok());
    QVERIFY(!(*opened)->copyTo(copy.toStdString()).ok()); // which is there now, and is left as it is
    const auto other = Project::open(copy.toStdString());
    QVERIFY2(other.ok(), other.ok() ? "" : other.error().text().c_str());
    QCOMPARE((*other)->variantRows()->size(), std::size_t(20));
    QVERIFY((*other)->putTask(samples::task()).ok());
    QVERIFY(!(*opened)->copyTo("/proc/none/x.cudal1").ok());
}

void TestOpen::readOnlyFileThatIsNotWhole()
{
    makeProject();
    const OtherUser other({m_folder->path(), m_path});
    runSql(m_path, {QString("PRAGMA user_version = %1").arg(Project::schemaVersion - 1)});
    QFile::setPermissions(m_path, QFile::ReadOwner);
    const auto earlier = Project::open(path());
    QVERIFY(!earlier.ok());
    QVERIFY2(earlier.error().text().find("earlier version") != std::string::npos, earlier.error().text().c_str());
    QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner);
    runSql(m_path, {QString("PRAGMA user_version = %1").arg(Project::schemaVersion)});
    writeBytes(m_path + "-wal", "changes of a program that is at work");
    QFile::setPermissions(m_path, QFile::ReadOwner);
    const auto atWork = Project::open(path());
    QVERIFY(!atWork.ok());
    QVERIFY2(atWork.error().text().find("log beside it") != std::string::npos, atWork.error().text().c_str());
}

void TestOpen::defaultPathHonoursXdg()
{
    const QByteArray before = qgetenv("XDG_DATA_HOME");
    qputenv("XDG_DATA_HOME", m_folder->path().toUtf8());
    const fs::path path = Project::defaultPath();
    QVERIFY(QString::fromStdString(path.string()).startsWith(m_folder->path() + "/"));
    QVERIFY(!fs::exists(path.parent_path())); // asking where it is creates nothing
    {
        const auto project = Project::open(path);
        QVERIFY2(project.ok(), project.ok() ? "" : project.error().text().c_str());
        QVERIFY(fs::exists(path));
    }
    before.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", before);
}

void TestOpen::failingMigrationChangesNothing()
{
    makeProject();
    const QByteArray before = bytesOf(m_path);
    constexpr int now = Project::schemaVersion;
    const std::vector<Migration> steps{{now, {}},
                                       {now + 1, {"CREATE TABLE added (a)", "UPDATE tasks SET name = 'changed'"}},
                                       {now + 2, {"INSERT INTO nowhere VALUES (1)"}}};
    {
        Database database(path(), Database::Mode::ReadWrite);
        QVERIFY_EXCEPTION_THROWN(migrate(database, steps), std::exception);
        QCOMPARE(database.scalar("PRAGMA user_version").toInt(), now);
        QCOMPARE(database.scalar("SELECT count(*) FROM sqlite_master WHERE name = 'added'").toInt(), 0);
        QCOMPARE(database.scalar("SELECT name FROM tasks").toString(), QString("GRUBidirectional"));
    }
    QVERIFY(bytesOf(m_path) == before);
    QVERIFY(Project::open(path()).ok());
}

void TestOpen::laterStepsRunOnOlderFiles()
{
    makeProject();
    std::vector<Migration> steps(migrations().begin(), migrations().end());
    QCOMPARE(steps.back().version, Project::schemaVersion);
    constexpr int now = Project::schemaVersion;
    steps.push_back({now + 1, {"ALTER TABLE tasks ADD COLUMN added TEXT NOT NULL DEFAULT 'x'"}});
    steps.push_back({now + 2, {"UPDATE tasks SET added = 'y'"}});
    {
        Database database(path(), Database::Mode::ReadWrite);
        migrate(database, steps);
        QCOMPARE(database.scalar("PRAGMA user_version").toInt(), now + 2);
        QCOMPARE(database.scalar("SELECT added FROM tasks").toString(), QString("y"));
        QCOMPARE(database.scalar("SELECT count(*) FROM variants").toInt(), 20);
        migrate(database, steps); // up to date: nothing happens, or "duplicate column" would be thrown
    }
    QCOMPARE(int(Project::open(path()).error().code), int(ErrorCode::TooNew));
}

void TestOpen::everyOlderVersionIsMigrated_data()
{
    QTest::addColumn<int>("version");
    for (int version = 1; version < Project::schemaVersion; ++version)
        QTest::addRow("from %d", version) << version;
}

void TestOpen::everyOlderVersionIsMigrated()
{
    QFETCH(int, version);
    {
        Database database(path(), Database::Mode::ReadWrite);
        migrate(database, migrations().first(std::size_t(version)));
        QCOMPARE(database.scalar("PRAGMA user_version").toInt(), version);
        database.run(
            "INSERT INTO tasks (id, name, suite, level, hash, source) VALUES ('1/1', 'Old', 's', 1, 'h', 'text')");
        database.run("INSERT INTO variants (task, task_hash, source_hash, origin, techniques, created_ms)"
                     " VALUES ('1/1', 'h', x'00', 'file: old.py', '[]', 5)");
        database.run("INSERT INTO variant_texts VALUES (1, 'old source', '', '', '')");
        // Times stood in the samples alone; damaged ones have none.
        for (const QByteArray& samples : {pack(samples::evaluation(2)).json_zlib, QByteArray("damaged")})
            database.run("INSERT INTO evaluation_samples VALUES (?, ?)",
                         {QVariant::fromValue(qlonglong(database.insert(
                              "INSERT INTO evaluations (variant, verdict, precision, preset, device, device_model, "
                              "wall_estimate, wall_low, wall_high,"
                              " precision_matched, first_reason, created_ms)"
                              " VALUES (1, 'correct', 'kernelbench', 'quick', 'cuda:0', 'GPU', 2, 1.9, 2.1, 0, '', ?)",
                              {QVariant::fromValue(samples.size())}))),
                          samples});
    }
    const auto project = Project::open(path());
    QVERIFY2(project.ok(), project.ok() ? "" : project.error().text().c_str());
    QCOMPARE(bytesOf(m_path).mid(60, 4), storedVersion());
    QCOMPARE((*project)->task({"1/1"})->source, std::string("text"));
    QCOMPARE((*project)->variant({1})->source, std::string("old source"));
    const auto evaluations = *(*project)->evaluations({1}); // newest first
    const EvaluationSummary &whole = evaluations.front().created_ms > 100 ? evaluations.front() : evaluations.back(),
                            &damaged = evaluations.front().created_ms > 100 ? evaluations.back() : evaluations.front();
    QCOMPARE(evaluations.size(), std::size_t(2));
    QCOMPARE(damaged.candidate_ns, 0.0);
    if (version < 7) { // which brought these columns
        QCOMPARE(whole.candidate_ns, samples::evaluation(2).speedup.wall.candidate_ns);
        QVERIFY(whole.candidate_ns > 0);
        QCOMPARE(whole.reference_ns, samples::evaluation(2).speedup.wall.reference_ns);
        QCOMPARE(whole.floor_ns, samples::evaluation(2).floor.time_ns);
        QCOMPARE(whole.labels, std::string("precision "));
        QVERIFY(whole.followsHost != 0);
    }
    if (version < 10) // which names the precision, where there is something to read it of
        QCOMPARE(whole.otherSetting, std::string("TF32"));
    QVERIFY((*project)->claims()->empty());
    QVERIFY((*project)->variantRows()->size() == 1 && (*project)->baselineRows()->empty());
    // What the new version is for works on the old file.
    ImportRow row;
    row.task = samples::task();
    row.variant = samples::variant("x = 1");
    row.variant->taskHash = row.task.hash;
    row.claim.source = "s";
    row.claim.key = "3/41";
    QVERIFY((*project)->importRows({row}).ok());
    QCOMPARE((*project)->claims()->size(), std::size_t(1));
    row.variant->source = "x = 2";
    row.variant->baseline = "eager";
    QVERIFY((*project)->addVariant(*row.variant).ok());
    QCOMPARE((*project)->baselineRows()->size(), std::size_t(1));
    QVERIFY((*project)->timelines()->empty());
    QVERIFY((*project)->addTimeline({"1/1"}, {1}, timeline::samples::answer()).ok());
    QCOMPARE((*project)->timelines({"1/1"})->size(), std::size_t(1));
    QCOMPARE((*project)->timelines()->front().taskHash, std::string("h"));
    Sample sample = samples::sample({1});
    sample.task = {"1/1"};
    QVERIFY((*project)->addSamples({sample}).ok());
    QCOMPARE((*project)->samples(base::VariantId{1})->size(), std::size_t(1));
}

void TestOpen::connectionsAreClosed()
{
    const QStringList before = QSqlDatabase::connectionNames();
    {
        auto first = Project::open(path());
        auto second = Project::open(path());
        QVERIFY(first.ok() && second.ok());
        QCOMPARE(QSqlDatabase::connectionNames().size(), before.size() + 2);
    }
    writeBytes(m_folder->filePath("bad"), "bad");
    QVERIFY(!Project::open(m_folder->filePath("bad").toStdString()).ok());
    QCOMPARE(QSqlDatabase::connectionNames(), before);
    QVERIFY(!QFile::exists(m_path + "-wal"));
    QVERIFY(!QFile::exists(m_path + "-shm"));
}

QTEST_GUILESS_MAIN(TestOpen)
#include "tst_open.moc"
