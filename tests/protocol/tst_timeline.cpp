// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines keep every field through JSON, and a stranger's are looked at before they are believed.
#include "core/protocol/timeline.h"
#include "tests/protocol/travelled.h"
#include "tests/timeline/timelinesamples.h"

#include <QTest>

#include <set>

using namespace cudal1::protocol;
using cudal1::timeline::samples::answer;
using nlohmann::json;

class TestTimeline : public QObject {
    Q_OBJECT
private slots:
    void requests()
    {
        const TimelineRequest in{
            {"3/41", "class Model: 'ü'"}, "class ModelNew", "my.py", "cuda:1", Precision::Ieee, 9, 7, 12.5};
        const TimelineRequest out = travelled(in);
        QVERIFY(out.task.name == in.task.name && out.task.source == in.task.source);
        QVERIFY(out.candidate == in.candidate && out.candidateName == in.candidateName && out.device == in.device);
        QVERIFY(out.precision == in.precision && out.seed == 9 && out.calls == 7 && out.buildLimit_s == 12.5);
        const auto sparse = json::parse(R"({"task": {"name": "1/1"}})").get<TimelineRequest>();
        QVERIFY(sparse.calls == 3 && sparse.device == "cpu" && sparse.candidate.empty());
        QVERIFY_EXCEPTION_THROWN((void)json::parse(R"({"task": {}, "precision": "fp3"})").get<TimelineRequest>(),
                                 json::exception);
    }

    void answers()
    {
        const TimelineAnswer in = answer(), out = travelled(in);
        QCOMPARE(json(out).dump(1), json(in).dump(1));
        // Where a slip of both directions would hide in the comparison above.
        QVERIFY(out.task == "3/41" && out.candidateName == "fast.py" && out.precision == Precision::Tf32 &&
                out.seed == 77);
        QVERIFY(out.device.model == in.device.model && out.environment.torch == "2.11.0" && out.output == "hello\n");
        QCOMPARE(out.candidate->events.size(), std::size_t(1));
        const Timeline &a = in.reference, &b = out.reference;
        QVERIFY(b.device == "cuda:0" && b.notes == a.notes && b.leftOut == 4);
        QVERIFY(b.windows[1].start_ns == 200'000 && b.windows[1].returned_ns == 260'000);
        QVERIFY(b.windows[1].streamDone_ns == 265'000 && b.windows[1].end_ns == 300'000);
        QVERIFY(b.tracks[1].id == 2 && b.tracks[1].kind == TimelineTrack::Kind::Calls && b.tracks[1].thread == 9 &&
                b.tracks[1].name == a.tracks[1].name);
        QVERIFY(b.threads[1].id == 10 && b.threads[1].name == "worker" && b.threads[1].outside_ns == 7'000 &&
                b.threads[0].inside_ns == 150'000);
        QCOMPARE(b.events.size(), a.events.size());
        for (std::size_t i = 0; i < a.events.size(); ++i) {
            const TimelineEvent &x = a.events[i], &y = b.events[i];
            QVERIFY(y.track == x.track && y.category == x.category && y.place == x.place && y.name == x.name &&
                    y.detail == x.detail);
            QVERIFY(y.start_ns == x.start_ns && y.duration_ns == x.duration_ns && y.correlation == x.correlation &&
                    y.bytes == x.bytes);
            QVERIFY(y.device == x.device && y.stream == x.stream && y.graph == x.graph && y.graphNode == x.graphNode &&
                    y.launch == x.launch);
        }
    }

    void words()
    {
        std::set<std::string_view> seen;
        for (int i = 0; i <= int(TimelineEvent::Category::Memset); ++i) {
            TimelineEvent::Category out = i ? TimelineEvent::Category::Operator : TimelineEvent::Category::Memset;
            QVERIFY(fromString(toString(TimelineEvent::Category(i)), out));
            QVERIFY(out == TimelineEvent::Category(i));
            QVERIFY(seen.insert(toString(out)).second);
        }
        for (int i = 0; i <= int(TimelineTrack::Kind::Copies); ++i) {
            TimelineTrack::Kind out = i ? TimelineTrack::Kind::Operators : TimelineTrack::Kind::Copies;
            QVERIFY(fromString(toString(TimelineTrack::Kind(i)), out) && out == TimelineTrack::Kind(i));
        }
        TimelineEvent::Place place = TimelineEvent::Place::Outside;
        QVERIFY(!fromString("Inside", place) && place == TimelineEvent::Place::Outside);
        QVERIFY(fromString("beyond_stream", place) && place == TimelineEvent::Place::BeyondStream);
    }

    void namesTravelOnce()
    {
        TimelineAnswer many = answer();
        const std::string name(400, 'k');
        for (int i = 0; i < 1000; ++i) {
            many.candidate->events.push_back(many.candidate->events[0]);
            many.candidate->events.back().name = name;
        }
        const std::string text = json(many).dump();
        QVERIFY(text.size() < 200'000);
        QCOMPARE(json::parse(text).get<TimelineAnswer>().candidate->events.back().name, name);
    }

    void unknownWordsAndNumbersAreErrors()
    {
        const json good = answer().reference;
        json j = good;
        j["events"][0]["category"] = "sorcery";
        QVERIFY_EXCEPTION_THROWN((void)j.get<Timeline>(), json::exception);
        j = good;
        j["events"][0]["place"] = 3;
        QVERIFY_EXCEPTION_THROWN((void)j.get<Timeline>(), json::exception);
        j = good;
        j["events"][0]["name"] = 10'000;
        QVERIFY_EXCEPTION_THROWN((void)j.get<Timeline>(), json::exception);
        j = good;
        j["events"][0]["name"] = -1;
        QVERIFY_EXCEPTION_THROWN((void)j.get<Timeline>(), json::exception);
        j = good;
        j["events"][0].erase("category");
        QVERIFY_EXCEPTION_THROWN((void)j.get<Timeline>(), json::exception);
        j = good;
        j.erase("events");
        QVERIFY_EXCEPTION_THROWN((void)j.get<Timeline>(), json::exception);
    }

    void problemsOfAStrangersTimeline()
    {
        const Timeline good = answer().reference;
        QCOMPARE(problemOf(good), std::string());
        const auto says = [](Timeline bad, const char* part) { return problemOf(bad).find(part) != std::string::npos; };
        Timeline bad = good;
        bad.windows.clear();
        QVERIFY(says(bad, "no timed window"));
        bad = good;
        bad.windows[0].end_ns = -1;
        QVERIFY(says(bad, "window ends before"));
        bad = good;
        bad.events[3].track = 44;
        QVERIFY(says(bad, "track 44"));
        bad = good;
        bad.tracks[1].id = bad.tracks[0].id;
        QVERIFY(says(bad, "two tracks"));
        bad = good;
        bad.events[3].duration_ns = -5;
        QVERIFY(says(bad, "event ends before"));
        bad = good;
        bad.events.resize(Timeline::maxEvents + 1, bad.events[0]);
        QVERIFY(says(bad, "more than 100000"));
    }
};

QTEST_GUILESS_MAIN(TestTimeline)
#include "tst_timeline.moc"
