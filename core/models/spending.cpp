// SPDX-License-Identifier: GPL-3.0-or-later
// Ledgers in the project's cache.
#include "core/models/spending.h"

#include <utility>

namespace cudal1::models {

Spending::Spending(store::Project& project, std::string key, std::shared_ptr<Ledger> ledger, bool anew)
    : m_project(project), m_key(std::move(key)), m_ledger(std::move(ledger))
{
    if (anew)
        (void)m_project.putCache(m_key, toJson(Ledger::Totals()));
    else
        m_ledger->goOnFrom(spendingOf(m_project, m_key));
    m_ledger->setOnChange([this] { write(); });
}

Spending::~Spending()
{
    m_ledger->setOnChange({});
    if (m_ledger->totals().requests > 0)
        write(); // with the seconds since the last reply
}

void Spending::write()
{
    (void)m_project.putCache(m_key, toJson(m_ledger->totals())); // the next one may find the project free
}

std::string spendingKey(base::RunId run)
{
    return "run/" + std::to_string(run.value) + "/spending";
}

Ledger::Totals spendingOf(const store::Project& project, const std::string& key)
{
    const auto text = project.cache(key);
    return text && *text ? totalsFromJson(**text) : Ledger::Totals();
}

} // namespace cudal1::models
