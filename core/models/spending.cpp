// SPDX-License-Identifier: GPL-3.0-or-later
// Ledgers in the project's cache.
#include "core/models/spending.h"

#include <utility>

namespace cudal1::models {

Spending::Spending(store::Project& project, std::string key, std::shared_ptr<RunLedgers> ledgers, bool anew)
    : m_project(project), m_key(std::move(key)), m_ledgers(std::move(ledgers))
{
    if (anew)
        (void)m_project.putCache(m_key, toJson(RunSpending()));
    else
        m_ledgers->goOnFrom(spendingOf(m_project, m_key));
    m_ledgers->setOnChange([this] { write(); });
}

Spending::~Spending()
{
    m_ledgers->setOnChange({});
    if (m_ledgers->all()->totals().requests > 0)
        write(); // with the seconds since the last reply
}

void Spending::write()
{
    (void)m_project.putCache(m_key, toJson(m_ledgers->spent())); // the next one may find the project free
}

std::string spendingKey(base::RunId run)
{
    return spendingKey("run/" + std::to_string(run.value));
}

std::string spendingKey(const std::string& campaign)
{
    return campaign + "/spending";
}

RunSpending spendingOf(const store::Project& project, const std::string& key)
{
    const auto text = project.cache(key);
    return text && *text ? spendingFromJson(**text) : RunSpending();
}

} // namespace cudal1::models
