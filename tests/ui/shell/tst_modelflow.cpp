// SPDX-License-Identifier: GPL-3.0-or-later
// A language model in the window: added, tested, chosen, asked; its reply streams, and its samples show. The server is
// scripted, and the evaluator recorded.
#include "core/models/keys.h"
#include "core/models/modelregistry.h"
#include "tests/models/scriptedserver.h"
#include "tests/ui/shell/windowtest.h"
#include "ui/kit/settings.h"
#include "ui/policies/modelsdialog.h"
#include "ui/policies/policypanel.h"
#include "ui/policies/promptdialog.h"
#include "ui/samples/foldsection.h"
#include "ui/samples/sampledetail.h"
#include "ui/samples/samplespage.h"
#include "ui/samples/samplestree.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDirIterator>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include <optional>

using namespace cudal1;
using tests::ScriptedServer;
using ui::Job;

namespace {

const std::string reply =
    "## Performance Analysis\nThe relu is bound by memory.\n\n## Algorithm Design\n1. One pass.\n\n"
    "## Code Implementation\n```python\n# fast\nclass ModelNew:\n    pass\n```\n";

const QByteArray recording = "{\"on\":\"graph\",\"reply\":{\"output_kind\":\"tensor\",\"total_ns\":45000,\"nodes\":[{"
                             "\"id\":0,\"op\":\"aten.relu.default\","
                             "\"time_ns\":30000}]}}\n"
                             "{\"on\":\"evaluate\",\"candidate_contains\":\"fast\",\"reply\":{\"verdict\":\"correct\","
                             "\"seconds\":{\"total\":0.1},"
                             "\"speedup\":{\"wall\":{\"estimate\":3.5,\"low\":3.4,\"high\":3.6}}}}\n";

/// Streams the first half of the reply at once and the rest when it is told to.
class HalvingServer {
public:
    HalvingServer()
        : server([this](QTcpSocket& socket, const ScriptedServer::Request& request) {
              if (request.body.dump().find("Count from 1 to 20") != std::string::npos) {
                  socket.write(ScriptedServer::stream({"1, 2, ", "3, 4"}));
                  return server.answered();
              }
              socket.write(ScriptedServer::streamHead() + ScriptedServer::delta(reply.substr(0, reply.size() / 2)));
              waiting = &socket;
          })
    {
    }
    void release()
    {
        QVERIFY(waiting);
        waiting->write(ScriptedServer::delta(reply.substr(reply.size() / 2)) + ScriptedServer::streamEnd());
        server.answered();
    }

    ScriptedServer server;
    QPointer<QTcpSocket> waiting;
};

} // namespace

class TestModelFlow : public WindowTest {
    Q_OBJECT
    QByteArray m_home;
    std::unique_ptr<HalvingServer> m_server;

    /// The registry of a test is its own.
    void open()
    {
        qputenv("HOME", path("home").toUtf8());
        QDir().mkpath(path("home"));
        QVERIFY(QString::fromStdString(models::ModelRegistry::defaultFile().string()).startsWith(m_folder->path()));
        m_server = std::make_unique<HalvingServer>();
        record(recording);
        makeWindow();
        openProject(QStringLiteral("1/1"), QStringLiteral("task"));
    }
    void addModel() const
    {
        models::EndpointSettings settings;
        settings.name = "tiny";
        settings.url = m_server->server.url();
        settings.model = "tiny-model";
        settings.price = models::TokenPrice{2, 4, "USD"};
        QVERIFY(models::ModelRegistry().add(settings).ok());
    }
    void chooseModel() const
    {
        language::AskMethod method;
        method.samples = 1;
        method.repair = false;
        m_window->choice().setMethod(method);
        m_window->choice().setPolicyNames({"endpoint:tiny"});
        m_window->choice().setRounds(1);
    }
    QString streamed() const { return m_window->findChild<QPlainTextEdit*>("partialReply")->toPlainText(); }
    template<class T> static T* part(QWidget* of, const char* name)
    {
        T* found = of->findChild<T*>(QLatin1String(name));
        return found ? found : (qFatal("there is no %s", name), nullptr);
    }

private slots:
    void initTestCase()
    {
        m_home = qgetenv("HOME");
        WindowTest::initTestCase();
    }
    void cleanup()
    {
        WindowTest::cleanup();
        m_server.reset();
    }
    void cleanupTestCase()
    {
        qputenv("HOME", m_home);
        WindowTest::cleanupTestCase();
    }

