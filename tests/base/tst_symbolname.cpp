// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/symbolname.h"

#include <QTest>

using cudal1::base::demangled;

class TestSymbolName : public QObject {
    Q_OBJECT
private slots:
    void namesOfKernels()
    {
        QCOMPARE(demangled("_Z5scaleIfEvPT_i"), std::string("void scale<float>(float*, int)"));
        QCOMPARE(demangled("sm90_xmma_gemm_f32f32"), std::string("sm90_xmma_gemm_f32f32")); // C, and not C++
        QCOMPARE(demangled("_Zbroken"), std::string("_Zbroken"));
        QCOMPARE(demangled(""), std::string());
    }
};

QTEST_GUILESS_MAIN(TestSymbolName)
#include "tst_symbolname.moc"
