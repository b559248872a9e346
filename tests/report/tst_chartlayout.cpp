// SPDX-License-Identifier: GPL-3.0-or-later
// What stands above the plot of a chart: notes, the axis title, and labels that each stand at their own rule.
#include "core/charts/chartlayout.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace cudal1::charts;

namespace {

constexpr double font = 12;

/// What the letters of a text may take.
QRectF boxOf(const DrawnShape& text)
{
    const double width = textWidth(text.text, text.size) * (text.bold ? 1.12 : 1);
    const double left = text.anchor == DrawnShape::Anchor::End ? text.points[0].x() - width : text.points[0].x();
    return {left, text.points[0].y() - 0.75 * text.size, width, 0.9 * text.size};
}

bool isVertical(const DrawnShape& shape)
{
    return shape.kind == DrawnShape::Kind::Line && shape.points.size() == 2 &&
           shape.points[0].x() == shape.points[1].x();
}

std::vector<DrawnShape> textsAbove(const Drawing& drawing)
{
    std::vector<DrawnShape> texts;
    for (const DrawnShape& shape : drawing.shapes)
        if (shape.kind == DrawnShape::Kind::Text && shape.points[0].y() < drawing.plot.top())
            texts.push_back(shape);
    return texts;
}

/// Those of rules: they begin above the plot or at its edge, and end at the axis.
std::vector<QLineF> rulesOf(const Drawing& drawing)
{
    std::vector<QLineF> rules;
    for (const DrawnShape& shape : drawing.shapes)
        if (isVertical(shape) && shape.points[0].y() <= drawing.plot.top() &&
            shape.points[1].y() == drawing.plot.bottom())
            rules.emplace_back(shape.points[0], shape.points[1]);
    return rules;
}

/// From the line to the nearer end of the text.
double distance(const QRectF& box, double x)
{
    return x < box.left() ? box.left() - x : x > box.right() ? x - box.right() : 0;
}

double placeOf(const Chart& chart, const Drawing& drawing, double value)
{
    return drawing.plot.left() +
           drawing.plot.width() * std::log(value / chart.x.low) / std::log(chart.x.high / chart.x.low);
}

/// What can be misread; empty where nothing can.
QString faultOf(const Chart& chart, const Drawing& drawing)
{
    const std::vector<DrawnShape> texts = textsAbove(drawing);
    const std::vector<QLineF> lines = rulesOf(drawing);
    for (const DrawnShape& text : texts) {
        const QRectF box = boxOf(text);
        if (box.left() < -1e-6 || box.right() > drawing.size.width() + 1e-6)
            return text.text + QStringLiteral(" leaves the picture");
        for (const DrawnShape& other : texts)
            if (other.points[0] != text.points[0] && boxOf(other).intersects(box))
                return QStringLiteral("%1 lies upon %2").arg(text.text, other.text);
        const auto rule = std::find_if(chart.rules.begin(), chart.rules.end(),
                                       [&text](const Rule& one) { return one.label == text.text; });
        const double own = rule == chart.rules.end() ? -1e9 : placeOf(chart, drawing, rule->at);
        bool stands = own < 0;
        for (const QLineF& line : lines) {
            if (line.y1() > text.points[0].y() + 1e-6)
                continue; // ends below the text
            const bool isOwn = std::abs(line.x1() - own) < 1e-6;
            stands = stands || (isOwn && distance(box, own) > 0 && distance(box, own) < 0.5 * font);
            const bool isBehind = own >= 0 && (line.x1() - own) * (box.center().x() - own) < 0; // seen from the text
            if (!isOwn && !isBehind && distance(box, line.x1()) < (own < 0 ? 1 : 0.9 * font))
                return QStringLiteral("%1 can be read as the label of another line").arg(text.text);
        }
        if (!stands)
            return text.text + QStringLiteral(" does not stand at its line");
    }
    return {};
}

Chart quartiles(double lower, double median, double upper)
{
    Chart chart;
    chart.x.scale = AxisScale::Logarithmic;
    chart.x.low = 1;
    chart.x.high = 36;
    chart.y.high = 8;
    chart.y.title = QStringLiteral("tasks");
    Point bar;
    bar.x = 1;
    bar.x2 = 1.1;
    bar.y2 = 7;
    chart.series = {Series{{}, Series::Look::Bars, Ink::Level1, 0, false, -1, {bar}}};
    chart.rules = {{1, true, {}, Rule::Look::Solid, 0},
                   {lower, true, QStringLiteral("Q1 1.00×"), Rule::Look::Dotted, -1},
                   {median, true, QStringLiteral("median 1.23×"), Rule::Look::Dashed, 0},
                   {upper, true, QStringLiteral("Q3 2.69×"), Rule::Look::Dotted, 1}};
    return chart;
}

Chart noted(const QString& note)
{
    Chart chart = quartiles(3, 6, 12);
    chart.title = QStringLiteral("Title");
    chart.note = note;
    return chart;
}

/// The lines under the title.
QStringList notesOf(const Drawing& drawing)
{
    QStringList lines;
    for (const DrawnShape& text : textsAbove(drawing))
        if (text.text.contains(QStringLiteral("word")))
            lines << text.text;
    return lines;
}

} // namespace

