// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram: where its bars are, what is under the pointer, what a click and keys choose.
#include "ui/charts/histogramview.h"
#include "ui/shell/theme.h"

#include <QSignalSpy>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

class TestHistogramView : public QObject {
    Q_OBJECT
private slots:
    void layoutPutsBinsSideBySide()
    {
        report::Histogram histogram;
        histogram.bins = {{0.5, 1, {0, 1}}, {1, 2, {2, 1}}, {2, 4, {0, 0}}, {4, 8, {1, 0}}};
        histogram.highest = 3;
        const HistogramLayout layout(histogram, QRectF(100, 20, 400, 80), 2);
        QCOMPARE(layout.top(), 4);
        QCOMPARE(layout.column(1), QRectF(200, 20, 100, 80));
        // Two of four tasks are half of the height; the third stands on them.
        QCOMPARE(layout.bar(1, 0, 2), QRectF(201, 60, 98, 40));
        QCOMPARE(layout.bar(1, 2, 1), QRectF(201, 40, 98, 20));
        QCOMPARE(layout.binAt({99, 50}), -1);
        QCOMPARE(layout.binAt({100, 50}), 0);
        QCOMPARE(layout.binAt({299, 50}), 1);
        QCOMPARE(layout.binAt({300, 50}), 2);
        QCOMPARE(layout.binAt({300, 101}), -1);
        QCOMPARE(layout.xOf(histogram, 1), 200.0);
    }

    void clickChoosesAndLetsGo()
    {
        HistogramView view;
        view.resize(600, 300);
        view.setSamples({{1.5, 1}, {1.52, 2}, {8, 1}});
        view.show();
        QSignalSpy spy(&view, &HistogramView::chosenChanged);
        int bin = -1;
        for (int i = 0; i < int(view.histogram().bins.size()); ++i)
            if (view.histogram().bins[i].total() == 2)
                bin = i;
        QVERIFY(bin >= 0);
        const QPoint at = view.arrangement().column(bin).center().toPoint();
        QTest::mouseClick(&view, Qt::LeftButton, {}, at);
        QCOMPARE(view.chosen(), bin);
        QCOMPARE(spy.count(), 1);
        QVERIFY(view.describe(bin).contains(QStringLiteral("level 1: 1, level 2: 1")));
        QTest::mouseClick(&view, Qt::LeftButton, {}, at);
        QCOMPARE(view.chosen(), -1);
        QCOMPARE(spy.count(), 2);
    }

    void keysWalkBinsThatHoldSomething()
    {
        HistogramView view;
        view.resize(600, 300);
        view.setSamples({{1.5, 1}, {8, 1}});
        QTest::keyClick(&view, Qt::Key_Right);
        const int first = view.chosen();
        QVERIFY(first >= 0);
        QCOMPARE(view.histogram().bins[first].total(), 1);
        QTest::keyClick(&view, Qt::Key_Right);
        QVERIFY(view.chosen() > first);
        QVERIFY(8 >= view.histogram().bins[view.chosen()].low && 8 < view.histogram().bins[view.chosen()].high);
        QTest::keyClick(&view, Qt::Key_Escape);
        QCOMPARE(view.chosen(), -1);
    }

    void barsHaveTheColourOfTheirLevel()
    {
        HistogramView view;
        view.resize(600, 300);
        view.setSamples({{1.5, 1}, {1.5, 1}, {8, 3}, {30, 2}});
        const QImage image = view.grab().toImage();
        int bin = 0;
        while (view.histogram().bins[bin].total() != 2)
            ++bin;
        const QRectF bar = view.arrangement().bar(bin, 0, 2);
        // Left of the middle, where a quartile's line may stand.
        QCOMPARE(image.pixelColor(int(bar.left() + bar.width() * 0.25), int(bar.bottom() - 3)), Theme::instance().levelColor(1));
    }
};

QTEST_MAIN(TestHistogramView)
#include "tst_histogramview.moc"
