// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of models; the only file that sees QtKeychain.
#include "core/models/keys.h"

#include "core/models/endpointsettings.h"

#include <QObject>
#include <QTimer>

#include <cstdlib>
#include <memory>

#ifdef CUDAL1_KEYCHAIN
#include <qt6keychain/keychain.h>
#endif

namespace cudal1::models {

namespace {

using base::Error;
using base::ErrorCode;

/// The header of a request cannot hold anything else, and a line break in it would begin another header.
bool fitsHeader(const std::string& key)
{
    for (const unsigned char c : key)
        if (c < 0x21 || c > 0x7e)
            return false;
    return true;
}

base::Result<Secret> usable(std::string text, const std::string& place)
{
    // Files and prompts leave line breaks behind.
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    Secret key(std::move(text));
    if (key.empty())
        return Error{ErrorCode::NotFound, "The key in " + place + " is empty", {}, "Put the key there"};
    if (!fitsHeader(key.reveal()))
        return Error{ErrorCode::InvalidArgument,
                     "The key in " + place + " has blanks, line breaks or characters that are not ASCII",
                     {},
                     "Put the key alone there"};
    return key;
}

base::Result<Secret> fromEnvironment(const std::string& variable)
{
    const char* value = std::getenv(variable.c_str());
    if (!value)
        return Error{ErrorCode::NotFound,
                     "The environment variable " + variable + ", which holds the key, is not set",
                     {},
                     "Set it before the program starts: export " + variable + "=…"};
    return usable(value, "the environment variable " + variable);
}

#ifdef CUDAL1_KEYCHAIN

const QString service = QStringLiteral("cudal1-workbench");

Error keyringError(const QKeychain::Job& job)
{
    return {ErrorCode::Unavailable,
            "The system's keyring cannot be used: " + job.errorString().toStdString(),
            {},
            "Unlock it or start its service, or use an environment variable (--key-env)"};
}

/// Starts `job`, which deletes itself, and hands it over when it has ended.
template<class Job> void run(Job* job, const std::string& model, QObject* context, std::function<void(Job&)> then)
{
    job->setInsecureFallback(false); // never a plain file
    job->setKey(QString::fromStdString(model));
    QObject::connect(job, &QKeychain::Job::finished, context, [job, then = std::move(then)] { then(*job); });
    job->start();
}

#else

Error keyringError()
{
    return {ErrorCode::Unavailable,
            "This program was built without QtKeychain, so it cannot use the system's keyring",
            {},
            "Install qtkeychain-qt6-dev and build again, or use an environment variable (--key-env)"};
}

#endif

} // namespace

#ifdef CUDAL1_KEYCHAIN

bool hasKeyring()
{
    return true;
}

void keepKey(const std::string& model, Secret key, QObject* context, std::function<void(base::Status)> then)
{
    if (auto good = usable(key.reveal(), "the input"); !good) {
        QTimer::singleShot(0, context, [then = std::move(then), error = good.error()] { then(error); });
        return;
    }
    auto* job = new QKeychain::WritePasswordJob(service);
    job->setTextData(QString::fromStdString(key.reveal()));
    run<QKeychain::WritePasswordJob>(job, model, context, [then = std::move(then)](QKeychain::WritePasswordJob& ended) {
        then(ended.error() == QKeychain::NoError ? base::Status() : keyringError(ended));
    });
}

void dropKey(const std::string& model, QObject* context, std::function<void(base::Status)> then)
{
    run<QKeychain::DeletePasswordJob>(new QKeychain::DeletePasswordJob(service), model, context,
                                      [then = std::move(then)](QKeychain::DeletePasswordJob& ended) {
                                          const bool gone = ended.error() == QKeychain::NoError ||
                                                            ended.error() == QKeychain::EntryNotFound;
                                          then(gone ? base::Status() : keyringError(ended));
                                      });
}

#else

bool hasKeyring()
{
    return false;
}

void keepKey(const std::string&, Secret, QObject* context, std::function<void(base::Status)> then)
{
    QTimer::singleShot(0, context, [then = std::move(then)] { then(keyringError()); });
}

void dropKey(const std::string&, QObject* context, std::function<void(base::Status)> then)
{
    QTimer::singleShot(0, context, [then = std::move(then)] { then(keyringError()); });
}

#endif

void readKey(const EndpointSettings& settings, QObject* context, std::function<void(base::Result<Secret>)> then)
{
    if (!settings.keyInKeyring) {
        then(settings.keyVariable.empty() ? base::Result<Secret>(Secret()) : fromEnvironment(settings.keyVariable));
        return;
    }
#ifdef CUDAL1_KEYCHAIN
    const std::string name = settings.name;
    run<QKeychain::ReadPasswordJob>(
        new QKeychain::ReadPasswordJob(service), name, context,
        [then = std::move(then), name](QKeychain::ReadPasswordJob& ended) {
            if (ended.error() == QKeychain::NoError)
                then(usable(ended.textData().toStdString(), "the keyring"));
            else if (ended.error() == QKeychain::EntryNotFound)
                then(Error{ErrorCode::NotFound,
                           "The keyring has no key for the model " + name,
                           {},
                           "Add the model again with --key-keyring, which asks for the key"});
            else
                then(keyringError(ended));
        });
#else
    QTimer::singleShot(0, context, [then = std::move(then)] { then(keyringError()); });
#endif
}

} // namespace cudal1::models
