// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines through their file and back; what viewers need of it; what is refused.
#include "core/timeline/chrometrace.h"
#include "tests/timeline/timelinesamples.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

using namespace cudal1;
using nlohmann::json;

namespace {

std::string written(const protocol::TimelineAnswer& answer)
{
    std::ostringstream out;
    timeline::writeTrace(out, answer);
    return out.str();
}

std::vector<json> eventsOf(const json& file, const std::string& phase)
{
    std::vector<json> out;
    for (const json& event : file.at("traceEvents"))
        if (event.at("ph") == phase)
            out.push_back(event);
    return out;
}

} // namespace

class TestChromeTrace : public QObject {
    Q_OBJECT
private slots:
    void everyFieldComesBack()
    {
        const protocol::TimelineAnswer in = timeline::samples::answer();
        const auto out = timeline::readTrace(written(in), "x.json");
        QVERIFY2(out.ok(), out.ok() ? "" : out.error().text().c_str());
        QCOMPARE(json(*out).dump(1), json(in).dump(1));
    }

    void theReferenceAlone()
    {
        protocol::TimelineAnswer in = timeline::samples::answer();
        in.candidate.reset();
        const auto out = timeline::readTrace(written(in), "x.json");
        QVERIFY(out.ok());
        QVERIFY(!out->candidate);
        QCOMPARE(out->reference.events.size(), in.reference.events.size());
    }

    void nanosecondsSurvive()
    {
        // An hour into the recording, and odd.
        protocol::TimelineAnswer in = timeline::samples::answer();
        in.candidate->events[0].start_ns = 3'600'000'000'001;
        in.candidate->events[0].duration_ns = 3;
        const auto out = timeline::readTrace(written(in), "x.json");
        QVERIFY(out.ok());
        QCOMPARE(out->candidate->events[0].start_ns, std::int64_t(3'600'000'000'001));
        QCOMPARE(out->candidate->events[0].duration_ns, std::int64_t(3));
    }

    void viewersGetWhatTheyNeed()
    {
        const json file = json::parse(written(timeline::samples::answer()));
        const auto events = eventsOf(file, "X");
        std::set<int> named;
        for (const json& meta : eventsOf(file, "M"))
            if (meta.at("name") == "thread_name")
                QVERIFY(named.insert(meta.at("tid").get<int>()).second);
        std::vector<json> windows;
        for (const json& event : events) {
            QVERIFY(event.at("ts").get<double>() >= 0);
            QVERIFY(event.at("dur").get<double>() >= 0);
            QVERIFY(named.contains(event.at("tid").get<int>()));
            if (event.at("cat") == "window" && event.at("name").get<std::string>().starts_with("call "))
                windows.push_back(event);
        }
        QCOMPARE(windows.size(), std::size_t(3));
        // Moved by the memset that ran 2.5 us before the first window; both sides by the same.
        QCOMPARE(windows[0].at("ts").get<double>(), 2.5);
        QCOMPARE(windows[0].at("dur").get<double>(), 100.0);
        QCOMPARE(windows[2].at("pid").get<int>(), 2);
        QCOMPARE(windows[2].at("ts").get<double>(), 2.5);
    }

    void whatLiesOutsideIsMarked()
    {
        const json file = json::parse(written(timeline::samples::answer()));
        std::vector<std::string> marks;
        for (const json& mark : eventsOf(file, "i"))
            marks.push_back(mark.at("name"));
        QCOMPARE(marks.size(), std::size_t(3));
        QVERIFY(std::find(marks.begin(), marks.end(), "outside: late") != marks.end());
        QVERIFY(std::find(marks.begin(), marks.end(), "after the caller's stream: gemm") != marks.end());
        bool found = false;
        for (const json& event : eventsOf(file, "X"))
            found = found || (event.at("name") == "late" && event.at("cat") == "kernel,outside");
        QVERIFY(found);
    }

    void arrowsLeadFromCallsToTheDevice()
    {
        const json file = json::parse(written(timeline::samples::answer()));
        const auto starts = eventsOf(file, "s"), ends = eventsOf(file, "f");
        QCOMPARE(starts.size(), std::size_t(5)); // four kernels and a copy; nothing launched the memset
        QCOMPARE(ends.size(), starts.size());
        // The second window's kernel, 260 us after the first window's start, was launched by the driver call at 202 us.
        bool found = false;
        for (const json& end : ends) {
            QCOMPARE(end.at("bp").get<std::string>(), std::string("e"));
            const auto start = std::find_if(starts.begin(), starts.end(),
                                            [&](const json& j) { return j.at("id") == end.at("id"); });
            QVERIFY(start != starts.end());
            QVERIFY(start->at("ts").get<double>() <= end.at("ts").get<double>());
            found = found || (end.at("ts").get<double>() == 262.5 && start->at("ts").get<double>() == 204.5);
        }
        QVERIFY(found);
    }

