// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a report in every format and holds its numbers against the store.
#include "core/charts/numbertext.h"
#include "core/pages/pagelayout.h"
#include "core/pages/pdf.h"
#include "core/pages/tablelayout.h"
#include "core/report/cells.h"
#include "core/report/levels.h"
#include "core/report/report.h"
#include "core/report/reproducer.h"
#include "tests/report/pdftext.h"
#include "tests/report/sampleproject.h"

#include <nlohmann/json.hpp>

#include <QGuiApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <map>
#include <numeric>

using namespace cudal1;
using namespace cudal1::report;
using nlohmann::json;

namespace {

Document must(base::Result<Document> result)
{
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return std::move(*result);
}

/// Lines of fields (RFC 4180).
QList<QStringList> readCsv(const QByteArray& bytes)
{
    QList<QStringList> lines{{QString()}};
    bool quoted = false;
    const QString text = QString::fromUtf8(bytes);
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar c = text[at];
        if (quoted) {
            if (c != '"')
                lines.last().last() += c;
            else if (text.mid(at + 1, 1) == "\"")
                lines.last().last() += text[++at];
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',') {
            lines.last() << QString();
        } else if (c == '\n') {
            lines << QStringList{QString()};
        } else if (c != '\r') {
            lines.last().last() += c;
        }
    }
    lines.removeLast();
    return lines;
}

QString withoutSpaces(QString text)
{
    return text.remove(QRegularExpression("\\s"));
}

const json& blockOfType(const json& report, const std::string& section, const std::string& type)
{
    for (const json& one : report["sections"])
        if (one["id"] == section)
            for (const json& block : one["blocks"])
                if (block["type"] == type)
                    return block;
    qFatal("no %s in %s", type.c_str(), section.c_str());
}

} // namespace

