// SPDX-License-Identifier: GPL-3.0-or-later
// What settings of a model are good, how they are written, and where requests go.
#include "core/models/endpointsettings.h"

#include <nlohmann/json.hpp>

#include <QTest>
#include <QUrl>

using namespace cudal1;
using models::EndpointSettings;
using nlohmann::json;

namespace {

EndpointSettings good()
{
    EndpointSettings out;
    out.name = "qwen3";
    out.url = "http://127.0.0.1:8000/v1";
    out.model = "Qwen/Qwen3-8B";
    return out;
}

} // namespace

class TestEndpointSettings : public QObject {
    Q_OBJECT
private slots:
    void travels()
    {
        EndpointSettings all = good();
        all.sampling.temperature = 0.8;
        all.price = {0.5, 1.5, "EUR"};
        all.limits = {3600.0, 1'000'000, 2.5, "EUR"};
        all.patience = {5, 60, 600, 2};
        all.parallel = 16;
        all.keyVariable = "MY_KEY";
        QVERIFY(models::check(all));
        const json written = models::toJson(all);
        // No raw string where there are two slashes: moc takes them for a comment.
        const std::string expected =
            "{\"name\": \"qwen3\", \"url\": \"http://127.0.0.1:8000/v1\", \"model\": \"Qwen/Qwen3-8B\", "
            R"("sampling": {"temperature": 0.8}, "price": {"prompt": 0.5, "reply": 1.5, "unit": "EUR"}, )"
            R"("limits": {"seconds": 3600.0, "tokens": 1000000, "cost": 2.5}, "parallel": 16, "key": {"variable": "MY_KEY"}, )"
            R"("patience": {"connect_s": 5.0, "silence_s": 60.0, "reply_s": 600.0, "retries": 2}})";
        QCOMPARE(written.dump(), json::parse(expected).dump());
        const auto back = models::endpointOf(written);
        QVERIFY2(back.ok(), back ? "" : back.error().text().c_str());
        QCOMPARE(models::toJson(*back).dump(), written.dump());
        QCOMPARE(back->limits.costUnit, std::string("EUR"));
        // What is the default is not written.
        QCOMPARE(models::toJson(good()).size(), std::size_t(3));
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("change"); // merged into good settings
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* change, const char* says) {
            QTest::newRow(change) << QByteArray(change) << QByteArray(says);
        };
        row(R"({"name": ""})", "name of a model");
        row(R"({"name": "a b"})", "name of a model");
        row(R"({"name": 3})", "\"name\" of a model is a text");
        row(R"({"url": "127.0.0.1:8000"})", "http://");
        row("{\"url\": \"ftp://host/v1\"}", "http://");
        row("{\"url\": \"http:///v1\"}", "http://");
        row("{\"url\": \"https://user:sk-secret123@host/v1\"}", "user or a password");
        row("{\"url\": \"https://host/v1?api_key=sk-secret123\"}", "must not hold a key");
        row("{\"url\": \"https://host/v1#x\"}", "#");
        row(R"({"model": ""})", "id of the model");
        row(R"({"model": "a\nb"})", "id of the model");
        row(R"({"sampling": {"temperature": -1}})", "temperature");
        row(R"({"sampling": 3})", "object");
        row(R"({"price": {"prompt": -1}})", "price");
        row(R"({"price": {"unit": "US dollars"}})", "unit");
        row(R"({"price": {"promt": 1}})", "not known; the known ones are prompt, reply, unit");
        row(R"({"limits": {"seconds": 0}})", "seconds");
        row(R"({"limits": {"tokens": 0}})", "tokens");
        row(R"({"limits": {"tokens": 1.5}})", "\"limits.tokens\" of a model is a whole number");
        row(R"({"limits": {"cost": 1}})", "needs the price");
        row(R"({"patience": {"retries": 21}})", "retries");
        row(R"({"patience": {"reply_s": 0}})", "waiting");
        row(R"({"parallel": 0})", "parallel");
        row(R"({"parallel": 257})", "parallel");
        row(R"({"key": "sk-secret123"})", "\"key\" of a model is an object");
        row(R"({"key": {"variable": "sk-secret123"}})", "NAME of an environment variable");
        row(R"({"key": {"variable": "A", "keyring": true}})", "Choose one");
        row(R"({"api_key": "sk-secret123"})", "has a field that is not known");
    }
    void refuses()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, says);
        json object = models::toJson(good());
        object.merge_patch(json::parse(change.toStdString()));
        const auto read = models::endpointOf(object);
        QVERIFY(!read);
        QVERIFY(read.error().code == base::ErrorCode::InvalidArgument);
        QVERIFY2(QByteArray::fromStdString(read.error().text()).contains(says), read.error().text().c_str());
        QVERIFY(read.error().text().find("secret123") == std::string::npos);
    }

    void urls_data()
    {
        QTest::addColumn<QByteArray>("url");
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<bool>("inClear");
        const auto row = [](const char* url, const char* request, bool inClear) {
            QTest::newRow(url) << QByteArray(url) << QByteArray(request) << inClear;
        };
        row("http://localhost:11434", "http://localhost:11434/v1/chat/completions", false);
        row("http://[::1]:8000/", "http://[::1]:8000/v1/chat/completions", false);
        row("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1/chat/completions", false);
        row("https://host/api/v1", "https://host/api/v1/chat/completions", false);
        row("https://host/v1/chat/completions", "https://host/v1/chat/completions", false);
        row("https://host/v1?api-version=2", "https://host/v1/chat/completions?api-version=2", false);
        row("http://gpu1:8000/v1", "http://gpu1:8000/v1/chat/completions", true);
    }
    void urls()
    {
        QFETCH(QByteArray, url);
        QFETCH(QByteArray, request);
        QFETCH(bool, inClear);
        EndpointSettings settings = good();
        settings.url = url.toStdString();
        QVERIFY(models::check(settings));
        QCOMPARE(models::requestUrl(settings).toString().toUtf8(), request);
        QCOMPARE(models::sentInClear(settings), inClear);
    }
};

QTEST_APPLESS_MAIN(TestEndpointSettings)
#include "tst_endpointsettings.moc"
