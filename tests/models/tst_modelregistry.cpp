// SPDX-License-Identifier: GPL-3.0-or-later
// The file of models: added to, edited by hand, damaged, used by two programs.
#include "core/models/modelregistry.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <thread>
#include <tuple>
#include <vector>

using namespace cudal1;
using base::ErrorCode;
using models::EndpointSettings;
using models::ModelRegistry;

class TestModelRegistry : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_folder;

    std::filesystem::path path() const { return m_folder->filePath("deep/models.json").toStdString(); }
    static EndpointSettings model(const std::string& name)
    {
        EndpointSettings out;
        out.name = name;
        out.url = "http://localhost:1/v1";
        out.model = "m";
        return out;
    }
    void put(const QByteArray& text)
    {
        std::filesystem::create_directories(path().parent_path());
        QFile file(QString::fromStdString(path().string()));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    QByteArray text() const
    {
        QFile file(QString::fromStdString(path().string()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void holdsBothKinds()
    {
        ModelRegistry registry(path());
        models::LocalSettings local;
        local.name = "small";
        local.path = "/models/small.gguf";
        local.device = "cuda:1";
        local.dtype = "bfloat16";
        local.context = 4096;
        local.parallel = 8;
        local.sampling.temperature = 0.5;
        local.limits.tokens = 1000;
        QVERIFY(registry.add(model("a")));
        QVERIFY(registry.add(local));
        QCOMPARE(registry.models()->size(), std::size_t(1));
        const auto back = registry.local("small");
        QVERIFY(back);
        QCOMPARE(models::toJson(*back).dump(), models::toJson(local).dump());
        QCOMPARE(back->limits.costUnit, std::string("GPU s"));
        QCOMPARE(models::serveArguments(*back).join(' '),
                 QString("serve /models/small.gguf --device cuda:1 --numbers bfloat16 --context 4096 --replies 8"));
        QVERIFY(registry.local("a").error().hint == "Ask it as endpoint:a");
        QVERIFY(registry.model("small").error().hint == "Ask it as local:small");
        // One name, whatever it names.
        QVERIFY(registry.add(model("small")).error().code == ErrorCode::InvalidArgument);
        QVERIFY(registry.add(model("small"), true) && registry.locals()->empty());
        QVERIFY(registry.remove("a") && registry.remove("small") && registry.all()->empty());
    }

    void localModelsThatMakeNoSense()
    {
        using nlohmann::json;
        const std::vector<std::tuple<const char*, json, std::string>> all{{"path", "", "path"},
                                                                          {"device", "gpu", "device"},
                                                                          {"dtype", "int4", "dtype"},
                                                                          {"threads", -1, "threads"},
                                                                          {"url", "http://h", "not known"},
                                                                          {"sampling", json{{"heat", 1}}, "heat"},
                                                                          {"limits", json{{"seconds", 0}}, "limit"}};
        for (const auto& [field, value, says] : all) {
            json one{{"name", "x"}, {"path", "/m"}};
            one[field] = value;
            put(QByteArray::fromStdString(json{{"version", 1}, {"models", json::array({one})}}.dump()));
            const auto read = ModelRegistry(path()).all();
            QVERIFY(!read && read.error().code == ErrorCode::InvalidArgument);
            QVERIFY2(read.error().message.find(says) != std::string::npos, read.error().text().c_str());
        }
    }

    void addsReplacesRemoves()
    {
        ModelRegistry registry(path());
        QVERIFY(registry.models());
        QVERIFY(registry.models()->empty());
        QVERIFY(registry.add(model("a")));
        QVERIFY(registry.add(model("b")));
        const auto again = registry.add(model("a"));
        QVERIFY(!again && again.error().code == ErrorCode::InvalidArgument);
        EndpointSettings changed = model("a");
        changed.parallel = 9;
        QVERIFY(registry.add(changed, true));
        QCOMPARE(registry.models()->size(), std::size_t(2));
        QCOMPARE(registry.models()->front().parallel, 9);
        QCOMPARE(registry.model("b")->name, std::string("b"));
        const auto missing = registry.model("c");
        QVERIFY(!missing && missing.error().code == ErrorCode::NotFound);
        QVERIFY(missing.error().text().find("there are a, b") != std::string::npos);
        QVERIFY(registry.remove("a"));
        QVERIFY(!registry.remove("a"));
        QCOMPARE(registry.models()->size(), std::size_t(1));
        QVERIFY(text().contains("\n  \"models\": [\n")); // for a person to read
    }

    void refusesWrongSettings()
    {
        ModelRegistry registry(path());
        QVERIFY(!registry.add(model("no name")));
        QVERIFY(!std::filesystem::exists(path()));
    }

    void files_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* text, ErrorCode code, const char* says) {
            QTest::newRow(name) << QByteArray(text) << int(code) << QByteArray(says);
        };
        row("empty", "", ErrorCode::Unreadable, "no JSON of this program");
        row("cut", R"({"version": 1, "models": [)", ErrorCode::Unreadable, "no JSON of this program");
        row("no version", R"({"models": []})", ErrorCode::InvalidArgument, "no version");
        row("later", R"({"version": 2, "models": []})", ErrorCode::TooNew, "later version");
        row("second is wrong",
            R"({"version": 1, "models": [{"name": "a", "url": "http://h/v1", "model": "m"}, {"name": "b"}]})",
            ErrorCode::InvalidArgument, "model 2");
        row("two of a name",
            R"({"version": 1, "models": [{"name": "a", "url": "http://h/v1", "model": "m"}, {"name": "a", "url": "http://h/v1", "model": "m"}]})",
            ErrorCode::InvalidArgument, "Two models are called a");
        row("a key",
            R"({"version": 1, "models": [{"name": "a", "url": "http://h/v1", "model": "m", "key": "sk-secret123"}]})",
            ErrorCode::InvalidArgument, "\"key\" of a model is an object");
    }
    void files()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, code);
        QFETCH(QByteArray, says);
        put(text);
        ModelRegistry registry(path());
        const auto read = registry.models();
        QVERIFY(!read);
        QCOMPARE(int(read.error().code), code);
        QVERIFY2(QByteArray::fromStdString(read.error().text()).contains(says), read.error().text().c_str());
        QVERIFY(read.error().text().find("models.json") != std::string::npos);
        QVERIFY(read.error().text().find("secret123") == std::string::npos);
        // Nothing is written over a file that is not understood.
        QVERIFY(!registry.add(model("new")));
        QCOMPARE(this->text(), text);
    }

    void twoProgramsAtOnce()
    {
        const auto add = [this](const std::string& start) {
            for (int i = 0; i < 20; ++i)
                if (const auto added = ModelRegistry(path()).add(model(start + std::to_string(i))); !added)
                    qWarning("%s", added.error().text().c_str());
        };
        std::thread other(add, "x");
        add("y");
        other.join();
        QCOMPARE(ModelRegistry(path()).models()->size(), std::size_t(40));
    }

    void placeOfTheFile()
    {
        qputenv("XDG_CONFIG_HOME", m_folder->path().toUtf8());
        QCOMPARE(QString::fromStdString(ModelRegistry::defaultFile().string()),
                 m_folder->filePath("cudal1-workbench/models.json"));
    }
};

QTEST_GUILESS_MAIN(TestModelRegistry)
#include "tst_modelregistry.moc"
