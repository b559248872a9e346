// SPDX-License-Identifier: GPL-3.0-or-later
// What settings of a model are good, and where its requests go.
#include "core/models/endpointsettings.h"

#include "core/models/settingscheck.h"
#include "core/policy/chattext.h"

#include <QHostAddress>
#include <QUrl>
#include <QUrlQuery>

#include <cmath>

namespace cudal1::models {

namespace {

base::Status checkUrl(const EndpointSettings& settings)
{
    const QUrl url(QString::fromStdString(settings.url), QUrl::StrictMode);
    if (!url.isValid() || url.host().isEmpty() || (url.scheme() != "http" && url.scheme() != "https"))
        return wrongSetting("The URL of a model is http://… or https://…", "For example http://127.0.0.1:8000/v1");
    if (!url.userInfo().isEmpty())
        return wrongSetting("The URL of a model must not hold a user or a password",
                            "Keys come from an environment variable or from the keyring");
    if (url.hasFragment())
        return wrongSetting("The URL of a model has no part behind a #");
    for (const auto& item : QUrlQuery(url).queryItems())
        if (item.first.contains("key", Qt::CaseInsensitive) || item.first.contains("token", Qt::CaseInsensitive))
            return wrongSetting("The URL of a model must not hold a key, and this one has a part that looks like one",
                                "Keys come from an environment variable or from the keyring");
    return {};
}

base::Status checkKeyPlace(const EndpointSettings& settings)
{
    // A key that was given in place of the variable's name must not be kept or shown, so that the rule is strict.
    if (!settings.keyVariable.empty() && !matchesWhole(settings.keyVariable, "[A-Z_][A-Z0-9_]{0,63}"))
        return wrongSetting("The key is given by the NAME of an environment variable, in capital letters, digits and _",
                            "Put the key into such a variable, and give the variable's name");
    if (!settings.keyVariable.empty() && settings.keyInKeyring)
        return wrongSetting("The key is either in an environment variable or in the keyring", "Choose one of them");
    return {};
}

bool positive(double value)
{
    return std::isfinite(value) && value > 0;
}

base::Status checkMoney(const EndpointSettings& settings)
{
    const RunLimits& limits = settings.limits;
    if (settings.price) {
        const auto good = [](double price) { return std::isfinite(price) && price >= 0; };
        if (!good(settings.price->prompt) || !good(settings.price->reply))
            return wrongSetting("A price of a million tokens is a number from 0");
        if (!matchesWhole(settings.price->unit, "[^\\s\\p{C}]{1,16}"))
            return wrongSetting("The unit of a price is a short word such as USD");
    }
    if (limits.seconds && !positive(*limits.seconds))
        return wrongSetting("The limit of seconds of a run is a number above 0");
    if (limits.tokens && *limits.tokens < 1)
        return wrongSetting("The limit of tokens of a run is a whole number from 1");
    if (limits.cost && !positive(*limits.cost))
        return wrongSetting("The limit of money of a run is a number above 0");
    if (limits.cost && !settings.price)
        return wrongSetting("A limit of money needs the price of tokens", "Give the prices too");
    if (limits.cost && limits.costUnit != settings.price->unit)
        return wrongSetting("The limit of money and the price have different units");
    return {};
}

} // namespace

base::Status checkName(const std::string& name)
{
    if (!matchesWhole(name, "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"))
        return wrongSetting(
            "The name of a model has letters, digits, '.', '_' and '-', begins with a letter or digit, and "
            "has at most 64 characters");
    return {};
}

base::Status check(const EndpointSettings& settings)
{
    if (const auto name = checkName(settings.name); !name)
        return name.error();
    if (const auto url = checkUrl(settings); !url)
        return url.error();
    if (!matchesWhole(settings.model, "[^\\s\\p{C}][^\\p{C}]{0,255}"))
        return wrongSetting("The id of the model is missing, or is no plain text",
                            "It is what the server calls the model; many list theirs at …/v1/models");
    if (const auto sampling = policy::checkSettings(settings.sampling); !sampling)
        return sampling.error();
    if (const auto place = checkKeyPlace(settings); !place)
        return place.error();
    if (const auto money = checkMoney(settings); !money)
        return money.error();
    const Patience& patience = settings.patience;
    for (const double seconds : {patience.connect_s, patience.silence_s, patience.reply_s})
        if (!positive(seconds) || seconds > 1e6)
            return wrongSetting("A limit of waiting is a number of seconds above 0 and up to a million");
    if (patience.retries < 0 || patience.retries > 20)
        return wrongSetting("The number of retries is a whole number from 0 to 20");
    if (settings.parallel < 1 || settings.parallel > 256)
        return wrongSetting("The number of parallel requests is a whole number from 1 to 256");
    return {};
}

QUrl requestUrl(const EndpointSettings& settings)
{
    QUrl url(QString::fromStdString(settings.url), QUrl::StrictMode);
    QString path = url.path();
    while (path.endsWith('/'))
        path.chop(1);
    if (path.isEmpty())
        path = QStringLiteral("/v1");
    if (!path.endsWith(QLatin1String("/chat/completions")))
        path += QStringLiteral("/chat/completions");
    url.setPath(path);
    return url;
}

bool sentInClear(const EndpointSettings& settings)
{
    const QUrl url = requestUrl(settings);
    const QHostAddress address(url.host());
    return url.scheme() == "http" && url.host() != "localhost" && !address.isLoopback();
}

} // namespace cudal1::models