    void aModelIsAddedTestedAndRemoved()
    {
        open();
        click("policyChooser");
        auto* popup = m_window->findChild<QWidget*>("policyPopup");
        QVERIFY(popup->isVisible());
        QTest::mouseClick(part<QPushButton>(popup, "addModel"), Qt::LeftButton);
        QTRY_VERIFY(m_window->findChild<ui::ModelsDialog*>() && m_window->findChild<ui::ModelsDialog*>()->isVisible());
        QVERIFY(!popup->isVisible());
        auto* dialog = m_window->findChild<ui::ModelsDialog*>();
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        QTRY_VERIFY(part<QLineEdit>(dialog, "modelName")->hasFocus());
        QTest::keyClicks(part<QLineEdit>(dialog, "modelName"), "tiny");
        QTest::keyClicks(part<QLineEdit>(dialog, "modelUrl"), QString::fromStdString(m_server->server.url()));
        auto* note = part<QLabel>(dialog, "modelNote");
        QTest::mouseClick(part<QPushButton>(dialog, "saveModel"), Qt::LeftButton);
        QVERIFY2(note->text().contains("model"), qPrintable(note->text())); // it has no id yet
        QTest::keyClicks(part<QLineEdit>(dialog, "modelId"), "tiny-model");
        QTest::keyClicks(part<QLineEdit>(dialog, "modelTemperature"), "warm");
        QTest::mouseClick(part<QPushButton>(dialog, "saveModel"), Qt::LeftButton);
        QVERIFY2(note->text().contains("Temperature is a number"), qPrintable(note->text()));
        part<QLineEdit>(dialog, "modelTemperature")->selectAll();
        QTest::keyClicks(part<QLineEdit>(dialog, "modelTemperature"), "0.5");
        part<QComboBox>(dialog, "modelKeyPlace")->setCurrentIndex(1);
        QTest::keyClicks(part<QLineEdit>(dialog, "modelVariable"), "CUDAL1_TEST_KEY");
        qputenv("CUDAL1_TEST_KEY", "sk-not-to-be-seen");
        QTest::mouseClick(part<QPushButton>(dialog, "testModel"), Qt::LeftButton); // saves first
        QTRY_VERIFY2_WITH_TIMEOUT(note->text().contains("Answers after"), qPrintable(note->text()), deadline_ms);
        QVERIFY2(note->text().contains("It streams.") && note->text().contains("tokens a second"),
                 qPrintable(note->text()));
        QCOMPARE(m_server->server.requests.back().header("Authorization"), QByteArray("Bearer sk-not-to-be-seen"));
        const auto kept = models::ModelRegistry().model("tiny");
        QVERIFY(kept.ok() && kept->sampling.temperature == 0.5 && kept->keyVariable == "CUDAL1_TEST_KEY");
        QFile file(QString::fromStdString(models::ModelRegistry::defaultFile().string()));
        QVERIFY(file.open(QIODevice::ReadOnly) && !file.readAll().contains("sk-not"));
        for (const QLineEdit* field : dialog->findChildren<QLineEdit*>())
            QVERIFY(!field->text().contains("sk-not"));
        // Added from the chooser of policies, so it is asked from now on.
        QCOMPARE(m_window->choice().policies().namesText(), std::string("library,endpoint:tiny"));

        // Without its key the test says what to do.
        qunsetenv("CUDAL1_TEST_KEY");
        QTest::mouseClick(part<QPushButton>(dialog, "testModel"), Qt::LeftButton);
        QTRY_VERIFY2_WITH_TIMEOUT(note->text().startsWith(QStringLiteral("✗")) &&
                                      note->text().contains("CUDAL1_TEST_KEY"),
                                  qPrintable(note->text()), deadline_ms);

        QTest::mouseClick(part<QPushButton>(dialog, "removeModel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(part<QListWidget>(dialog, "modelList")->count(), 0, deadline_ms);
        QVERIFY(models::ModelRegistry().models()->empty());
        dialog->close();
    }

    /// With a real keyring, which check_keyring_window.sh starts for it.
    void aKeyIsKeptInTheKeyringAlone()
    {
        const QString folder = qEnvironmentVariable("CUDAL1_KEYRING_FOLDER");
        if (folder.isEmpty())
            QSKIP("CUDAL1_KEYRING_FOLDER is not set: check_keyring_window.sh runs this with a keyring of its own");
        if (!models::hasKeyring())
            QSKIP("this build has no QtKeychain");
        const QByteArray key = "sk-Window-0815-abcdefgh";
        open();
        m_window->findChild<QAction*>("languageModels")->trigger();
        auto* dialog = m_window->findChild<ui::ModelsDialog*>();
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        auto* note = part<QLabel>(dialog, "modelNote");
        QTest::keyClicks(part<QLineEdit>(dialog, "modelName"), "kept");
        QTest::keyClicks(part<QLineEdit>(dialog, "modelUrl"), QString::fromStdString(m_server->server.url()));
        QTest::keyClicks(part<QLineEdit>(dialog, "modelId"), "tiny-model");
        part<QComboBox>(dialog, "modelKeyPlace")->setCurrentIndex(2);
        QTest::mouseClick(part<QPushButton>(dialog, "saveModel"), Qt::LeftButton);
        QVERIFY2(note->text().contains("key", Qt::CaseInsensitive), qPrintable(note->text())); // none was typed
        QVERIFY(models::ModelRegistry().models()->empty());
        auto* field = part<QLineEdit>(dialog, "modelKey");
        QCOMPARE(field->echoMode(), QLineEdit::Password);
        QTest::keyClicks(field, QString::fromLatin1(key));
        QTest::mouseClick(part<QPushButton>(dialog, "testModel"), Qt::LeftButton); // saves first
        QTRY_VERIFY2_WITH_TIMEOUT(note->text().contains("Answers after"), qPrintable(note->text()), deadline_ms);
        QCOMPARE(m_server->server.requests.back().header("Authorization"), "Bearer " + key);
        QVERIFY(field->text().isEmpty());
        QVERIFY(models::ModelRegistry().model("kept")->keyInKeyring);

        // The next window reads it there.
        m_window.reset();
        makeWindow();
        openProject(QStringLiteral("1/1"), QStringLiteral("task"));
        m_window->findChild<QAction*>("languageModels")->trigger();
        dialog = m_window->findChild<ui::ModelsDialog*>();
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        QTRY_COMPARE_WITH_TIMEOUT(part<QLineEdit>(dialog, "modelName")->text(), QStringLiteral("kept"), deadline_ms);
        QVERIFY(part<QLineEdit>(dialog, "modelKey")->text().isEmpty());
        const std::size_t before = m_server->server.requests.size();
        note = part<QLabel>(dialog, "modelNote");
        QTest::mouseClick(part<QPushButton>(dialog, "testModel"), Qt::LeftButton);
        QTRY_VERIFY2_WITH_TIMEOUT(note->text().contains("Answers after"), qPrintable(note->text()), deadline_ms);
        QVERIFY(m_server->server.requests.size() > before);
        QCOMPARE(m_server->server.requests.back().header("Authorization"), "Bearer " + key);

        // No file has it: neither those of the window nor the keyring's own, which is encrypted.
        int files = 0;
        for (const QString& root : {m_folder->path(), folder})
            for (QDirIterator each(root, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); each.hasNext();) {
                QFile file(each.next());
                if (file.open(QIODevice::ReadOnly))
                    QVERIFY2(++files && !file.readAll().contains(key), qPrintable(file.fileName()));
            }
        QVERIFY(files >= 3); // the registry, the project and the keyring

        const models::EndpointSettings known = *models::ModelRegistry().model("kept");
        const auto isGone = [&] {
            QObject asker; // nothing is answered once it is gone
            std::optional<bool> answer;
            models::readKey(known, &asker, [&](const base::Result<models::Secret>& found) {
                answer = !found && found.error().code == base::ErrorCode::NotFound;
            });
            return QTest::qWaitFor([&] { return answer.has_value(); }, deadline_ms) && *answer;
        };
        QVERIFY(!isGone());
        QTest::mouseClick(part<QPushButton>(dialog, "removeModel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(part<QListWidget>(dialog, "modelList")->count(), 0, deadline_ms);
        QTRY_VERIFY_WITH_TIMEOUT(isGone(), deadline_ms); // the key goes with its model
        dialog->close();
    }

    void agentsAndLocalModelsAreAddedToo()
    {
        open();
        addModel();
        m_window->findChild<QAction*>("languageModels")->trigger();
        auto* dialog = m_window->findChild<ui::ModelsDialog*>();
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        auto* list = part<QListWidget>(dialog, "modelList");
        QTRY_COMPARE_WITH_TIMEOUT(list->count(), 1, deadline_ms);
        QCOMPARE(list->currentRow(), 0); // something is chosen at once
        QCOMPARE(part<QLineEdit>(dialog, "modelName")->text(), QStringLiteral("tiny"));

        // An agent, whose program is a script.
        qputenv("CUDAL1_AGENT", CUDAL1_AGENT_PROGRAM);
        QFile script(m_folder->filePath("agent-of-mine"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\necho agent-of-mine 7.1\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        dialog->findChild<QAction*>("newOfKind2")->trigger();
        auto* note = part<QLabel>(dialog, "modelNote");
        QTest::keyClicks(part<QLineEdit>(dialog, "agentName"), "mine");
        QTest::mouseClick(part<QPushButton>(dialog, "saveModel"), Qt::LeftButton);
        QVERIFY2(note->text().contains("command"), qPrintable(note->text())); // it has none yet
        part<QComboBox>(dialog, "agentTemplate")->setCurrentIndex(1);
        emit part<QComboBox>(dialog, "agentTemplate")->activated(1);
        QCOMPARE(part<QLineEdit>(dialog, "agentCommand")->text(),
                 QString::fromStdString(models::agentTemplate(models::agentTemplateNames().front())));
        part<QLineEdit>(dialog, "agentCommand")->selectAll();
        QTest::keyClicks(part<QLineEdit>(dialog, "agentCommand"), script.fileName() + " {prompt}");
        QCOMPARE(part<QComboBox>(dialog, "agentTemplate")->currentIndex(), 0);
        QVERIFY(part<QLabel>(dialog, "agentProgram")->text().contains(script.fileName()));
        part<QSpinBox>(dialog, "agentEvaluations")->setValue(3);
        QTest::mouseClick(part<QPushButton>(dialog, "testModel"), Qt::LeftButton); // saves first
        QTRY_VERIFY2_WITH_TIMEOUT(note->text().contains("agent-of-mine 7.1"), qPrintable(note->text()), deadline_ms);
        const auto agent = models::ModelRegistry().agent("mine");
        QVERIFY(agent.ok() && agent->evaluations == 3 &&
                agent->command == (script.fileName() + " {prompt}").toStdString());
        QTRY_COMPARE_WITH_TIMEOUT(list->count(), 2, deadline_ms);

        // A model on this machine.
        dialog->findChild<QAction*>("newOfKind1")->trigger();
        QTest::keyClicks(part<QLineEdit>(dialog, "localName"), "small");
        QTest::keyClicks(part<QLineEdit>(dialog, "localPath"), "/nowhere/small.gguf");
        QVERIFY(part<QLabel>(dialog, "localNote")->text().contains("no such file"));
        QTest::keyClicks(part<QLineEdit>(dialog, "localTemperature"), "0.7");
        QTest::mouseClick(part<QPushButton>(dialog, "saveModel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(list->count(), 3, deadline_ms);
        const auto local = models::ModelRegistry().local("small");
        QVERIFY(local.ok() && local->sampling.temperature == 0.7 && local->device == "cpu");

        // One name is given once, whatever it names, and each kind comes back into its own fields.
        dialog->findChild<QAction*>("newOfKind1")->trigger();
        QTest::keyClicks(part<QLineEdit>(dialog, "localName"), "mine");
        QTest::keyClicks(part<QLineEdit>(dialog, "localPath"), "/nowhere/small.gguf");
        QTest::mouseClick(part<QPushButton>(dialog, "saveModel"), Qt::LeftButton);
        QTRY_VERIFY2_WITH_TIMEOUT(note->text().contains("There is a model \"mine\" already"), qPrintable(note->text()),
                                  deadline_ms);
        list->setCurrentRow(2); // below those behind servers and those on this machine
        QTRY_VERIFY_WITH_TIMEOUT(part<QLineEdit>(dialog, "agentName")->isVisible(), deadline_ms);
        QCOMPARE(part<QSpinBox>(dialog, "agentEvaluations")->value(), 3);
        QTest::mouseClick(part<QPushButton>(dialog, "removeModel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(list->count(), 2, deadline_ms);
        dialog->close();
    }

    void theChooserSetsPoliciesAndMethod()
    {
        open();
        addModel();
        click("policyChooser");
        auto* popup = m_window->findChild<QWidget*>("policyPopup");
        QTRY_VERIFY_WITH_TIMEOUT(popup->findChild<QCheckBox*>("endpoint:tiny"), deadline_ms);
        QTest::qWait(0); // the rows are laid out
        QTest::mouseClick(part<QCheckBox>(popup, "endpoint:tiny"), Qt::LeftButton, {}, QPoint(8, 8));
        QCOMPARE(m_window->choice().policies().namesText(), std::string("library,endpoint:tiny"));
        QTest::keyClick(part<QCheckBox>(popup, "library"), Qt::Key_Space);
        QCOMPARE(m_window->choice().policies().namesText(), std::string("endpoint:tiny"));
        QTest::keyClick(part<QCheckBox>(popup, "endpoint:tiny"), Qt::Key_Space); // somebody has to propose
        QVERIFY(part<QCheckBox>(popup, "endpoint:tiny")->isChecked());
        QTest::keyClicks(part<QComboBox>(popup, "method"), "mul");
        QVERIFY(m_window->choice().policies().method().kind == language::AskMethod::Kind::MultiTurn);
        QVERIFY(part<QSpinBox>(popup, "turns")->isEnabled() && !part<QCheckBox>(popup, "repair")->isEnabled());
        part<QSpinBox>(popup, "samples")->setValue(7);
        QCOMPARE(m_window->choice().policies().method().samples, 7);
        QTest::keyClick(popup, Qt::Key_Escape);
        QVERIFY(!popup->isVisible());
        QVERIFY(find<QToolButton>("policyChooser")->text().contains("tiny"));

        // Another window begins with the same choice.
        m_window.reset();
        makeWindow();
        QCOMPARE(m_window->choice().policies().namesText(), std::string("endpoint:tiny"));
        QCOMPARE(m_window->choice().policies().method().samples, 7);
        QVERIFY(m_window->choice().policies().method().kind == language::AskMethod::Kind::MultiTurn);
    }

    void localModelsAreRowsToo()
    {
        open();
        addModel();
        models::LocalSettings local;
        local.name = "mine";
        local.path = "/models/SmolLM2-135M.gguf";
        local.device = "cuda:0";
        QVERIFY(models::ModelRegistry().add(local).ok());
        click("policyChooser");
        auto* popup = m_window->findChild<QWidget*>("policyPopup");
        QTRY_VERIFY_WITH_TIMEOUT(popup->findChild<QCheckBox*>("local:mine"), deadline_ms);
        QTest::qWait(0); // the rows are laid out
        auto* row = part<QCheckBox>(popup, "local:mine");
        QCOMPARE(row->text(), QStringLiteral("mine"));
        const auto saysOf = [](QCheckBox* box, const QString& words) {
            const auto labels = box->parentWidget()->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->isVisible() && label->text() == words; });
        };
        QVERIFY(saysOf(row, QStringLiteral("SmolLM2-135M.gguf on this machine's cuda:0")));
        QVERIFY(part<QCheckBox>(popup, "endpoint:tiny")->isVisible()); // beside those of servers
        // It is tested from here too, which says what is wrong.
        qputenv("CUDAL1_MODEL", "/nowhere/cudal1-model");
        const auto buttons = row->parentWidget()->findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 1);
        QCOMPARE(buttons[0]->accessibleName(), QStringLiteral("Test mine"));
        QTest::mouseClick(buttons[0], Qt::LeftButton);
        QString note;
        QTRY_VERIFY2_WITH_TIMEOUT(note.startsWith(QStringLiteral("✗ ")) ||
                                      ((note = row->parentWidget()->findChild<QLabel*>()->text()), false),
                                  qPrintable(note), deadline_ms);
        QVERIFY2(note.contains("/nowhere/cudal1-model"), qPrintable(note));
        qunsetenv("CUDAL1_MODEL");
        QTest::qWait(0); // the row is laid out anew
        QTest::mouseClick(row, Qt::LeftButton, {}, QPoint(8, 8));
        QTest::keyClick(part<QCheckBox>(popup, "library"), Qt::Key_Space);
        QCOMPARE(m_window->choice().policies().namesText(), std::string("local:mine"));
        QVERIFY(m_window->choice().policies().asksModel());
        QTest::keyClick(popup, Qt::Key_Escape);
        QVERIFY(find<QToolButton>("policyChooser")->text().contains("mine"));

        // One that is gone stays while it is chosen, says so, and can be taken off.
        QVERIFY(models::ModelRegistry().remove("mine").ok());
        click("policyChooser");
        QTRY_VERIFY_WITH_TIMEOUT(saysOf(part<QCheckBox>(popup, "local:mine"),
                                        QStringLiteral("There is no such model any more. Add it, or take it off.")),
                                 deadline_ms);
        QTest::qWait(0);
        QTest::keyClick(part<QCheckBox>(popup, "library"), Qt::Key_Space);
        QTest::keyClick(part<QCheckBox>(popup, "local:mine"), Qt::Key_Space);
        QCOMPARE(m_window->choice().policies().namesText(), std::string("library"));
    }

    void aLocalModelThatIsGoneFailsTheJob()
    {
        open();
        chooseModel();
        m_window->choice().setPolicyNames({"local:mine"});
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(job() && !job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Failed && job()->message.contains("mine"), qPrintable(job()->message));
    }

    void aReplyStreamsAndItsSampleShows()
    {
        open();
        addModel();
        chooseModel();
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(streamed().contains("bound by memory"), deadline_ms);
        QVERIFY(job()->isActive() && m_window->findChild<QPlainTextEdit*>("partialReply")->isVisible());
        QVERIFY(!streamed().contains("ModelNew"));
        QCOMPARE(m_window->findChild<QToolButton*>("partialReplyTitle")->text(),
                 QStringLiteral("A reply is being written"));
        m_server->release();
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message + job()->log.join('\n')));
        QVERIFY(streamed().contains("ModelNew"));
        QCOMPARE(m_window->findChild<QToolButton*>("partialReplyTitle")->text(), QStringLiteral("Last reply"));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->project().entry({"1/1"})->row.best.estimate, 3.5, deadline_ms);

        m_window->selection().selectPage(QStringLiteral("samples"));
        auto* page = m_window->findChild<ui::SamplesPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(page->isVisible() && page->tree()->shownReplies() == 1, deadline_ms);
        const optimize::SampleFacts* facts = page->tree()->current();
        QVERIFY(facts && facts->sample.policy == "endpoint: tiny" && facts->correct());
        QCOMPARE(facts->sample.promptTokens, std::optional<std::int64_t>(10));
        QVERIFY(facts->sample.cost && qFuzzyCompare(*facts->sample.cost, 10 * 2e-6 + 4 * 4e-6));
        QTRY_VERIFY_WITH_TIMEOUT(page->detail()->reply()->view()->toPlainText() == QString::fromStdString(reply),
                                 deadline_ms);
    }

    void runAgainAsksTheSamePolicies()
    {
        open();
        addModel();
        chooseModel();
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(m_server->waiting, deadline_ms);
        QTest::keyClick(m_window.get(), Qt::Key_Escape); // takes the question back
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY(job()->state == Job::State::Stopped);
        m_window->choice().setPolicyNames({"library"});
        m_server->waiting = nullptr;
        QTest::keyClick(m_window.get(), Qt::Key_F5);
        QCOMPARE(std::get<ui::OptimizeJob>(job()->request.what).policies.namesText(), std::string("endpoint:tiny"));
        QTRY_VERIFY_WITH_TIMEOUT(m_server->waiting, deadline_ms);
        m_server->release();
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
        QVERIFY2(job()->state == Job::State::Finished, qPrintable(job()->message));
    }

    void aModelThatIsGoneFailsTheJobWithTheNextStep()
    {
        open();
        chooseModel(); // of a model that nobody has added
        click("optimizeButton");
        QTRY_VERIFY_WITH_TIMEOUT(job() && !job()->isActive(), deadline_ms);
        QVERIFY(job()->state == Job::State::Failed && job()->message.contains("tiny"));
        QTRY_VERIFY(m_window->findChild<ui::MessageBar*>()->isVisible());
    }

    void aPromptIsShownAndItsPartsSwitched()
    {
        open();
        addModel();
        chooseModel();
        click("runPrompt");
        auto* dialog = m_window->findChild<ui::PromptDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QTRY_VERIFY2_WITH_TIMEOUT(dialog->text().contains("class Model(nn.Module)"), qPrintable(dialog->text()),
                                  deadline_ms);
        QVERIFY(dialog->text().startsWith("<|system|>\n") && dialog->text().contains("aten.relu.default"));
        const QString sum = part<QLabel>(dialog, "promptSum")->text();
        QVERIFY2(sum.startsWith("About ") && sum.contains("1 reply asked for"), qPrintable(sum));
        QVERIFY(m_server->server.requests.empty()); // nothing was sent
        QVERIFY(part<QLabel>(dialog, "promptNote")->text().contains("The method vanilla does without "));
        QTest::mouseClick(part<QCheckBox>(dialog, "part_operators"), Qt::LeftButton, {}, QPoint(8, 8));
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->text().contains("aten.relu.default"), deadline_ms);
        QVERIFY(m_window->choice().policies().method().without.contains(language::PromptPart::Operators));
        QCOMPARE(ui::Settings::instance().text("promptWithout"), QStringLiteral("operators"));
        QVERIFY(!job()); // it is no run of the task
        part<QPlainTextEdit>(dialog, "promptText")->setPlainText("<|user|>\nWrite\u00a0it anew.");
        QVERIFY(!part<QCheckBox>(dialog, "part_operators")->isEnabled());
        QTest::mouseClick(part<QPushButton>(dialog, "promptSend"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(m_server->waiting, deadline_ms);
        const auto& messages = m_server->server.requests.at(0).body["messages"]; // to the letter
        QVERIFY(messages.size() == 1 && messages[0]["content"] == "Write\u00a0it anew.");
        m_server->release();
        QTRY_VERIFY_WITH_TIMEOUT(!job()->isActive(), deadline_ms);
    }
};

QTEST_MAIN(TestModelFlow)
#include "tst_modelflow.moc"
