// SPDX-License-Identifier: GPL-3.0-or-later
// What policies answered: every reply is kept, also equal ones and those without code.
#include "core/store/database.h"
#include "core/store/schema.h"
#include "tests/store/storesamples.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace cudal1;
using namespace cudal1::store;
using base::ErrorCode;

class TestSamples : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath("p.cudal1").toStdString();
        open();
        QVERIFY(m_project->putTask(samples::task()).ok());
        m_variant = *m_project->addVariant(samples::variant("a = 1"));
        RunRecord run;
        run.kind = "optimize";
        run.task = samples::task().id;
        m_run = *m_project->startRun(run);
    }
    void cleanup()
    {
        m_project.reset();
        m_folder.reset();
    }

    void everyFieldComesBack()
    {
        Sample given = of(m_variant, "how? „ünïcode“ 🚀", std::string(20'000, 'r'));
        given.created_ms = 77;
        given.method = "contrastive";
        given.turn = 1;
        given.parent = m_project->addSamples({of(m_variant)})->front();
        given.repair = true;
        given.shown = {m_variant, {77}};
        const auto ids = m_project->addSamples({given});
        QVERIFY2(ids.ok(), ids ? "" : ids.error().text().c_str());
        const Sample kept = *m_project->sample(ids->front());
        QVERIFY(kept.id == ids->front() && kept.run == m_run && kept.variant == m_variant && kept.task == given.task);
        QCOMPARE(kept.policy, given.policy);
        QCOMPARE(kept.policyVersion, given.policyVersion);
        QCOMPARE(kept.settings, given.settings);
        QCOMPARE(kept.group, std::int64_t(2));
        QCOMPARE(kept.method, given.method);
        QVERIFY(kept.turn == 1 && kept.repair && kept.parent == given.parent && kept.shown == given.shown);
        QCOMPARE(kept.round, 2);
        QVERIFY(kept.promptTokens == 812 && kept.replyTokens == 4'000'000'000 && kept.cost == 0.0125 && !kept.reward);
        QCOMPARE(kept.costUnit, std::string("USD"));
        QVERIFY(kept.unusable.empty());
        QCOMPARE(kept.created_ms, std::int64_t(77));
        QCOMPARE(kept.prompt, given.prompt);
        QCOMPARE(kept.reply, given.reply);
        QCOMPARE(m_project->sample({99}).error().code, ErrorCode::NotFound);

        Sample unknown = of(m_variant);
        unknown.promptTokens = unknown.replyTokens = {};
        unknown.cost = {};
        const Sample bare = *m_project->sample(m_project->addSamples({unknown})->front());
        QVERIFY(!bare.promptTokens && !bare.replyTokens && !bare.cost && bare.created_ms > 77);
        QVERIFY(bare.method.empty() && bare.turn == 0 && !bare.parent && !bare.repair && bare.shown.empty());
    }

    void samplesOfATask()
    {
        QVERIFY(m_project->putTask(samples::task("1/1")).ok());
        Sample other = of(*m_project->addVariant(samples::variant("x = 1", "1/1")));
        other.task = {"1/1"};
        QVERIFY(m_project->addSamples({of(m_variant)}).ok() && m_project->addSamples({other}).ok());
        QCOMPARE(m_project->samplesOf({"1/1"})->size(), std::size_t(1));
        QCOMPARE(m_project->samplesOf(samples::task().id)->size(), std::size_t(1));
        QCOMPARE(m_project->samplesOf()->size(), std::size_t(2));
        QVERIFY(m_project->samplesOf({"9/9"})->empty());
    }

    void aParentMustBeThere()
    {
        Sample late = of(m_variant);
        late.parent = {99};
        QCOMPARE(m_project->addSamples({late}).error().code, ErrorCode::NotFound);
        QVERIFY(m_project->samples(m_run)->empty());
    }

    void version8HadNoMethods()
    {
        m_project.reset();
        const std::string eight = m_folder->filePath("eight.cudal1").toStdString();
        {
            Database database(eight, Database::Mode::ReadWrite);
            migrate(database, migrations().first(8));
            QCOMPARE(database.scalar("PRAGMA user_version").toInt(), 8);
            database.run(
                "INSERT INTO tasks (id, name, suite, level, hash, source) VALUES ('1/1', 'Old', 's', 1, 'h', 'text')");
            database.run(
                "INSERT INTO samples (key, task, policy, policy_version, settings, asked_group, round, cost_unit,"
                " reward, unusable, created_ms) VALUES (x'0011', '1/1', 'endpoint: m', '', '', 1, 0, '', 0.5,"
                " 'It is empty.', 7)");
            database.run("INSERT INTO prompts VALUES (1, x'00', ?)", {packed("how?")});
            database.run("INSERT INTO sample_texts VALUES (1, 1, ?)", {packed("so")});
        }
        const auto project = Project::open(eight);
        QVERIFY2(project.ok(), project ? "" : project.error().text().c_str());
        const Sample kept = *(*project)->sample({1});
        QVERIFY(kept.method.empty() && kept.turn == 0 && !kept.parent && !kept.repair && kept.shown.empty());
        QVERIFY(kept.reward == 0.5 && kept.policy == "endpoint: m" && kept.prompt == "how?" && kept.reply == "so");
        // What comes now can follow on it.
        Sample next = kept;
        next.id = {};
        next.parent = {1};
        next.method = "multi-turn";
        next.turn = 1;
        next.group = 0;
        const auto id = (*project)->addSamples({next});
        QVERIFY2(id.ok(), id ? "" : id.error().text().c_str());
        QVERIFY((*project)->sample(id->front())->parent == base::SampleId{1});
        m_path = eight;
        QCOMPARE(number("PRAGMA user_version"), Project::schemaVersion);
    }

    void equalRepliesAreSamplesOfOneVariant()
    {
        const Sample reply = of(m_variant);
        QCOMPARE(m_project->addSamples({reply, reply})->size(), std::size_t(2));
        QCOMPARE(m_project->samples(m_variant)->size(), std::size_t(2));
        QCOMPARE((*m_project->madeBy(m_variant))->id, m_project->samples(m_variant)->front().id);
        const auto other = *m_project->addVariant(samples::variant("b = 1"));
        QVERIFY(m_project->samples(other)->empty() && !*m_project->madeBy(other));
    }

    void aReplyWithoutCodeSaysWhy()
    {
        Sample reply = of({});
        QCOMPARE(m_project->addSamples({reply}).error().code, ErrorCode::InvalidArgument);
        reply.unusable = "It has no block of code.";
        QVERIFY(m_project->addSamples({reply}).ok());
        const auto kept = *m_project->samples(m_run);
        QCOMPARE(kept.size(), std::size_t(1));
        QVERIFY(!kept[0].variant);
        QCOMPARE(kept[0].unusable, reply.unusable);
        QCOMPARE(m_project->sample(kept[0].id)->reply, std::string("so"));
        reply.variant = m_variant;
        QCOMPARE(m_project->addSamples({reply}).error().code, ErrorCode::InvalidArgument);
    }

    void questionsAreGroupsOfTheirRun()
    {
        QVERIFY(m_project->addSamples({})->empty());
        QVERIFY(m_project->addSamples({of(m_variant), of(m_variant)}).ok());
        QVERIFY(m_project->addSamples({of(m_variant, "and now?")}).ok());
        Sample late = of(m_variant);
        late.group = 1;
        QVERIFY(m_project->addSamples({late}).ok());
        Sample outside = of(m_variant);
        outside.run = {};
        QVERIFY(m_project->addSamples({outside}).ok());
        QCOMPARE(m_project->samples(m_run)->size(), std::size_t(4));
        QCOMPARE(m_project->samples(m_run, 1)->size(), std::size_t(3));
        QCOMPARE(m_project->samples(m_run, 2)->size(), std::size_t(1));
        QVERIFY(m_project->samples(m_run, 3)->empty());
        QCOMPARE(m_project->samples(base::RunId())->size(), std::size_t(1));
        QCOMPARE(m_project->samples(base::RunId())->front().group, std::int64_t(1));
        QCOMPARE(number("SELECT count(*) FROM prompts"), 2); // each once
    }

    void oneCallIsOneQuestion()
    {
        Sample other = of(m_variant, "another prompt");
        QCOMPARE(m_project->addSamples({of(m_variant), other}).error().code, ErrorCode::InvalidArgument);
        other = of(m_variant);
        other.group = 5;
        QCOMPARE(m_project->addSamples({of(m_variant), other}).error().code, ErrorCode::InvalidArgument);
        // What is not there stores nothing of the call.
        QCOMPARE(m_project->addSamples({of(m_variant), of({99})}).error().code, ErrorCode::NotFound);
        other = of(m_variant);
        other.run = {99};
        QCOMPARE(m_project->addSamples({other}).error().code, ErrorCode::NotFound);
        other = of(m_variant);
        other.task = {"9/99"};
        QCOMPARE(m_project->addSamples({other}).error().code, ErrorCode::NotFound);
        QVERIFY(m_project->samples(m_run)->empty());
        QCOMPARE(number("SELECT count(*) FROM prompts"), 0);
    }

    void rewardsAreSetTogether()
    {
        const auto ids = *m_project->addSamples({of(m_variant), of(m_variant)});
        QVERIFY(m_project->setRewards({{ids[0], 1.5}, {ids[1], -0.25}}).ok());
        QCOMPARE(m_project->setRewards({{ids[0], 7}, {{99}, 7}}).error().code, ErrorCode::NotFound);
        QCOMPARE(m_project->setRewards({{ids[0], 7}, {ids[1], std::nan("")}}).error().code, ErrorCode::InvalidArgument);
        const auto kept = *m_project->samples(m_run);
        QVERIFY(kept[0].reward == 1.5 && kept[1].reward == -0.25);
    }

    void aSampleOutlivesItsVariant()
    {
        const auto id = m_project->addSamples({of(m_variant)})->front();
        m_project.reset();
        {
            Database database(m_path, Database::Mode::ReadWrite);
            database.run("PRAGMA foreign_keys = ON");
            database.run("DELETE FROM variants");
        }
        open();
        const Sample kept = *m_project->sample(id);
        QVERIFY(!kept.variant && kept.unusable.empty());
        QCOMPARE(kept.reply, std::string("so"));
    }

    void exchangesBecomeSamples()
    {
        // Version 7 had one prompt and reply a variant. Two copies are migrated apart, and one is then taken into the
        // other.
        m_project.reset();
        const std::string copy = m_folder->filePath("copy.cudal1").toStdString(),
                          seven = m_folder->filePath("seven.cudal1").toStdString();
        {
            Database database(seven, Database::Mode::ReadWrite);
            migrate(database, migrations().first(7));
            database.run(
                "INSERT INTO tasks (id, name, suite, level, hash, source) VALUES ('1/1', 'Old', 's', 1, 'h', 'text')");
            database.run("INSERT INTO runs (kind, task, state, message, created_ms, updated_ms, parameters)"
                         " VALUES ('optimize', '1/1', 'finished', '', 1, 2, '{}')");
            const char* prompts[] = {"first", "first", "second"};
            for (int at = 0; at < 4; ++at) {
                const auto variant = database.insert(
                    "INSERT INTO variants (task, task_hash, source_hash, origin, techniques, run, created_ms)"
                    " VALUES ('1/1', 'h', ?, 'technique library', '[]', 1, ?)",
                    {QByteArray(1, char('a' + at)), 100 + at});
                database.run("INSERT INTO variant_texts VALUES (?, ?, '', '', '')",
                             {bound(variant), QString(QChar('a' + at))});
                if (at < 3)
                    database.run("INSERT INTO exchanges VALUES (?, ?, ?)",
                                 {bound(variant), packed(prompts[at]), packed(at == 2 ? "so" : "")});
            }
        }
        QVERIFY(QFile::copy(QString::fromStdString(seven), QString::fromStdString(copy)));
        const auto project = Project::open(seven);
        QVERIFY2(project.ok(), project ? "" : project.error().text().c_str());
        const auto kept = *(*project)->samples(base::RunId{1});
        QCOMPARE(kept.size(), std::size_t(3));
        for (std::size_t at = 0; at < 3; ++at) {
            const Sample sample = *(*project)->sample(kept[at].id);
            QCOMPARE(sample.variant.value, std::int64_t(at + 1));
            QCOMPARE(sample.policy, std::string("technique library"));
            QCOMPARE(sample.task.value, std::string("1/1"));
            QCOMPARE(sample.created_ms, std::int64_t(100 + at));
            QCOMPARE(sample.group, std::int64_t(at < 2 ? 1 : 2));
            QCOMPARE(sample.round, at < 2 ? 0 : 1);
            QCOMPARE(sample.prompt, std::string(at < 2 ? "first" : "second"));
            QCOMPARE(sample.reply, std::string(at < 2 ? "" : "so"));
        }
        QVERIFY(!*(*project)->madeBy({4}));
        const auto other = Project::open(copy);
        QVERIFY(other.ok());
        QCOMPARE((*other)->importProject(**project)->samples, 0);
        // What is asked now finds the prompt that came along.
        Sample next = samples::sample({4}, "second");
        next.task = {"1/1"};
        QVERIFY((*project)->addSamples({next}).ok());
        m_path = seven;
        QCOMPARE(number("SELECT count(*) FROM prompts"), 2);
        QCOMPARE(number("SELECT count(*) FROM sqlite_master WHERE name = 'exchanges'"), 0);
    }

private:
    void open()
    {
        auto opened = Project::open(m_path);
        if (!opened)
            qFatal("%s", opened.error().text().c_str());
        m_project = std::move(*opened);
    }

    Sample of(base::VariantId variant, const std::string& prompt = "how?", const std::string& reply = "so") const
    {
        Sample sample = samples::sample(variant, prompt, reply);
        sample.run = m_run;
        return sample;
    }

    int number(const char* sql) const { return Database(m_path, Database::Mode::ReadOnly).scalar(sql).toInt(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<Project> m_project;
    base::VariantId m_variant;
    base::RunId m_run;
};

QTEST_GUILESS_MAIN(TestSamples)
#include "tst_samples.moc"