class TestFormats : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_project = samples::smallProject(m_folder->filePath("sample.cudal1").toStdString());
    }
    void cleanup() { m_project.reset(); }

    void csvHoldsEveryVariantAsStored()
    {
        const auto lines = readCsv(csvOf(must(reportOn(*m_project))));
        const QStringList& names = lines[0];
        const auto rows = m_project->variantRows();
        QCOMPARE(lines.size(), qsizetype(rows->size()) + 1);
        for (const store::VariantRow& row : *rows) {
            const auto found = std::find_if(lines.begin() + 1, lines.end(), [&](const QStringList& line) {
                return line[names.indexOf("variant")] == QString::number(row.id.value);
            });
            QVERIFY(found != lines.end());
            const auto field = [&](const char* name) { return found->value(names.indexOf(name)); };
            QCOMPARE(found->size(), names.size());
            QCOMPARE(field("task"), QString::fromStdString(row.task.value));
            QCOMPARE(field("verdict"), QString::fromUtf8(protocol::toString(row.evaluation->verdict).data()));
            QCOMPARE(field("first_reason"), QString::fromStdString(row.evaluation->firstReason));
            const auto evaluation = m_project->evaluation(row.evaluation->id);
            for (const auto& [name, interval] : {std::pair{"wall", evaluation->speedup.wall.speedup},
                                                 {"event", evaluation->speedup.event.speedup},
                                                 {"gpu_busy", evaluation->speedup.gpuBusy.speedup}}) {
                if (!interval.valid()) {
                    QCOMPARE(field(name), QString());
                    continue;
                }
                QCOMPARE(field(name).toDouble(), interval.estimate); // every digit of it
                QCOMPARE(field((std::string(name) + "_low").c_str()).toDouble(), interval.low);
                QCOMPARE(field((std::string(name) + "_high").c_str()).toDouble(), interval.high);
            }
            QCOMPARE(field("variant_ns").toDouble(), evaluation->speedup.wall.candidate_ns);
            QCOMPARE(field("seed"), QString::number(evaluation->seed));
        }
    }

    void statesSayWhatSpeaksAgainstAGain()
    {
        store::TaskRow row;
        row.state = store::TaskRow::State::Improved;
        row.bestVariant = {1};
        row.best = {2.0, 1.9, 2.1};
        for (const auto& [marks, text] :
             {std::pair{"", "improved"}, {"*", "other precision"}, {"!", "questioned"}, {"*!", "questioned"}}) {
            row.marks = marks;
            QCOMPARE(charts::stateText(row), QString::fromLatin1(text));
        }
    }

    void jsonHoldsTheNumbers()
    {
        const json report = json::parse(jsonOf(must(reportOn(*m_project))).toStdString());
        const charts::ProjectSummary summary = charts::summarise(*m_project->taskRows());
        const json& numbers = blockOfType(report, "numbers", "numbers")["numbers"];
        QCOMPARE(numbers["true_gains"].get<int>(), summary.trueGains);
        QCOMPARE(numbers["correct"].get<int>(), summary.correct);
        QCOMPARE(numbers["geometric_mean"].get<double>(), summary.geometricMean);
        QCOMPARE(numbers["median"].get<double>(), summary.median);
        const json& tasks = blockOfType(report, "tasks", "table")["rows"];
        const auto rows = m_project->taskRows();
        std::size_t tried = 0;
        for (const store::TaskRow& row : *rows) {
            if (row.variants == 0)
                continue;
            ++tried;
            const auto found = std::find_if(tasks.begin(), tasks.end(),
                                            [&](const json& one) { return one["task"] == row.id.value; });
            QVERIFY(found != tasks.end());
            if (row.best.valid()) {
                QCOMPARE((*found)["wall"]["value"].get<double>(), row.best.estimate);
                QCOMPARE((*found)["wall"]["low"].get<double>(), row.best.low);
                QCOMPARE((*found)["wall"]["high"].get<double>(), row.best.high);
            } else {
                QVERIFY((*found)["wall"].is_null());
            }
        }
        QCOMPARE(tasks.size(), tried);
        std::map<std::string, int> counted;
        for (const json& bin : blockOfType(report, "distribution", "drawing")["rows"])
            for (const auto& [key, value] : bin.items())
                if (key != "from" && key != "to")
                    counted[key] += value.get<int>();
        QCOMPARE(counted,
                 (std::map<std::string, int>{
                     {"tasks", 5}, {"level 1", 1}, {"level 2", 2}, {"level 3", 1}, {"no correct variant", 1}}));
        QCOMPARE(report["records"].size(), m_project->variantRows()->size());
        const json& record = report["records"][0];
        for (const char* whole : {"level", "variant", "trials_run", "measured_ms"})
            QVERIFY2(record[whole].is_number_integer(), whole);
        QVERIFY(record["best"].is_boolean() && record["precision_matched"].is_boolean());
        // Reasons and their evidence are there whole.
        QVERIFY(report.dump().find("The values differ at [3, 4]") != std::string::npos &&
                report.dump().find("max error 3.5") != std::string::npos);
    }

    void markdownHoldsTheNumbers()
    {
        const QString text = markdownOf(must(reportOn(*m_project)));
        const QStringList lines = text.split('\n');
        const auto rows = m_project->taskRows();
        for (const store::TaskRow& row : *rows) {
            if (row.variants == 0)
                continue;
            const auto found = std::find_if(lines.begin(), lines.end(), [&](const QString& line) {
                return line.startsWith("| [" + QString::fromStdString(row.id.value) + "](#");
            });
            QVERIFY(found != lines.end());
            QVERIFY2(found->contains(charts::stateText(row)), qPrintable(*found));
            if (row.best.valid())
                QVERIFY2(found->contains(
                             "**" +
                             (charts::comparisonSign(base::compare(row.best)) + " " + charts::speedupText(row.best)) +
                             "** (" + charts::intervalText(row.best)),
                         qPrintable(*found));
        }
        QVERIFY(text.contains("- **Geometric mean**: 1.52×"));
        QVERIFY(text.contains("~~28.0×~~"));
        QVERIFY(text.contains("```diff\n"));
        // Every row of a table has as many cells as its head.
        for (qsizetype at = 1; at < lines.size(); ++at)
            if (lines[at].startsWith("|---")) {
                const auto cells = [](QString line) { return line.remove("\\|").count('|'); };
                for (qsizetype row = at + 1; row < lines.size() && lines[row].startsWith("| "); ++row)
                    QCOMPARE(cells(lines[row]), cells(lines[at]));
            }
    }

    void hostileTextStaysTextInMarkdown()
    {
        store::VariantRecord variant = store::samples::variant("x = '```'\n````\n# end", "1/12");
        variant.origin = "| a | <b> [x](y) ``` * # it's &#39; \"so\"";
        const auto id = m_project->addVariant(variant);
        QVERIFY(m_project->addEvaluation(*id, samples::detail::timed(9, 9, 0.01)).ok());
        const QString text = markdownOf(must(reportOn(*m_project, ReportScope::ofTask({"1/12"}))));
        QVERIFY(text.contains("\\| a \\| &lt;b> \\[x\\](y) \\`\\`\\` \\* \\# it's &amp;\\#39; \"so\""));
        QVERIFY(text.contains("`````python\nx = '```'\n````\n# end\n`````\n"));
    }

    void pdfHoldsTheNumbers()
    {
        const Document document = must(reportOn(*m_project));
        const auto paged = pages::layOut(document);
        const tests::PdfText pdf(pages::pdfOf(paged));
        QCOMPARE(pdf.pages(), int(paged.sheets.size()));
        QVERIFY(pdf.pages() >= 6); // five tasks that begin on pages of their own
        QCOMPARE(pdf.images(), 0); // charts are vectors
        const auto has = [&](const QString& words) { return pdf.text().contains(withoutSpaces(words)); };
        QVERIFY2(has("Speed-ups of sample.cudal1"), qPrintable(pdf.text().left(600)));
        const auto rows = m_project->taskRows();
        for (const store::TaskRow& row : *rows) {
            if (!row.best.valid())
                continue;
            QVERIFY2(has(charts::comparisonSign(base::compare(row.best)) + charts::speedupText(row.best) +
                         charts::intervalText(row.best)),
                     qPrintable(QString::fromStdString(row.id.value)));
        }
        QVERIFY(has("2 of 5 tasks"));
        QVERIFY(has("1.52×"));
        QVERIFY(has("5 tried tasks, 1 without a correct variant. A task counts as 1× where no variant is correct"));
        QVERIFY2(has("The values differ at [3, 4]"),
                 qPrintable(pdf.text().mid(pdf.text().indexOf("Novariantiscorrect"), 600)));
        QVERIFY(has("max error 3.5"));
        QVERIFY(has("+ class ModelNew: # broadcast")); // the difference from the reference
        QVERIFY(has(QStringLiteral("1 / %1").arg(pdf.pages())));
    }

    void nothingLeavesThePage()
    {
        // A name of one word that is wider than paper, a table of long cells, code of long lines.
        store::TaskRecord task = store::samples::task("2/99");
        task.level = 2;
        task.name = std::string(400, 'W');
        task.source = "x = '" + std::string(700, 'y') + "'\n";
        QVERIFY(m_project->putTask(task).ok());
        protocol::Evaluation failed = store::samples::failure(protocol::Verdict::Crashed, std::string(3000, 'z'),
                                                              protocol::Precision::Kernelbench);
        failed.reasons[0].evidence = std::string(5000, '\n') + "last";
        samples::detail::add(*m_project, "2/99", std::string(500, 'q') + "\n\tx", "t", failed);
        const auto paged = pages::layOut(must(reportOn(*m_project)));
        for (const pages::Sheet& sheet : paged.sheets) {
            for (const pages::TextPiece& piece : sheet.texts) {
                QVERIFY2(piece.baseline.x() >= pages::leftEdge - 1 &&
                             piece.baseline.x() + pages::widthOf(piece.text, piece.style) <= pages::rightEdge + 30,
                         qPrintable(piece.text));
                QVERIFY(piece.baseline.y() > pages::topEdge - 1 && piece.baseline.y() < pages::bottomEdge + 60);
            }
            for (const pages::BoxPiece& box : sheet.boxes)
                QVERIFY(box.box.top() >= pages::topEdge - 1 && box.box.bottom() <= pages::bottomEdge + 60);
        }
    }

    void columnsOfTicksAreAsNarrowAsTheirTitles()
    {
        const auto tick = [](bool on) { return textCell(on ? QStringLiteral("✓") : QStringLiteral("✗")); };
        for (const QString& sentence :
             {QStringLiteral("short"),
              QStringLiteral("a sentence that wants more than a line of the page ").repeated(4)}) {
            const Table table{{},
                              {},
                              {{"a", "cuda graph"}, {"b", "cudnn benchmark"}, {"c", "Verdict"}, {"d", "Bottleneck"}},
                              {{tick(true), tick(false), textCell(QStringLiteral("correct")), textCell(sentence)},
                               {tick(false), tick(true), textCell(QStringLiteral("correct")), textCell(sentence)}}};
            const double width = pages::rightEdge - pages::leftEdge;
            const pages::TableLook look = pages::lookOf(table, width);
            QVERIFY(qAbs(std::accumulate(look.widths.begin(), look.widths.end(), 0.0) - width) <
                    1); // the page is filled
            for (const auto& [at, word] : {std::pair{0, "graph"}, {1, "benchmark"}}) {
                const double inside = look.widths[std::size_t(at)] - pages::cellGap;
                QVERIFY(inside < pages::widthOf(QLatin1String(word), look.strong) + 30);
                QCOMPARE(pages::wrapped(table.columns[std::size_t(at)].title, look.strong, inside),
                         table.columns[std::size_t(at)].title.split(u' '));
            }
        }
    }

    void headingsStayWithTheirPictures()
    {
        const Document document = must(reportOn(*m_project));
        const auto paged = pages::layOut(document);
        int found = 0;
        for (const Section& section : document.sections)
            for (std::size_t at = 0; at + 1 < section.blocks.size(); ++at) {
                const auto* heading = std::get_if<Heading>(&section.blocks[at]);
                if (!heading || !std::holds_alternative<Figure>(section.blocks[at + 1]))
                    continue;
                for (const pages::Sheet& sheet : paged.sheets)
                    for (const pages::TextPiece& piece : sheet.texts)
                        if (piece.text == heading->text && piece.style == pages::Style::Subheading) {
                            ++found;
                            QVERIFY2(std::any_of(sheet.pictures.begin(), sheet.pictures.end(),
                                                 [&](const pages::PicturePiece& picture) {
                                                     return picture.box.top() > piece.baseline.y();
                                                 }),
                                     qPrintable(heading->text));
                        }
            }
        QVERIFY(found >= 4); // charts of the project: more than one page of them
    }

    void levelsByHand()
    {
        // smallProject: level 1 has 4 and a failure, level 2 has 1 and 0.5, level 3 has 2.
        ReportScope scope;
        scope.shape = Template::Paper;
        const json report = json::parse(jsonOf(must(reportOn(*m_project, scope))).toStdString());
        const auto row = [&](const std::string& clock, const std::string& level, const std::string& rule) {
            for (const json& one : report["records"])
                if (one["clock"] == clock && one["level"] == level && one["failures"] == rule)
                    return one;
            return json();
        };
        QCOMPARE(row("wall", "all", "1×")["mean"].get<double>(), 1.7);
        QCOMPARE(row("wall", "all", "0")["mean"].get<double>(), 1.5);
        QCOMPARE(row("wall", "all", "left out")["mean"].get<double>(), 1.875);
        QCOMPARE(row("wall", "all", "left out")["max"].get<double>(), 4.0);
        QCOMPARE(row("wall", "all", "1×")["p75"].get<double>(), 2.0); // of 0.5 1 1 2 4
        QCOMPARE(row("wall", "all", "1×")["success"].get<int>(), 4);
        QCOMPARE(row("wall", "all", "1×")["above"].get<int>(), 2);
        QCOMPARE(row("wall", "all", "1×")["tasks"].get<int>(), 5);
        QCOMPARE(row("wall", "level 2", "1×")["mean"].get<double>(), 0.75);
        QCOMPARE(row("wall", "level 1", "0")["median"].get<double>(), 2.0);
        QCOMPARE(row("event", "level 3", "1×")["max"].get<double>(), 28.0);
        QVERIFY(levelLines({}, FailureRule::One).empty());
        const auto csv = readCsv(csvOf(must(reportOn(*m_project, scope))));
        QCOMPARE(csv.size(), qsizetype(report["records"].size()) + 1);
    }

    void aRunIsItsVariantsAlone()
    {
        store::RunRecord run;
        run.kind = "optimize";
        run.task = {"1/12"};
        run.parameters = "{\"rounds\":3}";
        const auto id = m_project->startRun(run);
        QVERIFY(id.ok());
        store::VariantRecord variant = store::samples::variant("class ModelNew: # of the run", "1/12");
        variant.run = *id;
        const auto own = m_project->addVariant(variant);
        QVERIFY(m_project->addEvaluation(*own, samples::detail::timed(1.5, 1.5, 0.01)).ok());
        ReportScope scope;
        scope.kind = ReportScope::Kind::Run;
        scope.run = *id;
        const json report = json::parse(jsonOf(must(reportOn(*m_project, scope))).toStdString());
        QCOMPARE(report["records"].size(), std::size_t(1));
        QCOMPARE(report["records"][0]["variant"].get<std::int64_t>(), own->value);
        QCOMPARE(blockOfType(report, "tasks", "table")["rows"][0]["wall"]["value"].get<double>(),
                 1.5); // not the 4 of another run
        QCOMPARE(blockOfType(report, "run", "facts")["facts"]["kind"].get<std::string>(), std::string("optimize"));
        // Nor what was found at another precision later, which may be what counts in the project.
        protocol::Evaluation later = samples::detail::timed(7, 7, 0.01);
        later.precision.mode = protocol::Precision::Ieee;
        QVERIFY(m_project->addEvaluation(*own, later).ok());
        const auto choose = qScopeGuard([] { store::Project::countAt({}); });
        store::Project::countAt(protocol::Precision::Ieee);
        QVERIFY(m_project->countedPrecision()->counts == protocol::Precision::Ieee);
        const json again = json::parse(jsonOf(must(reportOn(*m_project, scope))).toStdString());
        QCOMPARE(blockOfType(again, "tasks", "table")["rows"][0]["wall"]["value"].get<double>(), 1.5);
        QCOMPARE(m_project->runResults(*id)->at(0).wall.estimate, 1.5);
        scope.run = {99};
        QVERIFY(reportOn(*m_project, scope).error().code == base::ErrorCode::NotFound);
    }

    void everyClaimOfAVariantIsThere()
    {
        store::ImportRow row;
        row.task = store::samples::task("1/12");
        row.variant = store::samples::variant("class ModelNew: # published", "1/12");
        row.claim.source = "cuda-l1: a100.json";
        row.claim.key = "1/12";
        row.claim.speedup = 6.5;
        row.claim.details = R"({"score_cuda_graph": 2.5})";
        store::ImportRow other = row, without = row;
        other.claim.source = without.claim.source = "cuda-l1: h100.json";
        other.claim.speedup = 3.5;
        without.claim.key = "1/12#2";
        without.variant.reset();
        QVERIFY(m_project->importRows({row, other, without}).ok());
        const json report = json::parse(jsonOf(must(reportOn(*m_project))).toStdString());
        const json& rows = blockOfType(report, "published", "table")["rows"];
        QCOMPARE(rows.size(), std::size_t(3));
        QVERIFY2(rows[0]["device"] == "A100" && rows[0]["claimed"] == 6.5 && rows[1]["device"] == "H100" &&
                     rows[1]["claimed"] == 3.5 && rows[0]["variant"] == rows[1]["variant"],
                 rows.dump().c_str());
        QVERIFY2(rows[0]["others"] == "2.50× CUDA graph" && rows[2]["verdict"] == "no code", rows.dump().c_str());
    }

    void claimsHaveATemplateWithTheCodeBeforeAndAfter()
    {
        ReportScope scope;
        scope.shape = Template::Claims;
        QVERIFY(reportOn(*m_project, scope).error().code == base::ErrorCode::NotFound); // none yet
        store::ImportRow row;
        row.task = store::samples::task("1/12");
        row.claim.source = "cuda-l1: a100.json";
        for (int i = 0; i < 12; ++i) {
            row.task = store::samples::task("1/" + std::to_string(30 + i));
            row.variant = store::samples::variant("class ModelNew: # published " + std::to_string(i),
                                                  row.task.id.value);
            row.claim.key = row.task.id.value;
            row.claim.speedup = 2 + i;
            QVERIFY(m_project->importRows({row}).ok());
        }
        const json report = json::parse(jsonOf(must(reportOn(*m_project, scope))).toStdString());
        std::vector<std::string> galleries;
        json highest, levels;
        for (const json& section : report["sections"]) {
            if (section["id"].get<std::string>().starts_with("before-"))
                galleries.push_back(section["title"].get<std::string>());
            for (const json& block : section["blocks"]) {
                if (block.value("id", "") == "claimed-highest")
                    highest = block["rows"];
                if (block.value("id", "") == "claimed-levels")
                    levels = block["rows"];
            }
        }
        QCOMPARE(galleries.size(), std::size_t(10)); // of twelve
        QVERIFY2(galleries.front().starts_with("1/41 ") && galleries.front().ends_with("before and after"),
                 galleries.front().c_str());
        QVERIFY2(highest.size() == 10 && highest[0]["task"] == "1/41" && highest[0]["claimed"] == 13.0,
                 highest.dump().c_str());
        QVERIFY2(levels.size() == 1 && levels[0]["rows"] == 12 && levels[0]["max"] == 13.0 && levels[0]["mean"] == 7.5,
                 levels.dump().c_str());
        const QString page = htmlOf(must(reportOn(*m_project, scope)));
        QVERIFY(page.contains(QStringLiteral("published 11")) && !page.contains(QStringLiteral("published 1<")));
        scope.kind = ReportScope::Kind::Task;
        scope.task = {"1/41"};
        QVERIFY(reportOn(*m_project, scope).error().code == base::ErrorCode::InvalidArgument);
    }

    void aComparisonSaysWhichIsFaster()
    {
        const auto rows = m_project->variantRows({"1/12"});
        ReportScope scope;
        scope.kind = ReportScope::Kind::Comparison;
        scope.variants = {(*rows)[1].id, (*rows)[0].id}; // 1.25 against 4
        const json report = json::parse(jsonOf(must(reportOn(*m_project, scope))).toStdString());
        json versus;
        for (const json& section : report["sections"])
            for (const json& block : section["blocks"])
                if (block.value("id", "") == "versus")
                    versus = block["rows"];
        QCOMPARE(versus.size(), std::size_t(1));
        QCOMPARE(versus[0]["other"].get<std::int64_t>(), (*rows)[0].id.value);
        const auto expected = base::ratioOf((*rows)[1].evaluation->wall, (*rows)[0].evaluation->wall);
        QCOMPARE(versus[0]["wall"]["value"].get<double>(), expected.estimate);
        QCOMPARE(versus[0]["wall"]["low"].get<double>(), expected.low);
        QVERIFY(report.dump().find("variant 1 → variant") != std::string::npos ||
                report.dump().find("variant 2 → variant") != std::string::npos);
        scope.variants = {(*rows)[0].id};
        QVERIFY(reportOn(*m_project, scope).error().code == base::ErrorCode::InvalidArgument);
        scope.variants = {(*rows)[0].id, m_project->variantRows({"2/40"})->front().id};
        QVERIFY(reportOn(*m_project, scope).error().code == base::ErrorCode::InvalidArgument);
    }

    void cancelEnds()
    {
        ReportScope scope;
        int asked = 0;
        scope.progress = [&asked](double) { return ++asked < 2; };
        QVERIFY(reportOn(*m_project, scope).error().code == base::ErrorCode::Cancelled);
        QCOMPARE(asked, 2);
    }

    void everyTemplateOfEveryScopeIsWritten()
    {
        for (const Template shape : {Template::Full, Template::Summary, Template::Paper}) {
            for (const bool single : {false, true}) {
                ReportScope scope = single ? ReportScope::ofTask({"1/12"}) : ReportScope();
                scope.shape = shape;
                const Document document = must(reportOn(*m_project, scope));
                const QString html = htmlOf(document), markdown = markdownOf(document);
                const QString first = single ? "4.00×" : "0.50×";
                QVERIFY(html.contains(first) && markdown.contains(first));
                QCOMPARE(html.contains("class ModelNew: # broadcast"), shape == Template::Full);
                QVERIFY(!pages::pdfOf(pages::layOut(document)).isEmpty());
            }
        }
    }

    void theSummaryOfAProjectIsShort()
    {
        ReportScope scope;
        scope.shape = Template::Summary;
        const Document summary = must(reportOn(*m_project, scope));
        const auto has = [](const Document& document, const char* id) {
            return std::any_of(document.sections.begin(), document.sections.end(),
                               [id](const Section& section) { return section.id == QLatin1String(id); });
        };
        for (const char* id : {"distribution", "tasks", "verdicts", "left-out", "method"})
            QVERIFY2(has(summary, id), id);
        const Document full = must(reportOn(*m_project, ReportScope()));
        QVERIFY(!has(full, "left-out"));
        QVERIFY(2 * pages::layOut(summary).sheets.size() < pages::layOut(full).sheets.size());
        const QString left = markdownOf(summary).section(QStringLiteral("## What is left out"), 1).section(u'\n', 0, 3);
        QVERIFY2(left.contains(QStringLiteral("variants with their code and all verdicts")), qPrintable(left));
        ReportScope one = ReportScope::ofTask({"1/12"});
        one.shape = Template::Summary;
        QVERIFY(!has(must(reportOn(*m_project, one)), "left-out"));
    }

    void literals_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const QByteArray text : {"", "plain", "a\\nb", "'''", "ends with '", "ends with \\", "\"\"\" and '''",
                                      "r'''x''' \\", "tab\tand\nline", "\r\n\\x00"})
            QTest::newRow(text.toPercentEncoding().constData()) << text;
        QTest::newRow("zero byte") << QByteArray("a\0b", 3);
    }
    void literals()
    {
        QFETCH(QByteArray, text);
        const QString python = QStringLiteral(CUDAL1_PYTHON);
        if (python.isEmpty())
            QSKIP("no Python is configured");
        QProcess process;
        process.start(python, {"-c", QString::fromStdString("import sys\nsys.stdout.buffer.write(" +
                                                            pythonLiteral(text.toStdString()) + ".encode())")});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.readAllStandardError(), QByteArray());
        QCOMPARE(process.readAllStandardOutput(), text);
    }

    void reproducerRuns_data()
    {
        QTest::addColumn<QByteArray>("forward");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("right") << QByteArray("return x.clamp_min(0) * 2") << 0 << QByteArray("speed-up ");
        QTest::newRow("wrong") << QByteArray("return x.clamp_min(0)") << 1 << QByteArray("wrong: relative error");
        QTest::newRow("changes its input")
            << QByteArray("return x.clamp_(min=0) * 2") << 1 << QByteArray("the inputs were changed");
    }
    void reproducerRuns()
    {
        QFETCH(QByteArray, forward);
        QFETCH(int, status);
        QFETCH(QByteArray, says);
        const QString python = QStringLiteral(CUDAL1_PYTHON);
        if (python.isEmpty())
            QSKIP("no Python is configured");
        store::TaskRecord task = store::samples::task("1/77", "7777");
        task.source = "import torch\nimport torch.nn as nn\n\nclass Model(nn.Module):\n    def __init__(self, "
                      "factor):\n        super().__init__()\n        self.factor = factor\n\n"
                      "    def forward(self, x):\n        return torch.relu(x) * self.factor\n\ndef get_inputs():\n    "
                      "return [torch.randn(64, 64)]\n\ndef get_init_inputs():\n    return [2]\n";
        QVERIFY(m_project->putTask(task).ok());
        store::VariantRecord variant = store::samples::variant(
            "import torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    '''Quotes and \\\\ in it.'''\n    def "
            "__init__(self, factor):\n        super().__init__()\n\n"
            "    def forward(self, x):\n        " +
                forward.toStdString() + "\n",
            "1/77");
        variant.taskHash = task.hash;
        const auto id = m_project->addVariant(variant);
        protocol::Evaluation judged = samples::detail::timed(1.25, 1.25, 0.01);
        judged.device.name = "cpu";
        judged.device.model = "Some CPU\nimport nothing";
        QVERIFY(m_project->addEvaluation(*id, judged).ok());
        const auto program = reproducerOf(*m_project, *id);
        QVERIFY(program.ok());
        QVERIFY(program->find("# Speed-up by the wall clock: 1.25×") != std::string::npos);
        QFile file(m_folder->filePath("x.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(*program));
        file.close();
        QProcess process;
        process.start(python, {file.fileName(), "--device", "cpu", "--seeds", "2", "--pairs", "3"});
        QVERIFY(process.waitForFinished(120'000));
        const QByteArray out = process.readAllStandardOutput(), errors = process.readAllStandardError();
        if (errors.contains("No module named 'torch'"))
            QSKIP("the configured Python has no torch");
        QVERIFY2(process.exitCode() == status, out + errors);
        QVERIFY2(out.contains(says), out + errors);
        if (status == 0)
            QVERIFY2(out.contains("seed 2: equal") && out.contains("(") && out.contains("3 pairs"), out);
    }

    void reproducerOfNothing()
    {
        QVERIFY(reproducerOf(*m_project, {999}).error().code == base::ErrorCode::NotFound);
        store::TaskRecord changed = store::samples::task("1/12", "other");
        changed.level = 1;
        const base::VariantId old = m_project->variantRows({"1/12"})->front().id;
        QVERIFY(m_project->putTask(changed).ok());
        QVERIFY(reproducerOf(*m_project, old).error().code == base::ErrorCode::InvalidArgument);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
};

// Fonts need an application with a display, and QTEST_MAIN makes none here (cudal1_use_qt_test).
int main(int argc, char** argv)
{
    const QGuiApplication application(argc, argv);
    TestFormats test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_formats.moc"
