// SPDX-License-Identifier: GPL-3.0-or-later
// Words of variants, bar arithmetic, and the variants model under sorting and filtering.
#include "core/protocol/marks.h"
#include "ui/kit/theme.h"
#include "ui/variants/barpainter.h"
#include "ui/variants/speedupdelegate.h"
#include "ui/variants/texts.h"
#include "ui/variants/variantsmodel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QPainter>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTest>

using namespace cudal1;
using namespace cudal1::ui;

namespace {

store::VariantRow variant(std::int64_t id, protocol::Verdict verdict, base::Interval wall, base::Interval event = {})
{
    store::VariantRow row;
    row.id = {id};
    row.task = {"1/12"};
    row.origin = "technique library";
    row.techniques = {"cuda_graph", "tf32"};
    row.created_ms = 1'750'000'000'000 + id;
    row.evaluation.emplace();
    row.evaluation->verdict = verdict;
    row.evaluation->wall = wall;
    row.evaluation->event = event;
    if (verdict != protocol::Verdict::Correct)
        row.evaluation->firstReason = "the output is all zeros";
    return row;
}

std::shared_ptr<const std::vector<store::VariantRow>> rows(std::vector<store::VariantRow> list)
{
    return std::make_shared<const std::vector<store::VariantRow>>(std::move(list));
}

} // namespace

class TestVariants : public QObject {
    Q_OBJECT
private slots:
    void figuresHaveThreeDigits()
    {
        QCOMPARE(speedupText(3.8649), QStringLiteral("3.86×"));
        QCOMPARE(speedupText(19.84), QStringLiteral("19.8×"));
        QCOMPARE(speedupText(449.3), QStringLiteral("449×"));
        QCOMPARE(speedupText(9.997), QStringLiteral("10.0×"));
        QCOMPARE(timeText(1530), QStringLiteral("1.53\u00A0µs"));
        QCOMPARE(timeText(999.9), QStringLiteral("1.00\u00A0µs"));
        QCOMPARE(bytesText(1536), QStringLiteral("1.50\u00A0KiB"));
    }

