// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of what made a variant (prompt and reply) and of what it runs (captured kernels).
#include "core/store/failure.h"
#include "core/store/tables.h"

#include <nlohmann/json.hpp>

namespace cudal1::store {

using base::ErrorCode;
using nlohmann::json;

namespace {

QByteArray packed(const std::string& text)
{
    return qCompress(reinterpret_cast<const uchar*>(text.data()), static_cast<qsizetype>(text.size()));
}

std::string unpacked(const QVariant& blob)
{
    return qUncompress(blob.toByteArray()).toStdString();
}

} // namespace

void putExchange(Database& database, base::VariantId variant, const Exchange& exchange)
{
    demandVariant(database, variant);
    database.run("INSERT OR REPLACE INTO exchanges (variant, prompt_zlib, reply_zlib) VALUES (?, ?, ?)",
                 {bound(variant.value), packed(exchange.prompt), packed(exchange.reply)});
}

std::optional<Exchange> readExchange(const Database& database, base::VariantId variant)
{
    std::optional<Exchange> found;
    database.each("SELECT prompt_zlib, reply_zlib FROM exchanges WHERE variant = ?", {bound(variant.value)},
                  [&](const QSqlQuery& row) { found = Exchange{unpacked(row.value(0)), unpacked(row.value(1))}; });
    return found;
}

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
    database.each("SELECT created_ms, json_zlib FROM kernels WHERE variant = ? ORDER BY created_ms DESC, device_model", {bound(variant.value)},
                  [&](const QSqlQuery& row) {
                      try {
                          found.push_back({number(row, 0), json::parse(unpacked(row.value(1))).get<protocol::Kernels>()});
                      } catch (const json::exception& exception) {
                          throw Failure({ErrorCode::Corrupt, "The kernels of variant " + std::to_string(variant.value) + " are damaged",
                                         exception.what(), "Capture them again: `cudal1 kernels " + std::to_string(variant.value) + " --capture`"});
                      }
                  });
    return found;
}

} // namespace cudal1::store