    void refusesWhatIsNoTimeline_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const json& file, base::ErrorCode code, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(file.dump()) << int(code) << QByteArray(says);
        };
        const json good = json::parse(written(timeline::samples::answer()));
        const auto firstKernel = [](json& file) -> json& {
            for (json& event : file["traceEvents"])
                if (event.value("cat", "") == "kernel")
                    return event;
            qFatal("the sample has no kernel");
        };
        using base::ErrorCode;
        QTest::newRow("empty") << QByteArray() << int(ErrorCode::Unreadable) << QByteArray("cut short");
        QTest::newRow("text") << QByteArray("hello") << int(ErrorCode::Unreadable) << QByteArray("no trace");
        QTest::newRow("cut short") << QByteArray::fromStdString(good.dump()).left(2000) << int(ErrorCode::Unreadable)
                                   << QByteArray("byte");
        row("a list", json::array(), ErrorCode::Unreadable, "traceEvents");
        row("no events", json::object(), ErrorCode::Unreadable, "traceEvents");
        row("another program's", {{"traceEvents", json::array()}, {"schemaVersion", 1}}, ErrorCode::InvalidArgument,
            "another program");
        json j = good;
        j["cudal1_timeline"]["version"] = 2;
        row("a later version", j, ErrorCode::TooNew, "later version");
        j = good;
        j["cudal1_timeline"].erase("reference");
        row("no reference", j, ErrorCode::Unreadable, "reference");
        j = good;
        j["cudal1_timeline"]["reference"]["windows"] = json::array();
        row("no window", j, ErrorCode::Unreadable, "no timed window");
        j = good;
        j["traceEvents"] = 7;
        row("events are a number", j, ErrorCode::Unreadable, "damaged");
        j = good;
        firstKernel(j)["cat"] = "sorcery";
        row("unknown category", j, ErrorCode::Unreadable, "sorcery");
        j = good;
        firstKernel(j)["cat"] = "kernel,sideways";
        row("unknown place", j, ErrorCode::Unreadable, "sideways");
        j = good;
        firstKernel(j)["tid"] = 1'000'999;
        row("no such track", j, ErrorCode::Unreadable, "track 999");
        j = good;
        firstKernel(j)["pid"] = 3;
        row("no such side", j, ErrorCode::Unreadable, "side 3");
        j = good;
        firstKernel(j)["dur"] = -1.5;
        row("negative duration", j, ErrorCode::Unreadable, "before it starts");
        j = good;
        firstKernel(j)["ts"] = 1e300;
        row("no time", j, ErrorCode::Unreadable, "no time");
        j = good;
        firstKernel(j).erase("dur");
        row("no duration", j, ErrorCode::Unreadable, "dur");
        j = good;
        firstKernel(j)["args"]["grid"] = "wide";
        row("text for a grid", j, ErrorCode::Unreadable, "event ");
    }
    void refusesWhatIsNoTimeline()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, code);
        QFETCH(QByteArray, says);
        const auto out = timeline::readTrace(std::string_view(text.constData(), std::size_t(text.size())), "bad.json");
        QVERIFY(!out.ok());
        QCOMPARE(int(out.error().code), code);
        QVERIFY2(out.error().message.find(says.toStdString()) != std::string::npos ||
                     out.error().hint.find(says.toStdString()) != std::string::npos,
                 out.error().text().c_str());
        QCOMPARE(out.error().context, std::string("bad.json"));
        QVERIFY(!out.error().hint.empty());
    }

    void filesAreWrittenWholeOrNotAtAll()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("a.json").toStdString();
        const protocol::TimelineAnswer in = timeline::samples::answer();
        QVERIFY(timeline::saveTrace(path, in).ok());
        QVERIFY(timeline::saveTrace(path, in).ok()); // over an older one
        const auto out = timeline::loadTrace(path);
        QVERIFY(out.ok());
        QCOMPARE(json(*out).dump(), json(in).dump());
        QCOMPARE(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), std::ptrdiff_t(1));

        // A link stays one, and what is no file is written into.
        const std::filesystem::path link = folder.filePath("link.json").toStdString(),
                                    pipe = folder.filePath("pipe").toStdString();
        std::filesystem::create_symlink("b.json", link);
        QVERIFY(timeline::saveTrace(link, in).ok() && std::filesystem::is_symlink(link));
        QVERIFY(timeline::loadTrace(folder.filePath("b.json").toStdString()).ok());
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        std::string piped;
        std::thread reader([&] {
            std::ifstream from(pipe, std::ios::binary);
            piped.assign(std::istreambuf_iterator<char>(from), {});
        });
        const base::Status intoPipe = timeline::saveTrace(pipe, in);
        reader.join();
        QVERIFY(intoPipe.ok() && std::filesystem::is_fifo(pipe));
        QVERIFY(timeline::readTrace(piped, "pipe").ok());
        const base::Status full = timeline::saveTrace("/dev/full", in);
        QVERIFY(!full.ok() && full.error().message.find("No space left") != std::string::npos);
        QVERIFY(std::filesystem::is_character_file("/dev/full"));

        const auto nowhere = timeline::saveTrace(folder.filePath("none/a.json").toStdString(), in);
        QVERIFY(!nowhere.ok() && !nowhere.error().hint.empty());
        const auto onAFolder = timeline::saveTrace(folder.path().toStdString(), in);
        QVERIFY(!onAFolder.ok());
        QVERIFY(!std::filesystem::exists(folder.path().toStdString() + ".partial"));
        QCOMPARE(int(timeline::loadTrace(folder.filePath("none").toStdString()).error().code),
                 int(base::ErrorCode::NotFound));
        QCOMPARE(int(timeline::loadTrace(folder.path().toStdString()).error().code), int(base::ErrorCode::Unreadable));
    }
};

QTEST_GUILESS_MAIN(TestChromeTrace)
#include "tst_chrometrace.moc"
