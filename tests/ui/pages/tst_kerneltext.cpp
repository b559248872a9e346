// SPDX-License-Identifier: GPL-3.0-or-later
// Device code as the compare page shows it.
#include "ui/compare/kerneltext.h"

#include <QtTest>

using namespace cudal1;

class KernelTextTest : public QObject {
    Q_OBJECT

    static std::string shown(const std::string& sass, ui::CodeKind kind = ui::CodeKind::Sass)
    {
        store::KernelsRecord record;
        record.kernels.device.model = "NVIDIA H200";
        record.kernels.notes = {"The PTX of k cannot be reached: it was compiled.", "1 modules were larger."};
        protocol::KernelModule& module = record.kernels.modules.emplace_back();
        module.kernels = {"k"};
        module.sass = sass;
        return ui::kernelText(base::VariantId{7}, {record}, kind);
    }

private slots:
    void addressesAreNoDifference()
    {
        const std::string a = shown("k:\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n        /*0010*/   "
                                    "            @P0 EXIT ;\n");
        const std::string b = shown("k:\n        /*0070*/                   LDC R1, c[0x0][0x28] ;\n        /*0080*/   "
                                    "            @P0 EXIT ;\n");
        QCOMPARE(a, b);
        QVERIFY(a.find("k:\n    LDC R1, c[0x0][0x28] ;\n    @P0 EXIT ;\n") != std::string::npos);
    }

    void linesOfSourceStandBesideTheirCode()
    {
        store::KernelsRecord record;
        record.kernels.modules.emplace_back().sass = "k:\n\t//## File \"/box/my.py\", line 2\n        /*0000*/      "
                                                     "             LDG.E R2, [R2.64] ;\n";
        const std::string shown = ui::kernelText({7}, {record}, ui::CodeKind::Sass, {},
                                                 "import triton\n    x = tl.load(p)\n");
        QVERIFY2(shown.find("k:\n// my.py:2  x = tl.load(p)\n    LDG.E R2, [R2.64] ;\n") != std::string::npos,
                 shown.c_str());
    }

    void theSameCodeIsTheSameText()
    {
        store::KernelsRecord record;
        record.kernels.modules.emplace_back().sass = "k:\n";
        QVERIFY(
            ui::kernelText({7}, {}, ui::CodeKind::Ptx, {{73}, {77}}).ends_with("// The task has those of #73, #77.\n"));
        QCOMPARE(ui::kernelText(base::VariantId{7}, {record}, ui::CodeKind::Sass),
                 ui::kernelText(base::VariantId{8}, {record}, ui::CodeKind::Sass));
    }

    void otherLinesStay()
    {
        const std::string text = "\t.target\tsm_90\n\n/* a remark */\n.L_x_1:\n        /*00a0*/\n";
        QVERIFY(shown(text).find("\t.target\tsm_90\n\n/* a remark */\n.L_x_1:\n") != std::string::npos);
        QVERIFY(shown(text).find("00a0") == std::string::npos);
    }

    void notesOfTheKindThatIsShown()
    {
        QVERIFY(shown("k:\n").find("PTX") == std::string::npos);
        QVERIFY(shown("k:\n").find("// 1 modules were larger.\n") != std::string::npos);
        const std::string ptx = shown("k:\n", ui::CodeKind::Ptx);
        QVERIFY(ptx.find("// The PTX of k cannot be reached") != std::string::npos);
        QVERIFY(ptx.find("// no PTX of it\n") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(KernelTextTest)
#include "tst_kerneltext.moc"
