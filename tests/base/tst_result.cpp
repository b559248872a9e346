// SPDX-License-Identifier: GPL-3.0-or-later
// Result holds one side and says which; Error makes one readable line; ids are distinct types.
#include "core/base/ids.h"
#include "core/base/result.h"

#include <QtTest>

#include <memory>
#include <type_traits>
#include <unordered_set>

using namespace cudal1::base;

class TestResult : public QObject {
    Q_OBJECT
private slots:
    void value();
    void error();
    void wrongSideThrows();
    void moveOnlyValue();
    void status();
    void errorText_data();
    void errorText();
    void ids();
};

void TestResult::value()
{
    Result<std::string> result = std::string("abc");
    QVERIFY(result.ok() && result);
    QCOMPARE(*result, std::string("abc"));
    QCOMPARE(result->size(), std::size_t(3));
    *result += "d";
    QCOMPARE(result.value(), std::string("abcd"));
}

void TestResult::error()
{
    const Result<int> result = Error{ErrorCode::TooNew, "message", "context", "hint"};
    QVERIFY(!result.ok() && !result);
    QVERIFY(result.error().code == ErrorCode::TooNew);
    QCOMPARE(result.error().hint, std::string("hint"));
}

void TestResult::wrongSideThrows()
{
    const Result<int> good = 1, bad = Error{};
    QVERIFY_EXCEPTION_THROWN((void)good.error(), std::bad_variant_access);
    QVERIFY_EXCEPTION_THROWN((void)bad.value(), std::bad_variant_access);
    QVERIFY_EXCEPTION_THROWN((void)Status().error(), std::bad_optional_access);
}

void TestResult::moveOnlyValue()
{
    Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
    const std::unique_ptr<int> taken = std::move(result).value();
    QCOMPARE(*taken, 5);
}

void TestResult::status()
{
    QVERIFY(Status().ok());
    const Status failed = Error{ErrorCode::Cancelled, "stopped", {}, {}};
    QVERIFY(!failed);
    QVERIFY(failed.error().code == ErrorCode::Cancelled);
}

void TestResult::errorText_data()
{
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("context");
    QTest::addColumn<QString>("hint");
    QTest::addColumn<QString>("text");
    QTest::newRow("message") << "It broke"
                             << ""
                             << ""
                             << "It broke";
    QTest::newRow("context") << "It broke"
                             << "a.py:3"
                             << ""
                             << "It broke (a.py:3)";
    QTest::newRow("hint") << "It broke"
                          << ""
                          << "Mend it."
                          << "It broke. Mend it.";
    QTest::newRow("hint after a full stop") << "It broke."
                                            << ""
                                            << "Mend it."
                                            << "It broke. Mend it.";
    QTest::newRow("all") << "It broke"
                         << "a.py:3"
                         << "Mend it."
                         << "It broke (a.py:3). Mend it.";
}

void TestResult::errorText()
{
    QFETCH(QString, message);
    QFETCH(QString, context);
    QFETCH(QString, hint);
    QFETCH(QString, text);
    const Error error{ErrorCode::Internal, message.toStdString(), context.toStdString(), hint.toStdString()};
    QCOMPARE(QString::fromStdString(error.text()), text);
}

void TestResult::ids()
{
    static_assert(!std::is_convertible_v<VariantId, EvaluationId>);
    static_assert(!std::is_convertible_v<int, RunId>);
    QVERIFY(!VariantId{} && VariantId{3});
    QVERIFY(VariantId{3} == VariantId{3} && VariantId{3} < VariantId{4});
    const std::unordered_set<VariantId> rows{{1}, {2}, {1}};
    QCOMPARE(rows.size(), std::size_t(2));
    const std::unordered_set<TaskId> names{{"1/1"}, {"1/1"}, {"1/2"}};
    QCOMPARE(names.size(), std::size_t(2));
    QVERIFY(TaskId{}.empty() && !TaskId{"3/41"}.empty());
}

QTEST_GUILESS_MAIN(TestResult)
#include "tst_result.moc"
