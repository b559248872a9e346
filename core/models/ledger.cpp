// SPDX-License-Identifier: GPL-3.0-or-later
// Counting tokens, money and time against the limits of a run.
#include "core/models/ledger.h"

#include "core/base/timetext.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <utility>

namespace cudal1::models {

namespace {

constexpr std::int64_t bytesOfToken = 3;

base::Error reached(const std::string& what, const std::string& limit)
{
    return {base::ErrorCode::LimitReached,
            "The run has reached its limit of " + what + ", " + limit,
            {},
            "Raise the limit to go on"};
}

} // namespace

Ledger::Ledger(RunLimits limits, std::function<double()> seconds)
    : m_limits(std::move(limits)), m_seconds(std::move(seconds))
{
}

base::Status Ledger::mayAsk() const
{
    if (const auto left = secondsLeft(); left && *left <= 0)
        return reached("time", base::durationText(*m_limits.seconds));
    if (m_limits.tokens && m_totals.promptTokens + m_totals.replyTokens >= *m_limits.tokens)
        return reached("tokens", std::to_string(*m_limits.tokens));
    if (m_limits.cost) {
        const auto spent = m_totals.cost.find(m_limits.costUnit);
        if (spent != m_totals.cost.end() && spent->second >= *m_limits.cost) {
            char amount[32];
            std::snprintf(amount, sizeof amount, "%.10g ", *m_limits.cost);
            return reached("money", amount + m_limits.costUnit);
        }
    }
    return {};
}

std::optional<double> Ledger::secondsLeft() const
{
    if (!m_limits.seconds)
        return std::nullopt;
    return *m_limits.seconds - m_totals.seconds - sinceBegin();
}

void Ledger::asked(bool again)
{
    if (!m_begun)
        m_begun = m_seconds();
    ++m_totals.requests;
    m_totals.repeated += again;
    if (m_onChange)
        m_onChange();
}

void Ledger::answered(const policy::Usage& usage, const std::optional<TokenPrice>& price, std::int64_t promptBytes,
                      std::int64_t replyBytes, bool whole)
{
    policy::Usage known = usage;
    const auto fill = [&](std::optional<std::int64_t>& tokens, std::int64_t bytes) {
        if (tokens)
            return;
        tokens = (bytes + bytesOfToken - 1) / bytesOfToken;
        m_totals.guessedTokens += *tokens;
    };
    fill(known.promptTokens, promptBytes);
    fill(known.replyTokens, replyBytes);
    m_totals.promptTokens += *known.promptTokens;
    m_totals.replyTokens += *known.replyTokens;
    m_totals.replies += whole;
    if (known.cost)
        m_totals.cost[known.costUnit] += *known.cost;
    else if (const auto cost = costOf(known, price))
        m_totals.cost[price->unit] += *cost;
    if (m_onChange)
        m_onChange();
}

Ledger::Totals Ledger::totals() const
{
    Totals out = m_totals;
    out.seconds += sinceBegin();
    return out;
}

double Ledger::steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string toJson(const Ledger::Totals& totals)
{
    return nlohmann::json{{"requests", totals.requests},
                          {"repeated", totals.repeated},
                          {"replies", totals.replies},
                          {"prompt_tokens", totals.promptTokens},
                          {"reply_tokens", totals.replyTokens},
                          {"guessed_tokens", totals.guessedTokens},
                          {"cost", totals.cost},
                          {"seconds", totals.seconds}}
        .dump();
}

Ledger::Totals totalsFromJson(const std::string& text)
{
    const auto j = nlohmann::json::parse(text, nullptr, false);
    Ledger::Totals out;
    try {
        out.requests = j.at("requests").get<std::int64_t>();
        out.repeated = j.at("repeated").get<std::int64_t>();
        out.replies = j.at("replies").get<std::int64_t>();
        out.promptTokens = j.at("prompt_tokens").get<std::int64_t>();
        out.replyTokens = j.at("reply_tokens").get<std::int64_t>();
        out.guessedTokens = j.at("guessed_tokens").get<std::int64_t>();
        out.cost = j.at("cost").get<std::map<std::string, double>>();
        out.seconds = j.at("seconds").get<double>();
        return out;
    } catch (const nlohmann::json::exception&) {
        return {};
    }
}

std::optional<double> costOf(const policy::Usage& usage, const std::optional<TokenPrice>& price)
{
    if (!price || !usage.promptTokens || !usage.replyTokens)
        return std::nullopt;
    return (double(*usage.promptTokens) * price->prompt + double(*usage.replyTokens) * price->reply) / 1e6;
}

} // namespace cudal1::models
