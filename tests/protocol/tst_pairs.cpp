// SPDX-License-Identifier: GPL-3.0-or-later
// Points of pairs, and captured kernels as JSON.
#include "core/base/base64.h"
#include "core/protocol/kernels.h"
#include "core/protocol/pairs.h"

#include <QTest>

using namespace cudal1;
using namespace cudal1::protocol;

class TestPairs : public QObject {
    Q_OBJECT
private slots:
    void aRoundIsTheMeanOfItsFasterThird()
    {
        Evaluation evaluation;
        evaluation.pairs.push_back({0, true, false, {}, {210, 300, 190, 400}, {50, 60, 70}, {80}, {20}});
        evaluation.pairs.push_back({1, false, true, "the GPU was busy, it said", {500}, {100}, {}, {}});
        auto points = pairPoints(evaluation);
        QCOMPARE(points.size(), std::size_t(2));
        QCOMPARE(points[0].number, 1);
        QCOMPARE(points[0].reference_ns, 200.0);
        QCOMPARE(points[0].wall(), 4.0);
        QCOMPARE(points[0].event(), 4.0);
        QCOMPARE(points[1].event(), 0.0);
        QVERIFY(points[1].dropped);
        QCOMPARE(
            pairsCsv(points),
            std::string("pair,instance,first,reference_ns,candidate_ns,speedup,reference_event_ns,candidate_event_ns,"
                        "event_speedup,dropped,why\n"
                        "1,0,reference,200,50,4,80,20,4,no,\n"
                        "2,1,candidate,500,100,5,,,,yes,\"the GPU was busy, it said\"\n"));
    }

    void base64IsTheStandardsOwn()
    {
        // RFC 4648, section 10.
        const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                               {"f", "Zg=="},
                                                               {"fo", "Zm8="},
                                                               {"foo", "Zm9v"},
                                                               {"foob", "Zm9vYg=="},
                                                               {"fooba", "Zm9vYmE="},
                                                               {"foobar", "Zm9vYmFy"}};
        for (const auto& [plain, text] : vectors) {
            QCOMPARE(base::toBase64(plain), std::string(text));
            QCOMPARE(base::fromBase64(text).value(), std::string(plain));
        }
        std::string all;
        for (int i = 0; i < 256; ++i)
            all += char(i);
        QCOMPARE(base::fromBase64(base::toBase64(all)).value(), all);
        for (const char* wrong : {"Z", "Zg=", "Zg==Zg==", "Z-==", "=Zg="})
            QVERIFY2(!base::fromBase64(wrong), wrong);
    }

    void kernelsSurviveJson()
    {
        Kernels kernels;
        kernels.task = "3/41";
        kernels.device.model = "NVIDIA H200";
        kernels.modules.push_back({{"_Z5scalePf"},
                                   std::string("\x7f"
                                               "ELF\0\xff",
                                               6),
                                   6,
                                   ".version 8.0\n",
                                   "EXIT ;"});
        kernels.notes = {"PTX was not found"};
        const auto back = nlohmann::json::parse(nlohmann::json(kernels).dump()).get<Kernels>();
        QCOMPARE(back.task, kernels.task);
        QCOMPARE(back.device.model, kernels.device.model);
        QCOMPARE(back.modules.size(), std::size_t(1));
        QCOMPARE(back.modules[0].image, kernels.modules[0].image);
        QCOMPARE(back.modules[0].image_bytes, std::int64_t(6));
        QVERIFY(back.modules[0].kernels == kernels.modules[0].kernels);
        QCOMPARE(back.modules[0].ptx, kernels.modules[0].ptx);
        QCOMPARE(back.modules[0].sass, kernels.modules[0].sass);
        KernelsRequest request;
        request.task = {"3/41", "class Model: pass"};
        request.candidate = "class ModelNew: pass";
        request.precision = Precision::Ieee;
        request.seed = 7;
        const auto asked = nlohmann::json(request).get<KernelsRequest>();
        QVERIFY(asked.task.source == request.task.source && asked.candidate == request.candidate && asked.seed == 7);
        QCOMPARE(int(asked.precision), int(Precision::Ieee));
        nlohmann::json wrong = request;
        wrong["precision"] = "fp7";
        QVERIFY_EXCEPTION_THROWN((wrong.get<KernelsRequest>()), nlohmann::json::exception);
        QVERIFY(back.notes == kernels.notes);
        QVERIFY_EXCEPTION_THROWN((nlohmann::json{{"image", "!"}}.get<KernelModule>()), nlohmann::json::exception);
    }
};

QTEST_APPLESS_MAIN(TestPairs)
#include "tst_pairs.moc"
