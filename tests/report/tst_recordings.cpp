// SPDX-License-Identifier: GPL-3.0-or-later
// Charts, ablations and timelines in reports: the same numbers as in the store, and every picture a document of its
// own.
#include "tests/report/sampleproject.h"

#include "core/ablation/ablation.h"
#include "core/ablation/findingstext.h"
#include "core/ablation/measured.h"
#include "core/charts/numbertext.h"
#include "core/report/report.h"
#include "core/timeline/model.h"
#include "tests/timeline/timelinesamples.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

using namespace cudal1;
using nlohmann::json;
using report::ReportScope;

class TestRecordings : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_project.reset();
        m_folder = std::make_unique<QTemporaryDir>();
        m_project = report::samples::smallProject((m_folder->path() + "/p.cudal1").toStdString());
        m_variant = m_project->variantRows({"3/41"})->front().id;
    }

    void csvOfAnAblationHasTogglesAndEffects()
    {
        const auto record = twoToggles();
        QVERIFY(record.ok());
        for (const store::AblationRow& row : record->rows)
            judge(row, m_settings);
        // Measured again in another way, it counts no more than in the table.
        ablation::AblationSettings other = m_settings;
        other.preset = protocol::Preset::Standard;
        judge({1, record->rows.front().variant}, other);
        ReportScope scope;
        scope.kind = ReportScope::Kind::Ablation;
        scope.ablation = record->id;
        for (const report::Template shape : {report::Template::Full, report::Template::Paper}) {
            scope.shape = shape;
            const auto document = report::reportOn(*m_project, scope);
            QVERIFY(document.ok());
            auto rows = csvRows(*document);
            // 4 combinations; by each clock 2 effects, 1 interaction, 2 Shapley values.
            QCOMPARE(rows.size(), std::size_t(4 + 2 * 5));
            QCOMPARE(rows[0].contains("first_reason"), shape == report::Template::Full);
            for (int i = 0; i < 4; ++i) {
                QCOMPARE(rows[i]["kind"], QStringLiteral("combination"));
                QCOMPARE(rows[i]["wall"].toDouble(),
                         (rows[i]["USE_A"] == "1" ? 2.0 : 1.0) * (rows[i]["USE_B"] == "1" ? 3.0 : 1.0));
                QVERIFY(!rows[i]["wall_low"].isEmpty() && rows[i]["factor"].isEmpty());
                QVERIFY(!rows[i]["variant"].isEmpty());
            }
            QCOMPARE(rows[0]["wall"].toDouble(), 6.0); // fastest first, as on the page
            QCOMPARE(rows[3]["USE_A"] + rows[3]["USE_B"], QStringLiteral("00"));
            const auto effect = [&](const char* kind, const char* clock, const char* a,
                                    const char* b) -> std::map<QString, QString> {
                for (auto& row : rows)
                    if (row["kind"] == kind && row["clock"] == clock && row["USE_A"] == a && row["USE_B"] == b)
                        return row;
                return {};
            };
            for (const char* clock : {"wall", "event"}) {
                QVERIFY(qAbs(effect("effect", clock, "1", "")["factor"].toDouble() - 2) < 1e-9);
                QVERIFY(qAbs(effect("interaction", clock, "1", "1")["factor"].toDouble() - 1) < 1e-9);
                auto shapley = effect("shapley", clock, "", "1");
                QVERIFY(qAbs(shapley["factor"].toDouble() - 3) < 1e-9);
                QVERIFY(shapley["factor_low"].toDouble() < 3 && shapley["factor_high"].toDouble() > 3);
                QVERIFY(shapley["wall"].isEmpty());
            }
        }
    }

    void aCombinationThatWaitsHasItsToggles()
    {
        const auto record = twoToggles();
        QVERIFY(record.ok());
        for (const store::AblationRow& row : record->rows)
            if (row.on != 2)
                judge(row, m_settings);
        ReportScope scope;
        scope.kind = ReportScope::Kind::Ablation;
        scope.ablation = record->id;
        auto rows = csvRows(*report::reportOn(*m_project, scope));
        QCOMPARE(rows[3]["verdict"], QStringLiteral("not_judged"));
        QCOMPARE(rows[3]["USE_A"] + rows[3]["USE_B"], QStringLiteral("01"));
        QVERIFY(
            std::ranges::none_of(rows, [](auto& row) { return row["kind"] == "shapley"; })); // not all were measured
    }

    void anAblationHasItsCombinationsAndEffects()
    {
        store::VariantRecord variant = *m_project->variant(m_variant);
        variant.id = {};
        variant.source = "USE_A = True\nUSE_B = True\nclass ModelNew: pass\n";
        const base::VariantId base = *m_project->addVariant(variant);
        const auto plan = ablation::planFor(*m_project, base, {}, ablation::Design::Full);
        QVERIFY(plan.ok());
        const auto record = ablation::prepare(*m_project, *plan, m_settings);
        QVERIFY(record.ok());
        for (const store::AblationRow& row : record->rows)
            judge(row, m_settings);
        ReportScope scope;
        scope.kind = ReportScope::Kind::Ablation;
        scope.ablation = record->id;
        const auto document = report::reportOn(*m_project, scope);
        QVERIFY2(document.ok(), document.ok() ? "" : document.error().text().c_str());
        QCOMPARE(document->scope, QStringLiteral("ablation %1").arg(record->id.value));
        const json table = block(json::parse(report::jsonOf(*document)),
                                 "ablation-" + std::to_string(record->id.value) + "-table");
        QCOMPARE(table["rows"].size(), std::size_t(4));
        QCOMPARE(table["rows"][0]["wall"]["value"].get<double>(), 6.0); // fastest first
        QCOMPARE(table["rows"][0]["USE_A"].get<double>(), 1.0);
        QCOMPARE(table["rows"][3]["wall"]["value"].get<double>(), 1.0);
        const json effects = block(json::parse(report::jsonOf(*document)),
                                   "ablation-" + std::to_string(record->id.value) + "-effects");
        QVERIFY(qAbs(effects["rows"][0]["effect_wall"]["value"].get<double>() - 2) < 1e-9);
        QVERIFY(qAbs(effects["rows"][1]["shapley_wall"]["value"].get<double>() - 3) < 1e-9);
        QVERIFY(qAbs(effects["rows"][2]["effect_wall"]["value"].get<double>() - 1) < 1e-9);
        everyFormat(*document);

        // The plot says the same: a row for each effect with its factor, and the sentence of each as a tool tip.
        QStringList words, sentences;
        QXmlStreamReader svg(drawingOf(*document, QStringLiteral("ablation-%1-plot").arg(record->id.value)));
        for (bool title = false; !svg.atEnd();) {
            svg.readNext();
            if (svg.isStartElement() || svg.isEndElement())
                title = svg.isStartElement() && svg.name() == QLatin1String("title");
            else if (svg.isCharacters())
                (title ? sentences : words) << svg.text().toString();
        }
        QVERIFY(!svg.hasError());
        const auto row = [&](const char* name) { return words.count(QString::fromUtf8(name)); };
        QCOMPARE(row("a"), 2); // its effect and its Shapley value
        QCOMPARE(row("b"), 2);
        QCOMPARE(row("a + b"), 1);
        QCOMPARE(row("2.00×"), 2); // both of A
        QCOMPARE(row("3.00×"), 2);
        QCOMPARE(row("1.00×"), 1); // no interaction
        const ablation::Effects facts = ablation::effectsOf(
            2, ablation::measuredOf(*ablation::rowsOf(*m_project, *plan, m_settings), ablation::EffectClock::Wall));
        for (const ablation::Effect& effect : facts.mains)
            QVERIFY2(sentences.join(' ').contains(QString::fromStdString(ablation::mainText(plan->names(), effect))),
                     qPrintable(sentences.join('\n')));
        QVERIFY(sentences.join(' ').contains(
            QString::fromStdString(ablation::interactionText(plan->names(), facts.interactions.front()))));
        QVERIFY(sentences.join(' ').contains("By events: 3.00×"));

        // Below stands in words what the page and the command say, in every format.
        const auto found = ablation::findingsOf(plan->names(), *ablation::rowsOf(*m_project, *plan, m_settings), facts,
                                                {});
        QVERIFY(found.size() == 2 && found[0].sentences.size() == 3 && found[1].sentences.size() == 2);
        const json written = json::parse(report::jsonOf(*document));
        const QString html = report::htmlOf(*document), markdown = report::markdownOf(*document);
        for (const ablation::Topic& topic : found) {
            QVERIFY(has(written, {{"type", "heading"}, {"text", topic.title}, {"aside", ""}}) &&
                    markdown.contains("### " + QString::fromStdString(topic.title)));
            for (const std::string& sentence : topic.sentences)
                QVERIFY2(has(written, {{"type", "paragraph"}, {"text", sentence}}) &&
                             html.contains("<p>" + charts::escaped(sentence) + "</p>") &&
                             markdown.contains(QString::fromStdString(sentence)),
                         sentence.c_str());
        }

        scope.ablation.value += 1;
        QCOMPARE(report::reportOn(*m_project, scope).error().code, base::ErrorCode::NotFound);
    }

    void aTaskShowsTheRecordingOfItsBestVariant()
    {
        const auto id = m_project->addTimeline({"3/41"}, m_variant, timeline::samples::answer());
        QVERIFY(id.ok());
        const auto document = report::reportOn(*m_project, ReportScope::ofTask({"3/41"}));
        QVERIFY(document.ok());
        const json drawing = block(json::parse(report::jsonOf(*document)),
                                   "timeline-" + std::to_string(id->value) + "-table");
        const auto model = timeline::modelOf(timeline::samples::answer().reference);
        double events = 0;
        for (const json& row : drawing["rows"])
            if (row["side"] == "reference")
                events += row["events"].get<double>();
        QCOMPARE(events * double(model->windows.size()), double(model->size())); // they are of one call
        everyFormat(*document);
    }

    void kernelsOfWhatIsShownHaveASection()
    {
        protocol::Counters counters;
        counters.source = protocol::CounterSource::Cupti;
        counters.tool = "CUPTI 13.0";
        counters.device.model = "NVIDIA H200";
        counters.device.capability = "9.0";
        counters.device.processors = 132;
        protocol::KernelCounters kernel{"gemm(int)", {{2112, 1, 1}, {256, 1, 1}, 32, 0, 0}, 1, 200'000, 0, {}};
        kernel.measured.emplace();
        kernel.measured->duration_ns = 200'000;
        kernel.measured->dram_bytes = 480e6;
        kernel.measured->fp32_ops = 9.6e9;
        kernel.measured->dramUse = 0.75;
        counters.reference = {250'000, {kernel}, {}};
        kernel.name = "fused(int)";
        kernel.time_ns = 50'000;
        counters.candidate = protocol::CounterSide{60'000, {kernel}, {}};
        QVERIFY(m_project->putCounters({"3/41"}, m_variant, counters).ok());
        const auto document = report::reportOn(*m_project, ReportScope::ofTask({"3/41"}));
        QVERIFY2(document.ok(), document ? "" : document.error().text().c_str());
        const json written = json::parse(report::jsonOf(*document));
        const std::string id = std::to_string(m_variant.value);
        const json kernels = block(written, "kernels-" + id)["rows"],
                   changes = block(written, "kernel-changes-" + id)["rows"];
        QCOMPARE(kernels.size(), std::size_t(2));
        QCOMPARE(kernels[0]["kernel"].get<std::string>(), std::string("gemm"));
        QCOMPARE(kernels[0]["dram_use"].get<double>(), 0.75);
        QVERIFY(kernels[0]["tensor_use"].is_null());
        QCOMPARE(kernels[1]["held_up_by"].get<std::string>(), std::string("75 % of DRAM's bandwidth"));
        QCOMPARE(changes.size(), std::size_t(3)); // gemm, fused, and the host
        QCOMPARE(changes[0]["reference_ns"].get<double>(), 200'000.0);
        QCOMPARE(changes[1]["difference_ns"].get<double>(), 50'000.0);
        QVERIFY(report::htmlOf(*document).contains(QStringLiteral("FP32 67 TFLOP/s"))); // a roof of the picture
        QVERIFY(report::markdownOf(*document).contains(QStringLiteral("| gemm | 200")));
        QVERIFY2(report::markdownOf(*document).contains(QStringLiteral("| -200")), "a difference below 0 is told");
        everyFormat(*document);
    }

    void kernelsSideBySideLeaveNothingOfTheCall()
    {
        protocol::Counters counters;
        counters.device.model = "NVIDIA H100"; // on which nothing was judged: calls are as recorded
        counters.source = protocol::CounterSource::Cupti;
        protocol::KernelCounters kernel{"gemm(int)", {{2112, 1, 1}, {256, 1, 1}, 32, 0, 0}, 2, 200'000, 0, {}};
        counters.reference = {250'000, {kernel}, {}};
        counters.candidate = protocol::CounterSide{110'000, {kernel}, {}};
        QVERIFY(m_project->putCounters({"3/41"}, m_variant, counters).ok());
        const auto document = report::reportOn(*m_project, ReportScope::ofTask({"3/41"}));
        QVERIFY2(document.ok(), document ? "" : document.error().text().c_str());
        const json rest = block(json::parse(report::jsonOf(*document)),
                                "kernel-changes-" + std::to_string(m_variant.value))["rows"]
                              .back();
        QCOMPARE(rest["kernel"].get<std::string>(), std::string("(host, copies and gaps)"));
        QCOMPARE(rest["reference_ns"].get<double>(), 50'000.0);
        QCOMPARE(rest["variant_ns"].get<double>(), 0.0); // and not left empty
        QVERIFY(report::markdownOf(*document).contains(QStringLiteral("it is 0 where kernels run side by side")));
        everyFormat(*document);
    }

    /// Bars of a timeline are seen on their ground: 3 to 1 by WCAG, light and dark.
    void barsOfTimelinesAreSeen()
    {
        const auto document = report::reportOn(*m_project);
        QVERIFY(document.ok());
        const auto luminance = [](const QString& hex) {
            const auto linear = [&](int at) {
                const double c = hex.mid(at, 2).toInt(nullptr, 16) / 255.0;
                return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
            };
            return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
        };
        const auto check = [&](const QString& ground, const QString& bar) {
            const double a = luminance(ground) + 0.05, b = luminance(bar) + 0.05;
            QVERIFY2(std::max(a, b) / std::min(a, b) >= 3, qPrintable(bar + " on " + ground));
        };
        const QString page = report::htmlOf(*document);
        static const QRegularExpression colour("--(ground|g[0-9]): (#[0-9a-f]{6})");
        QString ground;
        int bars = 0;
        for (auto it = colour.globalMatch(page); it.hasNext();) {
            const auto found = it.next();
            if (found.captured(1) == "ground")
                ground = found.captured(2);
            else
                check(ground, found.captured(2)), ++bars;
        }
        QCOMPARE(bars, 8); // four in each of two themes
    }

    void aProjectHasItsCharts()
    {
        const auto document = report::reportOn(*m_project);
        QVERIFY(document.ok());
        const json fastp = block(json::parse(report::jsonOf(*document)), "chart-fastp");
        QVERIFY(!fastp["rows"].empty());
        QVERIFY(!block(json::parse(report::jsonOf(*document)), "chart-techniques")["rows"].empty());
        everyFormat(*document);
    }

private:
    const ablation::AblationSettings m_settings{"cuda:0", "NVIDIA H200", protocol::Precision::Kernelbench,
                                                protocol::Preset::Quick};

    /// All combinations of A and B, to be judged.
    base::Result<store::AblationRecord> twoToggles()
    {
        store::VariantRecord variant = *m_project->variant(m_variant);
        variant.id = {};
        variant.source = "USE_A = True\nUSE_B = True\nclass ModelNew: pass\n";
        const auto plan = ablation::planFor(*m_project, *m_project->addVariant(variant), {}, ablation::Design::Full);
        return plan ? ablation::prepare(*m_project, *plan, m_settings)
                    : base::Result<store::AblationRecord>(plan.error());
    }

    /// A alone 2x, B alone 3x, both 6x: no interaction.
    void judge(const store::AblationRow& row, const ablation::AblationSettings& settings)
    {
        protocol::Evaluation one = store::samples::evaluation(1);
        const double speedup = (row.on & 1U ? 2.0 : 1.0) * (row.on & 2U ? 3.0 : 1.0);
        one.verdict = protocol::Verdict::Correct;
        one.preset = settings.preset;
        one.precision.mode = settings.precision;
        one.device.name = settings.device;
        one.device.model = settings.deviceModel;
        one.speedup.wall = {{speedup, speedup * 0.99, speedup * 1.01}, 6e6, 6e6 / speedup};
        one.speedup.event = one.speedup.wall;
        QVERIFY(m_project->addEvaluation(row.variant, one).ok());
    }

    /// Rows of CSV by column; every row has every column.
    static std::vector<std::map<QString, QString>> csvRows(const report::Document& document)
    {
        const QStringList lines =
            QString::fromUtf8(report::csvOf(document)).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
        const QStringList names = lines.value(0).split(u',');
        std::vector<std::map<QString, QString>> rows;
        for (const QString& line : lines.mid(1)) {
            QStringList fields{QString()};
            bool quoted = false;
            for (const QChar c : line) {
                if (c == u'"')
                    quoted = !quoted; // a quote within a field is not looked at here
                else if (c == u',' && !quoted)
                    fields << QString();
                else
                    fields.last() += c;
            }
            if (fields.size() != names.size())
                qFatal("%lld fields under %lld names", static_cast<long long>(fields.size()),
                       static_cast<long long>(names.size()));
            auto& row = rows.emplace_back();
            for (qsizetype i = 0; i < names.size(); ++i)
                row[names[i]] = fields[i];
        }
        return rows;
    }

    /// The block with this id, wherever it is; null when there is none.
    static json block(const json& report, const std::string& id)
    {
        for (const json& section : report["sections"])
            for (const json& one : section["blocks"])
                if (one.value("id", "") == id)
                    return one;
        return nullptr;
    }

    static bool has(const json& report, const json& wanted)
    {
        for (const json& section : report["sections"])
            for (const json& one : section["blocks"])
                if (one == wanted)
                    return true;
        return false;
    }

    static QString drawingOf(const report::Document& document, const QString& id)
    {
        for (const report::Section& section : document.sections)
            for (const report::Block& one : section.blocks)
                if (const auto* drawing = std::get_if<report::Figure>(&one); drawing && drawing->id == id)
                    return drawing->svg;
        return {};
    }

    static void everyFormat(const report::Document& document)
    {
        QXmlStreamReader reader(report::htmlOf(document));
        while (!reader.atEnd())
            reader.readNext();
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(report::markdownOf(document).contains(document.title));
        int drawings = 0;
        for (const report::Section& section : document.sections)
            for (const report::Block& one : section.blocks)
                if (const auto* drawing = std::get_if<report::Figure>(&one)) {
                    QXmlStreamReader svg(drawing->svg);
                    while (!svg.atEnd())
                        svg.readNext();
                    QVERIFY2(!svg.hasError(), qPrintable(drawing->id + ": " + svg.errorString()));
                    ++drawings;
                }
        QVERIFY(drawings > 0);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<store::Project> m_project;
    base::VariantId m_variant;
};

QTEST_GUILESS_MAIN(TestRecordings)
#include "tst_recordings.moc"