    void marksAreWordsAndNotBehindTheVerdict()
    {
        store::VariantRow row = variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1});
        row.evaluation->marks = "*!";
        QCOMPARE(verdictStyle(row).word, verdictStyle(protocol::Verdict::Correct).word);
        VariantsModel model;
        model.reset(rows({row}));
        for (int column = 0; column < VariantsModel::ColumnCount; ++column)
            for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)}) {
                const QString text = model.index(0, column).data(role).toString();
                QVERIFY2(!text.contains(u'*') && !text.contains(u'!'), qPrintable(text));
            }
        QCOMPARE(model.index(0, VariantsModel::Wall).data().toString(),
                 QStringLiteral("2.00× (questioned)  1.90–2.10"));
        for (const int column : {int(VariantsModel::Wall), int(VariantsModel::Verdict)}) {
            const QStringList reasons = model.index(0, column).data(Qt::ToolTipRole).toString().split(u'\n');
            QCOMPARE(reasons.size(), 2);
            QVERIFY(reasons[0].startsWith(QStringLiteral("precision: its results have another precision")));
            QVERIFY(reasons[1].startsWith(QStringLiteral("questioned: with a label")));
        }
    }

    void barsOfMarkedGainsAreNotGreen()
    {
        const Theme& theme = Theme::instance();
        const auto middle = [](const base::Interval& wall, const std::string& marks) {
            QImage image(100, 8, QImage::Format_RGB32);
            QPainter painter(&image);
            SpeedupAxis axis;
            axis.high = wall.estimate;
            if (wall.estimate < 1)
                axis = {wall.estimate, 2};
            paintSpeedupBar(painter, QRectF(0, 0, 100, 8), axis, wall, marks);
            return image.pixelColor(30, 6);
        };
        QCOMPARE(middle({4, 4, 4}, ""), theme.color(Role::Gain));
        QCOMPARE(middle({4, 4, 4}, "*"), theme.color(Role::Variant));
        QCOMPARE(middle({4, 4, 4}, "!"), theme.color(Role::Warning));
        QCOMPARE(middle({4, 4, 4}, "*!"), theme.color(Role::Warning));
        QCOMPARE(middle({0.5, 0.5, 0.5}, "!"), theme.color(Role::Loss));
    }

    /// At each width the cell has its badge in the colour of its number, and nothing green.
    void cellsOfMarkedGainsHaveABadge()
    {
        const Theme& theme = Theme::instance();
        std::string marks;
        SpeedupDelegate delegate(
            [&](const QModelIndex&) {
                return SpeedupDelegate::Marked{{4, 3.9, 4.1}, marks};
            },
            [] {
                return SpeedupAxis{1, 5};
            },
            nullptr);
        QStandardItemModel model(1, 1);
        const auto colored = [&](int width, Role role, int from) {
            QImage image(width, 30, QImage::Format_RGB32);
            image.fill(theme.color(Role::Surface));
            QPainter painter(&image);
            QStyleOptionViewItem option;
            option.rect = image.rect();
            delegate.paint(&painter, option, model.index(0, 0));
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = from; x < width; ++x)
                    count += image.pixelColor(x, y) == theme.color(role);
            return count;
        };
        const int number = theme.unit(2) + QFontMetrics(theme.monoFont()).horizontalAdvance(QStringLiteral("unclear "));
        for (const int wide : {number + theme.unit(26), number + theme.unit(90)}) {
            marks = "!";
            QVERIFY(colored(wide, Role::WarningText, number) > 20); // the frame of the badge
            QCOMPARE(colored(wide, Role::Gain, 0) + colored(wide, Role::GainText, 0), 0);
            marks.clear();
            QCOMPARE(colored(wide, Role::WarningText, 0), 0);
        }
        QVERIFY(colored(number + theme.unit(90), Role::Gain, number) > 20); // the bar of a plain gain
        marks = "!";
        const QRect least(0, 0, SpeedupDelegate::leastWidth(marksBadge(marks)), 30);
        const QRect whole = delegate.badgeRect(QRect(0, 0, theme.unit(200), 30), model.index(0, 0));
        QCOMPARE(delegate.badgeRect(least, model.index(0, 0)).width(), whole.width());
    }

    void aVerdictIsNeverForced()
    {
        QCOMPARE(speedupPhrase({1.05, 0.97, 1.14}), QStringLiteral("unclear"));
        QCOMPARE(speedupPhrase({1.0, 0.995, 1.005}), QStringLiteral("same"));
        QCOMPARE(speedupPhrase({1.05, 1.03, 1.07}), QStringLiteral("1.05×"));
        QCOMPARE(speedupPhrase({}), QStringLiteral("not timed"));
        QVERIFY(speedupRole({1.05, 0.97, 1.14}) == Role::Muted);
        QVERIFY(speedupRole({0.8, 0.7, 0.9}) == Role::LossText);
        // A gain that is marked is not shown like a plain one.
        QVERIFY(speedupRole({2, 1.9, 2.1}) == Role::GainText);
        QVERIFY(speedupRole({2, 1.9, 2.1}, "*") == Role::VariantText);
        QVERIFY(speedupRole({2, 1.9, 2.1}, "*!") == Role::WarningText);
        QVERIFY(speedupRole({0.8, 0.7, 0.9}, "*!") == Role::LossText);
        QCOMPARE(marksBadge("*!"), QStringLiteral("questioned"));
        QCOMPARE(marksBadge("*"), QStringLiteral("precision"));
        QCOMPARE(marksBadge(""), QString());
    }

    void clocksDisagreeOnlyBeyondTheirIntervals()
    {
        QVERIFY(protocol::clocksDisagree({3.86, 3.83, 3.89}, {28.9, 28.0, 29.5}));
        QVERIFY(!protocol::clocksDisagree({3.86, 3.5, 4.2}, {4.1, 4.0, 4.4}));
        QVERIFY(!protocol::clocksDisagree({3.86, 3.83, 3.89}, {}));
    }

    void barsLieOnALogarithmicAxis()
    {
        SpeedupAxis axis;
        axis.include({2, 0.5, 8});
        const SpeedupBar bar = speedupBar(axis, {2, 0.5, 8});
        // From 0.5 to 8 are four doublings: 1 is after one, 2 after two.
        QCOMPARE(bar.one, 0.25);
        QCOMPARE(bar.from, 0.25);
        QCOMPARE(bar.to, 0.5);
        QCOMPARE(bar.low, 0.0);
        QCOMPARE(bar.high, 1.0);
        const SpeedupBar loss = speedupBar(axis, {0.5, 0.5, 0.5});
        QCOMPARE(loss.from, 0.0);
        QCOMPARE(loss.to, 0.25);
    }

    void modelSortsByWhatIsCertain()
    {
        VariantsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSortFilterProxyModel proxy;
        proxy.setSourceModel(&model);
        proxy.setSortRole(VariantsModel::SortRole);
        proxy.sort(VariantsModel::Wall, Qt::DescendingOrder);
        model.reset(
            rows({variant(1, protocol::Verdict::Incorrect, {}), variant(2, protocol::Verdict::Correct, {5, 1.1, 20}),
                  variant(3, protocol::Verdict::Correct, {3, 2.9, 3.1})}));
        const auto idAt = [&](int row) { return proxy.index(row, 0).data(VariantsModel::IdRole).toLongLong(); };
        QCOMPARE(idAt(0), 3);
        QCOMPARE(idAt(1), 2);
        QCOMPARE(idAt(2), 1);
        model.update(
            rows({variant(1, protocol::Verdict::Incorrect, {}), variant(2, protocol::Verdict::Correct, {5, 1.1, 20}),
                  variant(3, protocol::Verdict::Correct, {3, 2.9, 3.1}),
                  variant(4, protocol::Verdict::Correct, {9, 8, 10})}));
        QCOMPARE(idAt(0), 4);
        store::VariantRow elsewhere = variant(5, protocol::Verdict::Correct, {20, 19, 21});
        elsewhere.counts = false; // at a precision that does not count
        model.update(rows({variant(1, protocol::Verdict::Incorrect, {}), elsewhere,
                           variant(3, protocol::Verdict::Correct, {3, 2.9, 3.1})}));
        QCOMPARE(idAt(0), 3);
        QCOMPARE(idAt(1), 1);
        QCOMPARE(idAt(2), 5);
    }

    void updateKeepsRowsAndAddsNewOnes()
    {
        VariantsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.reset(rows({variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1})}));
        const QPersistentModelIndex first = model.index(0, 0);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset), inserts(&model, &QAbstractItemModel::rowsInserted);
        model.update(rows({variant(7, protocol::Verdict::Correct, {4, 3.9, 4.1}),
                           variant(1, protocol::Verdict::Correct, {3, 2.9, 3.1})}));
        QCOMPARE(resets.count(), 0);
        QCOMPARE(inserts.count(), 1);
        QVERIFY(first.isValid());
        QCOMPARE(first.data(VariantsModel::IdRole).toLongLong(), 1);
        QCOMPARE(model.at(first.row()).evaluation->wall.estimate, 3.0);
        QCOMPARE(model.rowOf({7}), 1);
        model.update(rows({variant(7, protocol::Verdict::Correct, {4, 3.9, 4.1})}));
        QCOMPARE(resets.count(), 1);
        QCOMPARE(model.rowCount(), 1);
    }

    void claimsStandWhereNothingWasJudged()
    {
        store::VariantRow claimed = variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1}), higher = claimed,
                          judged = claimed;
        claimed.evaluation.reset();
        claimed.claimed = 3.5;
        higher.id = {2};
        higher.evaluation.reset();
        higher.claimed = 12;
        judged.id = {3};
        judged.claimed = 9;
        VariantsModel model;
        model.reset(rows({claimed, higher, judged}));
        const auto wall = [&model](int row, int role) { return model.index(row, VariantsModel::Wall).data(role); };
        QCOMPARE(wall(0, Qt::DisplayRole).toString(), QStringLiteral("claimed 3.50×"));
        QVERIFY(wall(0, Qt::ToolTipRole).toString().contains(QStringLiteral("has not been judged here")));
        QVERIFY(!wall(2, Qt::DisplayRole).toString().contains(QStringLiteral("claimed")));
        QVERIFY(wall(0, TableModel::SortRole).toDouble() < wall(1, TableModel::SortRole).toDouble());
        QVERIFY(wall(1, TableModel::SortRole).toDouble() < wall(2, TableModel::SortRole).toDouble());
    }

    void failuresShowTheirReason()
    {
        VariantsModel model;
        model.reset(rows({variant(1, protocol::Verdict::Incorrect, {})}));
        QCOMPARE(model.index(0, VariantsModel::Verdict).data().toString(), QStringLiteral("incorrect"));
        QCOMPARE(model.index(0, VariantsModel::Wall).data().toString(), QStringLiteral("the output is all zeros"));
        QVERIFY(!model.index(0, VariantsModel::Verdict).data(Qt::DecorationRole).value<QIcon>().isNull());
    }

    void theBestComesFirstWhateverTheNumbersOfMarkedOnes()
    {
        store::VariantRow gain = variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1}),
                          other = variant(2, protocol::Verdict::Correct, {4, 3.9, 4.1}),
                          questioned = variant(3, protocol::Verdict::Correct, {9, 8.9, 9.1}),
                          none = variant(4, protocol::Verdict::Correct, {1, 0.9, 1.1}),
                          wrong = variant(5, protocol::Verdict::Incorrect, {});
        other.evaluation->marks = "*TF32";
        questioned.evaluation->marks = "!";
        VariantsModel model;
        model.reset(rows({wrong, none, questioned, other, gain}));
        double before = -10;
        for (int row = 0; row < model.rowCount(); ++row) {
            const double key = model.index(row, VariantsModel::Wall).data(VariantsModel::SortRole).toDouble();
            QVERIFY2(key > before, qPrintable(QString::number(row)));
            before = key;
        }
    }

    void eventClockIsStruckThroughWhereItContradicts()
    {
        VariantsModel model;
        model.reset(rows({variant(1, protocol::Verdict::Correct, {3.86, 3.83, 3.89}, {28.9, 28, 29.5}),
                          variant(2, protocol::Verdict::Correct, {3.86, 3.5, 4.2}, {4.1, 4.0, 4.4})}));
        const QModelIndex struck = model.index(0, VariantsModel::Event), plain = model.index(1, VariantsModel::Event);
        QVERIFY(struck.data(Qt::FontRole).value<QFont>().strikeOut());
        QVERIFY(struck.data(Qt::ToolTipRole).toString().contains(QStringLiteral("wall clock counts")));
        QVERIFY(!plain.data(Qt::FontRole).value<QFont>().strikeOut());
    }

    void callsOfCorrectVariantsHaveATime()
    {
        store::VariantRow fast = variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1}),
                          slow = variant(2, protocol::Verdict::Correct, {3, 2.9, 3.1}),
                          wrong = variant(3, protocol::Verdict::Incorrect, {});
        fast.evaluation->candidate_ns = 45'300;
        fast.evaluation->reference_ns = 90'600;
        slow.evaluation->candidate_ns = 1'280'000;
        wrong.evaluation->candidate_ns = 10;
        VariantsModel model;
        model.reset(rows({fast, slow, wrong}));
        const auto cell = [&](int row, int role = Qt::DisplayRole) {
            return model.index(row, VariantsModel::Call).data(role);
        };
        QCOMPARE(cell(0).toString(), timeText(45'300));
        QCOMPARE(cell(1).toString(), timeText(1'280'000));
        QCOMPARE(cell(2).toString(), QString());
        QVERIFY(cell(0, Qt::ToolTipRole).toString().contains(timeText(90'600)));
        QVERIFY(cell(0, VariantsModel::SortRole).toDouble() > cell(1, VariantsModel::SortRole).toDouble());
        QVERIFY(cell(1, VariantsModel::SortRole).toDouble() > cell(2, VariantsModel::SortRole).toDouble());
    }

    void barsEndBeforeTheLongestBadgeOfTheirColumn()
    {
        store::VariantRow plain = variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1}),
                          marked = variant(2, protocol::Verdict::Correct, {3, 2.9, 3.1});
        VariantsModel model;
        model.reset(rows({plain}));
        QCOMPARE(model.axis().badge, QString());
        marked.evaluation->marks = "!";
        model.reset(rows({plain, marked}));
        QCOMPARE(model.axis().badge, marksBadge("!"));
    }

    void floorSharesSortByNumberAndAreEmptyWhereUnknown()
    {
        VariantsModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<store::VariantRow> list{variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1}),
                                            variant(2, protocol::Verdict::Correct, {3, 2.9, 3.1}),
                                            variant(3, protocol::Verdict::Incorrect, {}),
                                            variant(4, protocol::Verdict::Correct, {4, 3.9, 4.1})};
        for (store::VariantRow& row : list) {
            row.evaluation->deviceModel = "GPU";
            row.evaluation->candidate_ns = 100;
        }
        list[0].evaluation->floor_ns = 0.1; // proven by the judge: less than the task's, which counts
        list[1].evaluation->candidate_ns = 9.4 / 1.04;
        list[3].evaluation->deviceModel = "Other";
        model.reset(rows({list[2], list[3]}));
        QVERIFY(!model.hasFloorShares());
        model.reset(rows({list[0], list[2], list[3]}));
        QCOMPARE(model.index(0, VariantsModel::FloorShare).data().toString(),
                 QStringLiteral("0.1 %")); // until it is known
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        model.setFloors({{"GPU", 9.4}});
        QCOMPARE(changed.count(), 1);
        model.reset(rows(list));
        QVERIFY(model.hasFloorShares());
        const auto cell = [&](int row, int role = Qt::DisplayRole) {
            return model.index(row, VariantsModel::FloorShare).data(role);
        };
        QCOMPARE(cell(0).toString(), QStringLiteral("9.4 %"));
        QCOMPARE(cell(1).toString(), QStringLiteral("104 %"));
        QVERIFY(cell(1, Qt::ToolTipRole).toString().contains(QStringLiteral("cache")));
        QCOMPARE(cell(2).toString(), QString());
        QCOMPARE(cell(3).toString(), QString());
        QVERIFY(cell(1, VariantsModel::SortRole).toDouble() > cell(0, VariantsModel::SortRole).toDouble());
        QVERIFY(model.headerData(VariantsModel::Wall, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("lower end")));
        QVERIFY(model.headerData(VariantsModel::FloorShare, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .startsWith(QStringLiteral("Floor time")));
        model.setFloors({});
        QCOMPARE(cell(0).toString(), QStringLiteral("0.1 %"));
        QVERIFY(model.hasFloorShares());
    }

    void ownPrecisionIsMarked()
    {
        QCOMPARE(speedupPhrase({3, 2.9, 3.1}), QStringLiteral("3.00×"));
        QCOMPARE(speedupPhrase({3, 2.9, 3.1}, "*"), QStringLiteral("3.00× (precision)"));
        QCOMPARE(speedupPhrase({1, 0.9, 1.1}, "*"), QStringLiteral("unclear (precision)"));
        QVERIFY(speedupSentence({3, 2.9, 3.1}, "*").startsWith(QStringLiteral("3.00× (precision)  ")));
    }

    void filterMatchesTechniques()
    {
        VariantsModel model;
        model.reset(rows(
            {variant(1, protocol::Verdict::Correct, {2, 1.9, 2.1}), variant(2, protocol::Verdict::Incorrect, {})}));
        QSortFilterProxyModel proxy;
        proxy.setSourceModel(&model);
        proxy.setFilterKeyColumn(-1);
        proxy.setFilterRegularExpression(QStringLiteral("graph.*tf32"));
        QCOMPARE(proxy.rowCount(), 2);
        proxy.setFilterRegularExpression(QStringLiteral("all zeros"));
        QCOMPARE(proxy.rowCount(), 1);
    }
};

QTEST_MAIN(TestVariants)
#include "tst_variants.moc"
