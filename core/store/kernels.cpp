// SPDX-License-Identifier: GPL-3.0-or-later
// The table of what variants run: captured kernels.
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <nlohmann/json.hpp>

namespace cudal1::store {

using base::ErrorCode;
using nlohmann::json;

void putKernels(Database& database, base::VariantId variant, const protocol::Kernels& kernels)
{
    demandVariant(database, variant);
    const std::string text = json(kernels).dump(-1, ' ', false, json::error_handler_t::replace);
    database.run("INSERT OR REPLACE INTO kernels (variant, device_model, created_ms, json_zlib) VALUES (?, ?, ?, ?)",
                 {bound(variant.value), bound(kernels.device.model), bound(nowMs()), packed(text)});
}

std::vector<KernelsRecord> readKernels(const Database& database, base::VariantId variant)
{
    std::vector<KernelsRecord> found;
    database.each(
        "SELECT created_ms, json_zlib FROM kernels WHERE variant = ? ORDER BY created_ms DESC, device_model",
        {bound(variant.value)}, [&](const QSqlQuery& row) {
            try {
                found.push_back({number(row, 0), json::parse(unpacked(row.value(1))).get<protocol::Kernels>()});
            } catch (const json::exception& exception) {
                throw Failure({ErrorCode::Corrupt,
                               "The kernels of variant " + std::to_string(variant.value) + " are damaged",
                               exception.what(),
                               "Capture them again: `cudal1 kernels " + std::to_string(variant.value) + " --capture`"});
            }
        });
    return found;
}

} // namespace cudal1::store
