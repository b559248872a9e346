// SPDX-License-Identifier: GPL-3.0-or-later
// What ncu prints, read; and tools as programs.
#include "core/kernels/ncu.h"
#include "core/kernels/toolrun.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;

namespace {

constexpr const char* printed = R"csv(==PROF== Connected to process 4711 (/usr/bin/python3.12)
==PROF== Profiling "vectorized_elementwise_kernel": 0%....50%....100% - 12 passes
a line of the program's
==PROF== Disconnected from process 4711
"ID","Process ID","Kernel Name","Context","Block Size","Grid Size","dram__bytes.sum","gpu__time_duration.sum","sm__warps_active.avg.pct_of_peak_sustained_active","smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio"
"","","","","","","byte","ns","%","inst"
"0","4711","_ZN2at6native1kILi4EfEEvPT0_i","1","(128, 1, 1)","(16384, 1, 1)","16,777,344","15,232","78.5","n/a"
"1","4711","say ""hi""","1","(256, 1, 1)","(16, 32, 1)","1048576","2677.5","12.25","0.5"
)csv";

} // namespace

class NcuTest : public QObject {
    Q_OBJECT
private slots:
    void launchesWithTheirMetrics()
    {
        const auto launches = kernels::readNcu(printed);
        QVERIFY2(launches.ok(), launches ? "" : launches.error().text().c_str());
        QCOMPARE(launches->size(), std::size_t(2));
        const kernels::NcuLaunch& first = launches->front();
        QCOMPARE(first.kernel, std::string("void at::native::k<4, float>(float*, int)")); // as timelines have it
        QCOMPARE(first.metrics, (std::map<std::string, double>{
                                    {"dram__bytes.sum", 16'777'344},
                                    {"gpu__time_duration.sum", 15'232},
                                    {"sm__warps_active.avg.pct_of_peak_sustained_active", 78.5}})); // n/a is no number
        QCOMPARE(launches->back().kernel, std::string("say \"hi\""));
        QCOMPARE(launches->back().metrics.at("gpu__time_duration.sum"), 2677.5);
    }

    void scaledUnitsAreBroughtBack()
    {
        const auto launches = kernels::readNcu("\"ID\",\"Kernel Name\",\"dram__bytes.sum\",\"gpu__time_duration.sum\"\n"
                                               "\"\",\"\",\"Mbyte\",\"usecond\"\n\"0\",\"k\",\"16.5\",\"2\"\n");
        QVERIFY(launches.ok());
        QCOMPARE(launches->front().metrics.at("dram__bytes.sum"), 16.5e6);
        QCOMPARE(launches->front().metrics.at("gpu__time_duration.sum"), 2000.0);
    }

    void whatItSaysInsteadIsKept()
    {
        const auto launches = kernels::readNcu("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - no permission\n");
        QVERIFY(!launches.ok());
        QVERIFY(QString::fromStdString(launches.error().context).contains("ERR_NVGPUCTRPERM"));
        QVERIFY(!kernels::readNcu("").ok());
    }

    void itsVersion()
    {
        QCOMPARE(kernels::ncuVersion("NVIDIA (R) Nsight Compute\nVersion 2025.3.1.0 (build 36398880)\n"),
                 std::string("2025.3.1.0"));
        QCOMPARE(kernels::ncuVersion("nothing"), std::string());
    }

    void theCommandHoldsNoClock()
    {
        const auto command = kernels::ncuCommand("/opt/ncu", {"a__b.sum", "c__d.sum"});
        QCOMPARE(command.front(), std::string("/opt/ncu"));
        QCOMPARE(command.back(), std::string("a__b.sum,c__d.sum"));
        const auto names = std::find(command.begin(), command.end(), "--print-kernel-base");
        QVERIFY(names != command.end() && *(names + 1) == "mangled"); // its own demangler writes other names than ours
        const auto control = std::find(command.begin(), command.end(), "--clock-control");
        QVERIFY(control != command.end() && *(control + 1) == "none");
        const auto caches = std::find(command.begin(), command.end(), "--cache-control");
        QVERIFY(caches != command.end() && *(caches + 1) == "all"); // else a kernel finds all in L2 from its last run
    }

    void toolsRun()
    {
        const QTemporaryDir folder;
        const kernels::ToolAnswer answer = kernels::runTool(
            {{"/bin/sh", "-c", "echo out $X; echo err >&2; exit 3"}, folder.path().toStdString(), {{"X", "y z"}}},
            1000);
        QCOMPARE(answer.status, 3);
        QCOMPARE(answer.out, std::string("out y z\n"));
        QCOMPARE(answer.errors, std::string("err\n"));
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void aToolThatTakesTooLongIsEnded()
    {
        const QTemporaryDir folder;
        QElapsedTimer timer;
        timer.start();
        const kernels::ToolAnswer answer = kernels::runTool(
            {{"/bin/sh", "-c", "sleep 60 & wait"}, folder.path().toStdString(), {}, 0.2}, 1000);
        QVERIFY(answer.timedOut && answer.status == -1);
        QVERIFY(timer.elapsed() < 30'000);
    }

    void aToolThatIsNotThere()
    {
        const QTemporaryDir folder;
        QCOMPARE(kernels::runTool({{"/no/such/tool"}, folder.path().toStdString()}, 1000).status, -1);
    }
};

QTEST_APPLESS_MAIN(NcuTest)
#include "tst_ncu.moc"
