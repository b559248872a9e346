// SPDX-License-Identifier: GPL-3.0-or-later
// Ledgers by model.
#include "core/models/runledgers.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace cudal1::models {

RunLedgers::~RunLedgers()
{
    setOnChange({}); // models may live longer
}

std::shared_ptr<Ledger> RunLedgers::of(const std::string& model, const RunLimits& limits)
{
    std::shared_ptr<Ledger>& ledger = m_models[model];
    if (!ledger) {
        ledger = std::make_shared<Ledger>(limits);
        if (const auto before = m_before.models.find(model); before != m_before.models.end())
            ledger->goOnFrom(before->second);
        ledger->setOnChange(m_onChange);
    }
    return ledger;
}

void RunLedgers::goOnFrom(const RunSpending& before)
{
    m_before = before;
    m_all->goOnFrom(before.all);
    for (const auto& [model, totals] : before.models)
        if (const auto known = m_models.find(model); known != m_models.end())
            known->second->goOnFrom(totals);
}

RunSpending RunLedgers::spent() const
{
    RunSpending out{m_all->totals(), m_before.models};
    for (const auto& [model, ledger] : m_models)
        out.models[model] = ledger->totals();
    return out;
}

void RunLedgers::setOnChange(std::function<void()> onChange)
{
    m_onChange = std::move(onChange);
    m_all->setOnChange(m_onChange);
    for (const auto& [model, ledger] : m_models)
        ledger->setOnChange(m_onChange);
}

std::string toJson(const RunSpending& spending)
{
    nlohmann::json out = nlohmann::json::parse(toJson(spending.all));
    out["models"] = nlohmann::json::object();
    for (const auto& [model, totals] : spending.models)
        out["models"][model] = nlohmann::json::parse(toJson(totals));
    return out.dump();
}

RunSpending spendingFromJson(const std::string& text)
{
    RunSpending out;
    out.all = totalsFromJson(text);
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_object() && json.contains("models") && json["models"].is_object())
        for (const auto& [model, totals] : json["models"].items())
            out.models[model] = totalsFromJson(totals.dump());
    return out;
}

} // namespace cudal1::models
