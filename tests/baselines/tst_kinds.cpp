// SPDX-License-Identifier: GPL-3.0-or-later
// The list of baselines and their programs: chosen by name and device, and Python that defines ModelNew.
#include "core/baselines/baselinekinds.h"

#include <QProcess>
#include <QTest>

#include <set>

using namespace cudal1;
using baselines::BaselineKind;

namespace {

const std::string task =
    "from torch import nn\n\n\nclass Model(nn.Module):\n    def forward(self, x):\n        return x\n";

std::string idsOf(const base::Result<std::vector<const BaselineKind*>>& kinds)
{
    std::string out;
    if (kinds)
        for (const BaselineKind* kind : *kinds)
            out += (out.empty() ? "" : " ") + std::string(kind->id);
    return out;
}

} // namespace

class TestKinds : public QObject {
    Q_OBJECT
private slots:
    void namesAreUnique()
    {
        std::set<std::string_view> ids, names, codes;
        for (const BaselineKind& kind : baselines::kinds()) {
            QVERIFY(ids.insert(kind.id).second && names.insert(kind.name).second && codes.insert(kind.code).second);
            QVERIFY(baselines::find(kind.id) == &kind);
        }
        QVERIFY(!baselines::find("jit"));
        QCOMPARE(std::string(baselines::kinds().front().id), std::string("eager"));
    }

    void chosenByDevice()
    {
        QCOMPARE(
            idsOf(baselines::choose("", true)),
            std::string("eager compile compile-reduce-overhead compile-max-autotune cuda-graph cudnn-autotune tf32"));
        QCOMPARE(idsOf(baselines::choose("", false)), std::string("eager compile compile-max-autotune"));
    }

    void chosenByName()
    {
        QCOMPARE(idsOf(baselines::choose("tf32,eager,tf32", true)),
                 std::string("eager tf32")); // always in the same order
        const auto noGpu = baselines::choose("eager,tf32", false);
        QVERIFY(!noGpu && noGpu.error().code == base::ErrorCode::Unavailable &&
                noGpu.error().message.find("tf32") != std::string::npos);
        const auto unknown = baselines::choose("eager,jit", true);
        QVERIFY(!unknown && unknown.error().code == base::ErrorCode::InvalidArgument &&
                unknown.error().hint.find("cuda-graph") != std::string::npos);
        QVERIFY(!baselines::choose(",", true));
    }

    void programsParse_data()
    {
        QTest::addColumn<QString>("id");
        for (const BaselineKind& kind : baselines::kinds())
            QTest::addRow("%s", kind.id.data()) << QString::fromUtf8(kind.id.data(), qsizetype(kind.id.size()));
    }
    void programsParse()
    {
        if (QStringLiteral(CUDAL1_PYTHON).isEmpty())
            QSKIP("This build knows no Python");
        QFETCH(QString, id);
        const std::string source = baselines::sourceOf(*baselines::find(id.toStdString()), task);
        QVERIFY(source.starts_with(task));
        QProcess python;
        python.start(CUDAL1_PYTHON, {"-c", R"(
import ast, sys
names = [node.name for node in ast.parse(sys.stdin.read()).body if isinstance(node, ast.ClassDef)]
sys.exit(names != ["Model", "ModelNew"]))"});
        QVERIFY(python.waitForStarted());
        python.write(QByteArray::fromStdString(source));
        python.closeWriteChannel();
        QVERIFY(python.waitForFinished());
        QVERIFY2(python.exitCode() == 0, python.readAllStandardError());
    }
};

QTEST_GUILESS_MAIN(TestKinds)
#include "tst_kinds.moc"
