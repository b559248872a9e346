// SPDX-License-Identifier: GPL-3.0-or-later
// Reading traces: tokens across pieces of any length, our own traces, other programs', damage with its position,
// cancel.
#include "core/timeline/chrometrace.h"
#include "core/timeline/traceentry.h"
#include "core/timeline/traceimport.h"
#include "tests/timeline/timelinesamples.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <sstream>

using namespace cudal1;
using namespace cudal1::timeline;
using base::ErrorCode;
using samples::Category;
using samples::Place;
using Token = JsonReader::Token;

namespace {

JsonReader::Fill pieces(std::string text, std::size_t length)
{
    return [text = std::move(text), length, at = std::size_t(0)](char* to, std::size_t most) mutable {
        const std::size_t got = std::min({most, length, text.size() - at});
        std::memcpy(to, text.data() + at, got);
        at += got;
        return got;
    };
}

base::Result<OpenedTrace> open(const std::string& text, std::size_t length = 1 << 20, const Watch& watch = {})
{
    return openTrace(pieces(text, length), text.size(), "t.json", watch);
}

std::string ours()
{
    std::ostringstream out;
    writeTrace(out, samples::answer());
    return out.str();
}

const char* const foreign =
    R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "x": [1, 2.5e3, true, null, "\u00fc\ud83d\ude00"]}],
"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 71, "tid": 71, "ts": 1700000000000000.125, "dur": 40.5, "args": {"External id": 1, "Input Dims": [[64, 256], []], "Input type": ["float", ""]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 71, "tid": 71, "ts": 1700000000000010.125, "dur": 5, "args": {"correlation": 9}},
{"ph": "X", "cat": "kernel", "name": "gemm<float>", "pid": 0, "tid": 7, "ts": 1700000000000050.125, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 9, "registers per thread": 32, "shared memory": 1024, "grid": [4, 2, 1], "block": [128, 1, 1]}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 1700000000000200.125, "dur": 10, "args": {"bytes": 4096, "stream": 7}},
{"name": "process_name", "ph": "M", "ts": 0, "pid": 71, "tid": 0, "args": {"name": "python"}},
{"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "stream 7 "}},
{"name": "process_sort_index", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"sort_index": 5000000}},
{"ph": "s", "id": 9, "pid": 71, "tid": 71, "ts": 1700000000000010.125, "cat": "ac2g", "name": "ac2g"},
{"ph": "B", "name": "outer", "pid": "Spans", "tid": "a", "ts": 1700000000000000.125},
{"ph": "B", "name": "inner", "pid": "Spans", "tid": "a", "ts": 1700000000000001.125},
{"ph": "E", "pid": "Spans", "tid": "a", "ts": 1700000000000003.125},
{"ph": "E", "pid": "Spans", "tid": "a", "ts": 1700000000000008.125},
{"ph": "E", "pid": "Spans", "tid": "a", "ts": 1700000000000009.125},
{"ph": "B", "name": "never ended", "pid": "Spans", "tid": "a", "ts": 1700000000000020.125}
], "traceName": "x"})";

EventIndex named(const Model& model, const char* name)
{
    for (EventIndex i = 0; i < model.size(); ++i)
        if (model.nameOf(i) == name)
            return i;
    return noEvent;
}

} // namespace

class TestTraceImport : public QObject {
    Q_OBJECT
private slots:
    void tokensAcrossPieces();
    void times_data();
    void times();
    void ownTraces();
    void tracesOfOthers();
    void listsWithoutAnEnd();
    void damage_data();
    void damage();
    void refusals();
    void everyCutIsAnError();
    void stops();
    void files();
};