class TestChartLayout : public QObject {
    Q_OBJECT
private slots:
    void labelsStandAtTheirOwnRules_data()
    {
        QTest::addColumn<double>("lower");
        QTest::addColumn<double>("median");
        QTest::addColumn<double>("upper");
        QTest::addRow("far from each other") << 3.0 << 8.0 << 20.0;
        QTest::addRow("at the left edge") << 1.0 << 1.23 << 2.69;
        QTest::addRow("two at one place") << 1.0 << 1.0 << 2.0;
        QTest::addRow("all at the left edge") << 1.0 << 1.0 << 1.0;
        QTest::addRow("a hair apart") << 1.0 << 1.01 << 1.02;
        QTest::addRow("close to each other") << 5.0 << 5.3 << 5.5;
        QTest::addRow("at the right edge") << 30.0 << 33.0 << 36.0;
        QTest::addRow("all at the right edge") << 36.0 << 36.0 << 36.0;
        QTest::addRow("at both edges") << 1.0 << 1.05 << 35.0;
    }
    void labelsStandAtTheirOwnRules()
    {
        QFETCH(const double, lower);
        QFETCH(const double, median);
        QFETCH(const double, upper);
        Chart chart = quartiles(lower, median, upper);
        for (const char* title : {"tasks", "share of tasks", ""})
            for (const QSizeF size : {QSizeF(960, 540), QSizeF(590, 320), QSizeF(380, 260)}) {
                chart.y.title = QLatin1String(title);
                const Drawing drawing = layOut(chart, size, {font, false});
                const QString fault = faultOf(chart, drawing);
                QVERIFY2(fault.isEmpty(), qPrintable(fault));
                QCOMPARE(textsAbove(drawing).size(), std::size_t(*title ? 4 : 3));
                QVERIFY(drawing.plot.height() > 100);
            }
    }

    /// A row is taken from the plot only where it is needed.
    void labelsWithRoomShareARow()
    {
        const Drawing wide = layOut(quartiles(3, 8, 20), {960, 540}, {font, false});
        const Drawing narrow = layOut(quartiles(5, 5.3, 5.5), {960, 540}, {font, false});
        const std::vector<DrawnShape> texts = textsAbove(wide);
        QVERIFY(std::all_of(texts.begin(), texts.end(),
                            [&](const DrawnShape& text) { return text.points[0].y() == texts[0].points[0].y(); }));
        QVERIFY(narrow.plot.top() > wide.plot.top() && narrow.plot.bottom() == wide.plot.bottom());
        // Q1 would rather stand on the left, and may.
        const auto first = std::find_if(texts.begin(), texts.end(),
                                        [](const DrawnShape& text) { return text.text.startsWith("Q1"); });
        QVERIFY(first != texts.end() && first->anchor == DrawnShape::Anchor::End);
    }

    void aRuleEndsBelowTheAxisTitle()
    {
        Chart chart = quartiles(1, 1, 1);
        chart.x.low = 0.8;
        chart.y.title = QStringLiteral("share of tasks");
        chart.rules = {{1, true, QStringLiteral("1×"), Rule::Look::Solid, 0}};
        const Drawing drawing = layOut(chart, {590, 320}, {font, false});
        const QString fault = faultOf(chart, drawing);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }

    /// Of many faint ones only those are labelled that have room.
    void faintLabelsGiveWay()
    {
        Chart chart = quartiles(1, 1, 1);
        chart.rules.clear();
        for (int i = 0; i < 30; ++i)
            chart.rules.push_back({1 + i * 1.2, true, QStringLiteral("round %1").arg(i + 1), Rule::Look::Faint, 1});
        const Drawing drawing = layOut(chart, {590, 320}, {font, false});
        const QString fault = faultOf(chart, drawing);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        const std::size_t shown = textsAbove(drawing).size();
        QVERIFY(shown > 3 && shown < 15);
        QCOMPARE(rulesOf(drawing).size(), std::size_t(30));
    }

    void aPictureWithoutRoomKeepsItsRules()
    {
        const Drawing drawing = layOut(quartiles(5, 5.3, 5.5), {90, 200}, {font, false});
        QCOMPARE(rulesOf(drawing).size(), std::size_t(4));
    }

    void aNoteWrapsBeforeItIsCut()
    {
        const QString word = QStringLiteral("word ");
        const QSizeF low(480, 260);
        const Drawing one = layOut(noted(word.repeated(10).trimmed()), low);
        const Drawing two = layOut(noted(word.repeated(25).trimmed()), low);
        const Drawing cut = layOut(noted(word.repeated(60).trimmed()), low);
        QCOMPARE(notesOf(one).size(), 1);
        QCOMPARE(notesOf(two).size(), 2);
        QCOMPARE(notesOf(two).join(QLatin1Char(' ')), word.repeated(25).trimmed());
        QVERIFY(two.plot.top() > one.plot.top() && two.plot.bottom() == one.plot.bottom());
        const QStringList lines = notesOf(cut);
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].endsWith(QStringLiteral("word")) && lines[1].endsWith(QChar(0x2026)));
    }

    void anAxisTitleWrapsBeforeItIsCut()
    {
        Chart chart = quartiles(3, 8, 20);
        chart.x.title = QStringLiteral("speed-up with the technique over the same without it (logarithmic)");
        const auto titles = [&chart](double width) {
            const Drawing drawing = layOut(chart, {width, 320}, {font, false});
            QStringList lines;
            for (const DrawnShape& shape : drawing.shapes)
                if (shape.kind == DrawnShape::Kind::Text && shape.points[0].y() > drawing.plot.bottom() + 2 * font) {
                    lines << shape.text;
                    if (shape.points[0].y() > drawing.size.height())
                        lines << QStringLiteral("below the picture");
                }
            return lines;
        };
        const QString shorter = chart.x.title.section(QStringLiteral(" ("), 0, 0);
        QCOMPARE(titles(800), QStringList(chart.x.title));
        QCOMPARE(titles(430), QStringList(shorter));
        const QStringList narrow = titles(300);
        QCOMPARE(narrow.size(), 2);
        QCOMPARE(narrow.join(QLatin1Char(' ')), shorter);
    }
};

QTEST_GUILESS_MAIN(TestChartLayout)
#include "tst_chartlayout.moc"
