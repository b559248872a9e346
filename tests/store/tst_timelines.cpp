// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines in a project: written, listed and read back whole, and what is refused.
#include "core/store/database.h"
#include "core/store/project.h"
#include "tests/store/storesamples.h"
#include "tests/timeline/timelinesamples.h"

#include <QDateTime>
#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <limits>

using namespace cudal1;
using namespace cudal1::store;
using base::ErrorCode;

class TestTimelines : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath("project.cudal1").toStdString();
        auto project = Project::open(m_path);
        QVERIFY(project.ok());
        m_project = std::move(project.value());
        QVERIFY(m_project->putTask(samples::task()).ok());
        m_variant = *m_project->addVariant(samples::variant("x = 1"));
    }
    void cleanup() { m_project.reset(); }

    void comesBackWhole()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.seed = 18'446'744'073'709'551'615ull;
        const auto id = m_project->addTimeline({"3/41"}, m_variant, answer);
        QVERIFY2(id.ok(), id.ok() ? "" : id.error().text().c_str());
        const auto read = m_project->timeline(*id);
        QVERIFY(read.ok());
        QCOMPARE(nlohmann::json(*read).dump(), nlohmann::json(answer).dump());
        const auto record = m_project->timelineRecord(*id);
        QVERIFY(record.ok());
        QVERIFY(record->id == *id && record->variant == m_variant && record->task.value == "3/41");
        QCOMPARE(record->taskHash, samples::task().hash);
        QCOMPARE(record->device, std::string("cuda:0"));
        QCOMPARE(record->deviceModel, std::string("NVIDIA H200"));
        QCOMPARE(record->calls, 2);
        QCOMPARE(int(record->precision), int(protocol::Precision::Tf32));
        QCOMPARE(record->seed, answer.seed);
        QCOMPARE(record->created_ms, answer.recorded_ms); // and not when it was stored, as from a file
    }

    void callsAreThoseOfTheSideThatHasMore()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        answer.candidate = answer.reference;
        answer.reference.windows.resize(1);
        for (const std::size_t reference : {1, 2}) {
            const auto id = m_project->addTimeline({"3/41"}, m_variant, answer);
            QVERIFY2(id.ok(), id.ok() ? "" : id.error().text().c_str());
            QCOMPARE(m_project->timelineRecord(*id)->calls, 2);
            std::swap(answer.reference.windows, answer.candidate->windows);
            QCOMPARE(answer.candidate->windows.size(), reference);
        }
    }

    void whenItWasRecordedMayNotBeKnown()
    {
        protocol::TimelineAnswer answer = timeline::samples::answer();
        for (const std::int64_t said :
             {std::int64_t(0), std::numeric_limits<std::int64_t>::max()}) { // before it was said, and by a wrong clock
            answer.recorded_ms = said;
            const std::int64_t before_ms = QDateTime::currentMSecsSinceEpoch();
            const auto id = m_project->addTimeline({"3/41"}, m_variant, answer);
            QVERIFY(id.ok());
            const std::int64_t stored_ms = m_project->timelineRecord(*id)->created_ms;
            QVERIFY(stored_ms >= before_ms && stored_ms <= QDateTime::currentMSecsSinceEpoch());
            QCOMPARE(m_project->timeline(*id)->recorded_ms, said == 0 ? stored_ms : said);
        }
    }

    void listsNewestFirst()
    {
        protocol::TimelineAnswer alone = timeline::samples::answer();
        alone.candidate.reset();
        const auto first = m_project->addTimeline({"3/41"}, {}, alone);
        const auto second = m_project->addTimeline({"3/41"}, m_variant, timeline::samples::answer());
        QVERIFY(first.ok() && second.ok());
        auto other = samples::task();
        other.id = {"1/1"};
        QVERIFY(m_project->putTask(other).ok());
        QVERIFY(m_project->addTimeline({"1/1"}, {}, alone).ok());
        const auto listed = m_project->timelines({"3/41"});
        QCOMPARE(listed->size(), std::size_t(2));
        QVERIFY(listed->front().id == *second && listed->back().id == *first);
        QVERIFY(!listed->back().variant);
        QCOMPARE(m_project->timelines()->size(), std::size_t(3));
        QVERIFY(m_project->timelines({"2/2"})->empty());
    }

    void refusals()
    {
        const auto answer = timeline::samples::answer();
        QCOMPARE(int(m_project->addTimeline({"9/9"}, {}, answer).error().code), int(ErrorCode::NotFound));
        QCOMPARE(int(m_project->addTimeline({"3/41"}, {77}, answer).error().code), int(ErrorCode::NotFound));
        QCOMPARE(int(m_project->timeline({5}).error().code), int(ErrorCode::NotFound));
        QCOMPARE(int(m_project->timelineRecord({5}).error().code), int(ErrorCode::NotFound));
        protocol::TimelineAnswer empty = answer;
        empty.reference.windows.clear();
        QCOMPARE(int(m_project->addTimeline({"3/41"}, {}, empty).error().code), int(ErrorCode::InvalidArgument));
        QVERIFY(m_project->timelines()->empty());
    }

    void damageIsSaid()
    {
        const auto id = m_project->addTimeline({"3/41"}, {}, timeline::samples::answer());
        m_project.reset();
        {
            Database database(m_path, Database::Mode::ReadWrite);
            database.run("UPDATE timelines SET json_zlib = ?", {qCompress(QByteArray("{\"reference\":{}}"))});
        }
        m_project = std::move(Project::open(m_path).value());
        const auto read = m_project->timeline(*id);
        QCOMPARE(int(read.error().code), int(ErrorCode::Corrupt));
        QVERIFY(!read.error().hint.empty());
        QCOMPARE(m_project->timelines()->size(), std::size_t(1)); // the list needs no events
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<Project> m_project;
    base::VariantId m_variant;
};

QTEST_GUILESS_MAIN(TestTimelines)
#include "tst_timelines.moc"