void TestTraceImport::tokensAcrossPieces()
{
    const std::string text =
        R"( {"a" : [1, -2.5e+3, "x\n\"\u00e9\\", true, false, null, {}, []], "long name that crosses" : "plain text"} )";
    for (std::size_t length = 1; length <= text.size(); ++length) {
        JsonReader reader(pieces(text, length), 8);
        std::string seen;
        for (Token token = reader.next(); token != Token::End; token = reader.next())
            seen += std::to_string(int(token)) + ":" + std::string(reader.text()) + " ";
        QCOMPARE(seen, std::string("0: 4:a 2: 6:1 6:-2.5e+3 5:x\n\"é\\ 7: 8: 9: 0: 1: 2: 3: 3: 4:long name that "
                                   "crosses 5:plain text 1: "));
    }
    JsonReader skipping(pieces(R"([{"a":[[1],{"b":2}]},7])", 3), 8);
    QCOMPARE(int(skipping.next()), int(Token::BeginArray));
    skipping.skip(skipping.next());
    QCOMPARE(int(skipping.next()), int(Token::Number));
    QCOMPARE(std::string(skipping.text()), std::string("7"));
}

void TestTraceImport::times_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("time_ns");
    QTest::newRow("whole") << QByteArray("12") << qint64(12'000);
    QTest::newRow("three decimals") << QByteArray("1700000000000000.125") << qint64(1'700'000'000'000'000'125);
    QTest::newRow("one decimal") << QByteArray("0.5") << qint64(500);
    QTest::newRow("more decimals") << QByteArray("1.23456") << qint64(1'235);
    QTest::newRow("negative") << QByteArray("-2.5") << qint64(-2'500);
    QTest::newRow("exponent") << QByteArray("1.5e2") << qint64(150'000);
    QTest::newRow("too large") << QByteArray("99999999999999999999") << qint64(-1);
    QTest::newRow("large exponent") << QByteArray("1e300") << qint64(-1);
}

void TestTraceImport::times()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, time_ns);
    std::int64_t out = -1;
    QCOMPARE(nanosecondsOf(text.toStdString(), out), time_ns != -1);
    if (time_ns != -1)
        QCOMPARE(qint64(out), time_ns);
}

void TestTraceImport::ownTraces()
{
    for (const std::size_t length : {std::size_t(1) << 20, std::size_t(100)}) {
        const auto opened = open(ours(), length);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        QVERIFY(opened->ours);
        QCOMPARE(opened->device, std::string("NVIDIA H200"));
        QCOMPARE(opened->sides.size(), std::size_t(2));
        QCOMPARE(opened->sides[0].title, std::string("reference 3/41"));
        QCOMPARE(opened->sides[1].title, std::string("fast.py"));
        // The very model that is made without the file.
        const auto direct = modelOf(samples::gpu());
        const Model& read = *opened->sides[0].model;
        QCOMPARE(read.size(), direct->size());
        QVERIFY(read.begin_ns == direct->begin_ns && read.end_ns == direct->end_ns && read.place == direct->place &&
                read.category == direct->category);
        QVERIFY(read.before_ns == direct->before_ns);
        QCOMPARE(read.windows.size(), direct->windows.size());
        QCOMPARE(read.windows[1].streamDone_ns, direct->windows[1].streamDone_ns);
        QCOMPARE(read.gaps.size(), direct->gaps.size());
        QCOMPARE(read.notes, direct->notes);
        for (EventIndex i = 0; i < read.size(); ++i) {
            QCOMPARE(read.nameOf(i), direct->nameOf(i));
            QCOMPARE(read.detailOf(i), direct->detailOf(i));
            QCOMPARE(read.facts[i].bytes, direct->facts[i].bytes);
            QCOMPARE(read.facts[i].correlation, direct->facts[i].correlation);
            QCOMPARE(read.launchOf(i) != nullptr, direct->launchOf(i) != nullptr);
            if (read.launchOf(i))
                QVERIFY(*read.launchOf(i) == *direct->launchOf(i));
            QCOMPARE(read.trackOf(i).name, direct->trackOf(i).name);
        }
    }
}

void TestTraceImport::tracesOfOthers()
{
    for (const std::size_t length : {std::size_t(1) << 20, std::size_t(7)}) {
        const auto opened = open(foreign, length);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        QVERIFY(!opened->ours);
        QCOMPARE(opened->sides.size(), std::size_t(1));
        const Model& model = *opened->sides[0].model;
        QCOMPARE(opened->sides[0].title, std::string("t.json"));
        QCOMPARE(model.size(), std::size_t(7));
        QVERIFY(model.windows.empty());
        QCOMPARE(model.first_ns, 0);
        const EventIndex mm = named(model, "aten::mm");
        QCOMPARE(model.begin_ns[mm], 0);
        QCOMPARE(model.end_ns[mm], 40'500);
        QCOMPARE(model.detailOf(mm), std::string("[[64, 256], []]"));
        const EventIndex kernel = named(model, "gemm<float>");
        QVERIFY(model.category[kernel] == Category::Kernel);
        QCOMPARE(model.begin_ns[kernel], 50'000);
        QCOMPARE(model.facts[kernel].correlation, 9u);
        QVERIFY((*model.launchOf(kernel) == protocol::KernelLaunch{{4, 2, 1}, {128, 1, 1}, 32, 0, 1024}));
        QCOMPARE(model.facts[named(model, "Memcpy HtoD")].bytes, 4096);
        QCOMPARE(model.trackOf(kernel).name, std::string("stream 7 · 0"));
        QCOMPARE(int(model.trackOf(kernel).kind), int(protocol::TimelineTrack::Kind::Stream));
        QCOMPARE(model.trackOf(mm).name, std::string("thread 71 · python"));
        // The call is nested in the operator; the processes stand in their given order.
        QCOMPARE(model.rowOf[named(model, "cudaLaunchKernel")], model.rowOf[mm] + 1);
        QCOMPARE(model.tracks.back().name, std::string("stream 7 · 0"));
        QCOMPARE(model.duration_ns(named(model, "outer")), 8'000);
        QCOMPARE(model.duration_ns(named(model, "inner")), 2'000);
        QCOMPARE(model.end_ns[named(model, "never ended")], 210'000);
        QCOMPARE(model.gaps.size(), std::size_t(1)); // between kernel and copy
        QCOMPARE(model.gaps[0].duration_ns(), 50'000);
        QCOMPARE(model.notes.size(), std::size_t(2));
        QVERIFY(QString::fromStdString(model.notes[0]).startsWith("1 entries of other kinds"));
        QVERIFY(QString::fromStdString(model.notes[1]).startsWith("2 begins or ends"));
    }
}

void TestTraceImport::listsWithoutAnEnd()
{
    const std::string whole = R"([{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1},
{"ph":"X","name":"b","ts":5,"dur":1,"pid":1,"tid":1})";
    for (const char* end : {"]", "", ",", "\n"}) {
        const auto opened = open(whole + end);
        QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
        QCOMPARE(opened->sides[0].model->size(), std::size_t(2));
        QCOMPARE(opened->sides[0].model->notes.size(), std::size_t(*end == ']' ? 0 : 1));
    }
}

void TestTraceImport::damage_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("empty") << QByteArray() << QByteArray("at byte 0");
    QTest::newRow("no JSON") << QByteArray("hello") << QByteArray("at byte 0");
    QTest::newRow("missing comma") << QByteArray(R"({"traceEvents":[{"ph":"X" "ts":1}]})")
                                   << QByteArray("a comma or } is missing, at byte 26");
    QTest::newRow("missing colon") << QByteArray(R"({"traceEvents" 1})")
                                   << QByteArray("a colon is missing, at byte 15");
    QTest::newRow("bare word") << QByteArray(R"({"traceEvents":[x]})") << QByteArray("a value is missing, at byte 16");
    QTest::newRow("wrong bracket") << QByteArray(R"({"traceEvents":[}])") << QByteArray("at byte 16");
    QTest::newRow("bad escape") << QByteArray(R"({"traceEvents":[{"ph":"X","ts":1,"name":"\x"}]})")
                                << QByteArray("an escape in a text is wrong, at byte 41");
    QTest::newRow("no object") << QByteArray(R"({"traceEvents":[7]})")
                               << QByteArray("an event is an object, at byte 16");
    QTest::newRow("no time") << QByteArray(R"({"traceEvents":[{"ph":"X","name":"a"}]})")
                             << QByteArray("an event has no time, at byte 16");
    QTest::newRow("wild time") << QByteArray(R"({"traceEvents":[{"ph":"X","ts":1e40}]})")
                               << QByteArray("a time is out of range, at byte 31");
    QTest::newRow("something after") << QByteArray(R"({"traceEvents":[{"ph":"X","ts":1}]} x)")
                                     << QByteArray("at byte 36");
    QTest::newRow("no events in it") << QByteArray(R"({"traceEvents":[]})") << QByteArray("has no events");
    QTest::newRow("other JSON") << QByteArray(R"({"a":[]})") << QByteArray("it has no traceEvents");
    QTest::newRow("a number") << QByteArray("12") << QByteArray("an object or a list, at byte 0");
    QTest::newRow("deep") << QByteArray("[").repeated(10'000) << QByteArray("an event is an object, at byte 1");
    QTest::newRow("deep inside") << QByteArray("{\"x\":") + QByteArray("[").repeated(10'000)
                                 << QByteArray("nested too deeply, at byte 516");
}

void TestTraceImport::damage()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, says);
    const auto opened = open(text.toStdString());
    QVERIFY(!opened.ok());
    QCOMPARE(int(opened.error().code), int(ErrorCode::Unreadable));
    QVERIFY2(QByteArray::fromStdString(opened.error().message).contains(says), opened.error().message.c_str());
    QCOMPARE(opened.error().context, std::string("t.json"));
}

void TestTraceImport::refusals()
{
    std::string later = ours();
    const std::size_t at = later.find("\"version\":1");
    QVERIFY(at != later.npos);
    later.replace(at, 11, "\"version\":9");
    QCOMPARE(int(open(later).error().code), int(ErrorCode::TooNew));
    const auto packed = open(std::string("\x1f\x8b\x08\x00", 4));
    QVERIFY(QByteArray::fromStdString(packed.error().hint).contains("gunzip"));
    // Ours, with an event that is nowhere.
    std::string lost = ours();
    const std::size_t thread = lost.find("\"tid\":1000004,\"ts\"");
    QVERIFY(thread != lost.npos);
    lost.replace(thread, 13, "\"tid\":1000099");
    QVERIFY(QByteArray::fromStdString(open(lost).error().message).contains("not there"));
}

void TestTraceImport::everyCutIsAnError()
{
    const std::string text = ours();
    for (std::size_t length = 0; length + 3 < text.size(); length += 97)
        QVERIFY2(!open(text.substr(0, length)).ok(), qPrintable(QString::number(length)));
}

void TestTraceImport::stops()
{
    std::stop_source source;
    Watch watch;
    watch.stop = source.get_token();
    std::vector<double> seen;
    watch.progress = [&](double fraction) {
        seen.push_back(fraction);
        if (fraction > 0.3)
            source.request_stop();
    };
    const auto stopped = open(ours(), 100, watch);
    QCOMPARE(int(stopped.error().code), int(ErrorCode::Cancelled));
    QVERIFY(seen.size() > 3 && std::is_sorted(seen.begin(), seen.end()) && seen.back() < 0.35);
    watch.stop = {};
    seen.clear();
    QVERIFY(open(ours(), 100, watch).ok());
    QCOMPARE(seen.back(), 1.0);
}

void TestTraceImport::files()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("own.json").toStdString();
    QVERIFY(saveTrace(path, samples::answer()).ok());
    QCOMPARE(openTrace(path)->sides.size(), std::size_t(2));
    QCOMPARE(int(openTrace(folder.filePath("none").toStdString()).error().code), int(ErrorCode::NotFound));
    QCOMPARE(int(openTrace(std::filesystem::path(folder.path().toStdString())).error().code),
             int(ErrorCode::Unreadable));
}

QTEST_GUILESS_MAIN(TestTraceImport)
#include "tst_traceimport.moc"
