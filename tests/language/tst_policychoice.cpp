// SPDX-License-Identifier: GPL-3.0-or-later
// Policies by name: what can be chosen, what a run remembers of it, and how it is found again.
#include "core/language/policychoice.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cudal1;
using language::AskMethod;
using language::PolicyChoice;

namespace {

class Named : public policy::InstantPolicy {
public:
    std::string name() const override { return "stand-in"; }
    policy::Reply propose(const policy::Prompt&) override { return {}; }
};

} // namespace

class TestPolicyChoice : public QObject {
    Q_OBJECT
private slots:
    void theLibraryAloneIsTheStandard()
    {
        const PolicyChoice choice;
        QVERIFY(!choice.asksModel() && choice.methodText().empty() && choice.firstModel().empty());
        QCOMPARE((*choice.make())->name(), std::string("technique library"));
        QCOMPARE(choice.policyName(), (*choice.make())->name());
        QCOMPARE((*choice.make([] { return std::make_unique<Named>(); }))->name(), std::string("stand-in"));
        QVERIFY(choice == *PolicyChoice::of("library", {}));
    }

    void namesAreRead()
    {
        const auto choice = PolicyChoice::of("library, endpoint:qwen3", {});
        QVERIFY(choice.ok());
        QCOMPARE(choice->names(), (std::vector<std::string>{"library", "endpoint:qwen3"}));
        QCOMPARE(choice->namesText(), std::string("library,endpoint:qwen3"));
        QCOMPARE(choice->firstModel(), std::string("endpoint:qwen3"));
        QVERIFY(choice->asksModel() && !choice->methodText().empty());
        QCOMPARE(language::storedName("endpoint:qwen3"), std::string("endpoint: qwen3"));
        QCOMPARE(choice->policyName(), std::string("technique library + endpoint: qwen3"));
    }

    void whatIsNoPolicyIsRefused_data()
    {
        QTest::addColumn<QString>("names");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << ""
                               << "no policy \"\"";
        QTest::newRow("unknown") << "magic"
                                 << "no policy \"magic\"";
        QTest::newRow("without a name") << "endpoint:"
                                        << "no policy \"endpoint:\"";
        QTest::newRow("twice") << "library,library"
                               << "named twice";
        QTest::newRow("agent without a name") << "agent:"
                                              << "no policy \"agent:\"";
    }
    void whatIsNoPolicyIsRefused()
    {
        QFETCH(QString, names);
        QFETCH(QString, says);
        const auto choice = PolicyChoice::of(names.toStdString(), {});
        QVERIFY(!choice);
        QVERIFY2(QString::fromStdString(choice.error().text()).contains(says), choice.error().text().c_str());
    }
    void noneAtAllIsRefused() { QVERIFY(!PolicyChoice::of(std::vector<std::string>(), {})); }

    void aRunKnowsItsChoice()
    {
        AskMethod method;
        method.kind = AskMethod::Kind::MultiTurn;
        method.turns = 5;
        method.repair = false;
        const auto choice = PolicyChoice::of("library,endpoint:qwen3", method);
        const auto again = PolicyChoice::ofRun("technique library + endpoint: qwen3", choice->methodText());
        QVERIFY2(again.ok(), again ? "" : again.error().text().c_str());
        QVERIFY(again->names() == choice->names() && again->method().turns == 5);
        QVERIFY(again->method().kind == AskMethod::Kind::MultiTurn);
        QVERIFY(*PolicyChoice::ofRun("any other", {}) == PolicyChoice()); // no model was asked
        QVERIFY(!PolicyChoice::ofRun("any other", choice->methodText()));
    }

    void anAgentIsChosenByItsName()
    {
        const auto choice = PolicyChoice::of("library,agent:mine", {});
        QVERIFY(choice && choice->asksAgent() && !choice->asksModel() && choice->firstModel().empty());
        const auto again = PolicyChoice::ofRun("technique library + agent: mine", choice->methodText());
        QVERIFY(again && again->names() == choice->names());
        const QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        const auto none = choice->make();
        QVERIFY(!none && none.error().code == base::ErrorCode::NotFound);
        models::AgentSettings settings;
        settings.name = "mine";
        settings.command = "program {prompt}";
        settings.evaluations = 4;
        QVERIFY(models::ModelRegistry().add(settings));
        const auto made = choice->make();
        QVERIFY2(made.ok(), made ? "" : made.error().text().c_str());
        QCOMPARE((*made)->name(), std::string("technique library + agent: mine"));
        QCOMPARE((*made)->furtherTurns(), 4);
        QVERIFY(!models::ModelRegistry().model("mine") && !models::ModelRegistry().local("mine"));
    }

    void aModelThatIsNotThereIsSaid()
    {
        const QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        const auto choice = PolicyChoice::of("library,endpoint:nobody", {});
        const auto made = choice->make();
        QVERIFY(!made && made.error().code == base::ErrorCode::NotFound);
        const auto failing = choice->makeOrFail();
        std::optional<base::Error> told;
        failing->ask({}, {{}, [&](base::Result<policy::Reply> reply) { told = reply.error(); }});
        QVERIFY(told && told->code == base::ErrorCode::NotFound);
    }
};

QTEST_GUILESS_MAIN(TestPolicyChoice)
#include "tst_policychoice.moc"
