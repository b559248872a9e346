// SPDX-License-Identifier: GPL-3.0-or-later
// The report says what the project holds, stays well-formed, and lets no foreign text act.
#include "core/charts/numbertext.h"
#include "core/charts/projectsummary.h"
#include "core/report/cells.h"
#include "core/report/report.h"
#include "tests/report/sampleproject.h"

#include <QCryptographicHash>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

using namespace cudal1;
using namespace cudal1::report;

namespace {

/// One element of the page with its attributes and all text below it.
struct Element {
    QString name;
    QXmlStreamAttributes attributes;
    QString text;
};

base::Result<QString> htmlReport(const store::Project& project, const ReportScope& scope = {})
{
    const auto document = reportOn(project, scope);
    return document ? base::Result<QString>(htmlOf(*document)) : document.error();
}

/// Every element of the page, in order of their ends; `error` when the page is not well-formed.
QList<Element> elementsOf(const QString& html, QString& error)
{
    QXmlStreamReader reader(html);
    QList<Element> open, done;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement()) {
            open.append({reader.name().toString(), reader.attributes(), {}});
        } else if (reader.isCharacters()) {
            for (Element& element : open)
                element.text += reader.text();
        } else if (reader.isEndElement()) {
            done.append(open.takeLast());
        }
    }
    if (reader.hasError())
        error = QStringLiteral("%1 in line %2").arg(reader.errorString()).arg(reader.lineNumber());
    return done;
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT
private slots:
    void aPartIsNeverTheWhole()
    {
        QCOMPARE(share(250, 250), QStringLiteral("100 %"));
        QCOMPARE(share(249, 250), QStringLiteral("99.6 %"));
        QCOMPARE(share(9999, 10000), QStringLiteral("99.9 %"));
        QCOMPARE(share(4, 5), QStringLiteral("80 %"));
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void numbersOfTheSummary();
    void eachGainIsCountedOnce();
    void markedGainsAreNotGreen();
    void cardsSayTheNumbers();
    void everyTaskIsInTheTable();
    void clocksThatDisagreeAreStruckThrough();
    void failuresSayWhy();
    void histogramCountsEveryTask();
    void singleTask();
    void unknownTask();
    void emptyProject();
    void hostileTextIsEscaped();
    void onlyOurScriptRuns();
    void nothingIsLoaded();
    void sampleFile();
    void speedupTexts_data();
    void speedupTexts();
    void timeTexts();

private:
    std::filesystem::path path() const { return m_folder->filePath("sample.cudal1").toStdString(); }
    QList<Element> page(const store::Project& project, const ReportScope& scope = {})
    {
        const auto html = htmlReport(project, scope);
        if (!html)
            qFatal("%s", html.error().text().c_str());
        m_html = *html;
        QString error;
        const QList<Element> elements = elementsOf(m_html, error);
        if (!error.isEmpty())
            qFatal("%s", qPrintable(error));
        return elements;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_html;
};

void TestReport::eachGainIsCountedOnce()
{
    std::vector<store::TaskRow> rows;
    for (const auto& [low, marks] :
         {std::pair{2.0, ""}, {1.02, ""}, {1.0, ""}, {2.0, "*"}, {2.0, "*!"}, {2.0, "!"}, {1.0, "!"}}) {
        store::TaskRow row;
        row.state = store::TaskRow::State::Improved;
        row.best = {3, low, 4};
        row.marks = marks;
        rows.push_back(row);
    }
    const charts::ProjectSummary s = charts::summarise(rows);
    QCOMPARE(s.tried, 7);
    QCOMPARE(s.trueGains, 2);
    QCOMPARE(s.ownPrecision, 1);
    QCOMPARE(s.inQuestion, 2); // also where it has another precision as well
    // 1.0 to 4 is no gain for certain, and questioned ones count as 1.
    QVERIFY((s.all == std::vector{1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0}));
    QVERIFY((s.correctOnly == std::vector<double>(7, 3.0)));
    QCOMPARE(charts::otherGainsText(s), std::string("1 at another precision, 2 questioned"));
    QCOMPARE(charts::otherGainsText({}), std::string());
}

void TestReport::markedGainsAreNotGreen()
{
    QVERIFY(speedupCell({2, 1.9, 2.1}).tone == Tone::Gain);
    QVERIFY(speedupCell({2, 1.9, 2.1}, "*").tone == Tone::Plain);
    QVERIFY(speedupCell({2, 1.9, 2.1}, "*!").tone == Tone::Warning);
    QVERIFY(speedupCell({0.5, 0.4, 0.6}, "!").tone == Tone::Loss);
}

void TestReport::numbersOfTheSummary()
{
    const auto project = samples::smallProject(path());
    const charts::ProjectSummary s = charts::summarise(*project->taskRows());
    QCOMPARE(s.tried, 5);
    QCOMPARE(s.correct, 4);
    QCOMPARE(s.trueGains, 2);
    QVERIFY(s.ownPrecision == 0 && s.inQuestion == 0);
    QVERIFY((s.all == std::vector{1.0, 1.0, 1.0, 2.0, 4.0})); // that of 0.5 keeps the reference
    QVERIFY((s.correctOnly == std::vector{0.5, 1.0, 2.0, 4.0}));
    QCOMPARE(s.median, 1.0);
    QVERIFY(std::abs(s.geometricMean - std::pow(8.0, 0.2)) < 1e-12); // (1 * 1 * 1 * 2 * 4) ^ (1/5)
    const charts::ProjectSummary none = charts::summarise({});
    QVERIFY(none.tried == 0 && none.geometricMean == 0 && none.median == 0);
}

void TestReport::cardsSayTheNumbers()
{
    const auto project = samples::smallProject(path());
    QStringList cards;
    for (const Element& element : page(*project))
        if (element.attributes.value("class") == QLatin1String("card"))
            cards << element.text.simplified();
    QCOMPARE(cards.size(), 4);
    QVERIFY(cards[0].contains("2 of 5 tasks"));
    QVERIFY(cards[1].contains("1.52×")); // 8 ^ 0.2 = 1.5157
    QVERIFY(cards[2].contains("1.00×"));
    QVERIFY(cards[3].contains("4 of 5 tasks") && cards[3].endsWith("80 %"));
    QVERIFY(m_html.contains("One task was not tried yet"));
    QVERIFY(m_html.contains("A task counts as 1× where no variant is correct, none is faster"));
}

void TestReport::everyTaskIsInTheTable()
{
    const auto project = samples::smallProject(path());
    const auto elements = page(*project);
    const auto rows = project->taskRows();
    for (const store::TaskRow& row : *rows) {
        const QString id = QString::fromStdString(row.id.value);
        QStringList found;
        for (const Element& element : elements)
            if (element.name == "tr" && element.text.startsWith(id + "GRU"))
                found << element.text;
        QCOMPARE(found.size(), row.variants > 0 ? 1 : 0);
        if (found.isEmpty())
            continue;
        QVERIFY2(found[0].contains(charts::stateText(row)), qPrintable(found[0]));
        QCOMPARE(found[0].contains("no gain"), row.state == store::TaskRow::State::NoGain && row.best.high >= 1);
        QCOMPARE(found[0].contains("slower"), row.best.valid() && row.best.high < 1);
        if (row.best.valid()) {
            QVERIFY(found[0].contains(charts::speedupText(row.best)));
            QVERIFY(found[0].contains(charts::intervalText(row.best)));
        }
    }
    QVERIFY(m_html.contains("3.96–4.04")); // 4 with 1 % to both sides
}

void TestReport::clocksThatDisagreeAreStruckThrough()
{
    const auto project = samples::smallProject(path());
    QStringList struck;
    for (const Element& element : page(*project))
        if (element.name == "s")
            struck << element.text;
    QCOMPARE(struck, QStringList({"28.0×", "28.0×"})); // in the table of tasks and in that of the task's variants
    QVERIFY(m_html.contains("Events miss work on another stream"));
}

void TestReport::failuresSayWhy()
{
    const auto project = samples::smallProject(path());
    page(*project);
    QVERIFY(m_html.contains("No variant is correct; the latest:"));
    QVERIFY(m_html.contains("The values differ at [3, 4]"));
    QVERIFY(m_html.contains("max error 3.5")); // evidence
    QVERIFY(m_html.contains("class ModelNew: # wrong"));
    QVERIFY(m_html.contains("un graphe, ça suffit")); // analysis
}

void TestReport::histogramCountsEveryTask()
{
    const auto project = samples::smallProject(path());
    page(*project);
    const qsizetype from = m_html.indexOf("<svg", m_html.indexOf("Best speed-up of each task")),
                    to = m_html.indexOf("</svg>", from) + 6;
    QVERIFY(from > 0);
    QString error;
    const QList<Element> elements = elementsOf(m_html.mid(from, to - from),
                                               error); // the drawing alone is a document as well
    QCOMPARE(error, QString());

    // Each bin says how many tasks it has, and how many of each level: together those of the store.
    static const QRegularExpression count(": (\\d+) tasks?\n"), part("(level \\d|no correct variant): (\\d+)");
    QSet<QString> bins; // all parts of a bar say the same
    QStringList texts;
    for (const Element& element : elements) {
        if (element.name == "title" && element.text.contains(count))
            bins << element.text;
        if (element.name == "text")
            texts << element.text;
    }
    int sum = 0;
    QMap<QString, int> found, expected;
    for (const QString& bin : bins) {
        sum += count.match(bin).captured(1).toInt();
        for (auto parts = part.globalMatch(bin); parts.hasNext();) {
            const auto one = parts.next();
            found[one.captured(1)] += one.captured(2).toInt();
        }
    }
    int tried = 0;
    const auto rows = project->taskRows();
    for (const store::TaskRow& row : *rows)
        if (charts::isTried(row)) {
            ++tried;
            ++expected[row.bestVariant ? QStringLiteral("level %1").arg(row.level)
                                       : QStringLiteral("no correct variant")];
        }
    QCOMPARE(tried, 5);
    QCOMPARE(sum, tried);
    QCOMPARE(found, expected);
    for (const QString& name : expected.keys())
        QVERIFY2(texts.contains(name), qPrintable(texts.join(' '))); // the legend
    // The median is marked where the summary has it.
    QVERIFY(texts.contains("median " + charts::speedupText(charts::summarise(*project->taskRows()).median)));
}

void TestReport::singleTask()
{
    const auto project = samples::smallProject(path());
    const auto elements = page(*project, ReportScope::ofTask({"1/12"}));
    QVERIFY(m_html.contains("class ModelNew: # broadcast"));
    QVERIFY(!m_html.contains("class ModelNew: # streams"));
    QVERIFY(!m_html.contains("id=\"numbers\""));
    for (const Element& element : elements)
        if (element.name == "figcaption")
            QVERIFY2(element.text.contains("2 correct variants of 1/12") && element.text.contains("level 1"),
                     qPrintable(element.text));
    QStringList cards;
    for (const Element& element : elements)
        if (element.attributes.value("class") == QLatin1String("card"))
            cards << element.text.simplified();
    QCOMPARE(cards.size(), 4);
    QVERIFY(cards[0].contains("4.00× 3.96–4.04") && cards[0].endsWith("faster"));
    QVERIFY(cards[1].contains("4.01×"));
    QVERIFY(cards[2].contains("875 µs from 3.50 ms"));
    QVERIFY(cards[3].contains("100 % 2 of 2"));
    // Without variants there is a page all the same.
    page(*project, ReportScope::ofTask({"1/1"}));
    QVERIFY(m_html.contains("No variant has been judged yet."));
}

void TestReport::unknownTask()
{
    const auto project = samples::smallProject(path());
    const auto report = htmlReport(*project, ReportScope::ofTask({"9/9"}));
    QVERIFY(!report.ok());
    QVERIFY(report.error().code == base::ErrorCode::NotFound);
}

void TestReport::emptyProject()
{
    const auto project = store::Project::open(path());
    QVERIFY(project.ok());
    page(**project);
    QVERIFY(m_html.contains("No speed-up has been measured yet"));
    QVERIFY(!m_html.contains("nan") && !m_html.contains("inf×"));
}

void TestReport::hostileTextIsEscaped()
{
    const std::string hostile = "</pre><script>alert(1)</script>\"' onload='x' & %1 %2 \x1b[31m \xe2\x80\xae \x01 ]]>";
    auto project = store::Project::open(path());
    store::TaskRecord task = store::samples::task(hostile);
    task.name = task.suite = task.source = hostile;
    QVERIFY((*project)->putTask(task).ok());
    store::VariantRecord variant = store::samples::variant(hostile, hostile);
    variant.performanceAnalysis = variant.algorithmDesign = variant.codeImplementation = variant.origin = hostile;
    variant.techniques = {hostile, hostile};
    const auto id = (*project)->addVariant(variant);
    protocol::Evaluation evaluation = store::samples::evaluation(2);
    evaluation.reasons = evaluation.labels = {{hostile, hostile, hostile}};
    evaluation.precision.candidate = evaluation.precision.reference = evaluation.stopReason = hostile;
    evaluation.device.model = evaluation.device.name = evaluation.device.driver = hostile;
    evaluation.environment.torch = evaluation.environment.os = evaluation.environment.evaluator = hostile;
    QVERIFY((*project)->addEvaluation(*id, evaluation).ok());

    int scripts = 0, copies = 0;
    for (const Element& element : page(**project)) {
        scripts += element.name == "script";
        copies += element.name == "code" && element.text.contains("<script>alert(1)</script>\"' onload='x' & %1 %2 ");
        for (const QXmlStreamAttribute& attribute : element.attributes)
            QVERIFY(!attribute.name().startsWith(QLatin1String("on")));
    }
    QCOMPARE(scripts, 1);
    QVERIFY(copies >= 2); // the source of the variant and that of the reference, unharmed
    QVERIFY(!m_html.contains("<script>alert"));
    QVERIFY(!m_html.contains(QChar(0x202e)) && !m_html.contains(QChar(0x1b)) && !m_html.contains(QChar(1)));
    QVERIFY(m_html.contains(QChar(0x241b))); // the escape character is seen, not obeyed
}

void TestReport::onlyOurScriptRuns()
{
    const auto project = samples::smallProject(path());
    QString script, policy;
    for (const Element& element : page(*project)) {
        if (element.name == "script")
            script = element.text;
        if (element.attributes.value("http-equiv") == QLatin1String("Content-Security-Policy"))
            policy = element.attributes.value("content").toString();
    }
    QVERIFY(script.contains("table.sortable"));
    const QString hash = QString::fromLatin1(
        QCryptographicHash::hash(script.toUtf8(), QCryptographicHash::Sha256).toBase64());
    QVERIFY(policy.contains("script-src 'sha256-" + hash + "'"));
    QVERIFY(policy.startsWith("default-src 'none'"));
}

void TestReport::nothingIsLoaded()
{
    const auto project = samples::smallProject(path());
    for (const Element& element : page(*project)) {
        QVERIFY(!element.attributes.hasAttribute("src"));
        if (element.attributes.hasAttribute("href"))
            QVERIFY(element.attributes.value("href").startsWith('#'));
    }
    // Every link has its target.
    static const QRegularExpression link("href=\"#([^\"]+)\"");
    auto links = link.globalMatch(m_html);
    QVERIFY(links.hasNext());
    while (links.hasNext())
        QVERIFY(m_html.contains("id=\"" + links.next().captured(1) + "\""));
}

void TestReport::sampleFile()
{
    const auto project = samples::smallProject(path());
    ReportScope scope;
    scope.created_ms = 1752192000000;
    const auto html = htmlReport(*project, scope);
    QFile file(m_folder->filePath("report.html"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray bytes = html->toUtf8();
    QCOMPARE(file.write(bytes), bytes.size());
    QVERIFY(bytes.size() < 200000);
    QVERIFY(bytes.contains("2025-07-11 00:00 UTC")); // the date asked for
}

void TestReport::speedupTexts_data()
{
    QTest::addColumn<double>("speedup");
    QTest::addColumn<QString>("text");
    QTest::newRow("one") << 1.0 << "1.00×";
    QTest::newRow("two decimals") << 3.8649 << "3.86×";
    QTest::newRow("carry to ten") << 9.996 << "10.0×";
    QTest::newRow("one decimal") << 19.84 << "19.8×";
    QTest::newRow("carry to a hundred") << 99.96 << "100×";
    QTest::newRow("no decimal") << 449.4 << "449×";
    QTest::newRow("none") << 0.0 << "–";
    QTest::newRow("not a number") << std::nan("") << "–";
}

void TestReport::speedupTexts()
{
    QFETCH(double, speedup);
    QFETCH(QString, text);
    QCOMPARE(charts::speedupText(speedup), text);
}

void TestReport::timeTexts()
{
    QCOMPARE(charts::timeText(0), QString());
    QCOMPARE(charts::timeText(12), QString("12 ns"));
    QCOMPARE(charts::timeText(3500), QString("3.50 µs"));
    QCOMPARE(charts::timeText(999600), QString("1.00 ms"));
    QCOMPARE(charts::timeText(3.5e6), QString("3.50 ms"));
    QCOMPARE(charts::timeText(2.5e12), QString("2500 s"));
}

QTEST_GUILESS_MAIN(TestReport)
#include "tst_report.moc"
