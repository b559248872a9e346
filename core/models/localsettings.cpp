// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of local models: what is good, as JSON, as arguments.
#include "core/models/localsettings.h"

#include "core/models/fieldreader.h"
#include "core/models/settingscheck.h"
#include "core/policy/chattext.h"

#include <array>
#include <cmath>
#include <utility>

namespace cudal1::models {

namespace {

using nlohmann::json;

constexpr int mostCount = 1 << 30;

struct Count {
    const char* field;
    const char* option; ///< of cudal1-model
    int LocalSettings::*value;
};
constexpr std::array counts{Count{"threads", "--threads", &LocalSettings::threads},
                            Count{"context", "--context", &LocalSettings::context},
                            Count{"cache_mib", "--cache-mib", &LocalSettings::cache_mib},
                            Count{"parallel", "--replies", &LocalSettings::parallel}};

} // namespace

base::Status check(const LocalSettings& settings)
{
    if (const auto name = checkName(settings.name); !name)
        return name.error();
    if (settings.path.empty() || settings.path.find('\n') != std::string::npos)
        return wrongSetting("The path of a model is that of a Hugging Face folder or of a .gguf file");
    if (!matchesWhole(settings.device, "cpu|cuda:[0-9]{1,3}"))
        return wrongSetting("The device of a model is cpu, cuda:0, cuda:1, …");
    if (!settings.dtype.empty() && settings.dtype != "float32" && settings.dtype != "bfloat16")
        return wrongSetting("The dtype of a model is float32 or bfloat16");
    for (const Count& count : counts)
        if (settings.*count.value < 0 || settings.*count.value >= mostCount)
            return wrongSetting(std::string("\"") + count.field + "\" of a model is a whole number from 1");
    if (const auto sampling = policy::checkSettings(settings.sampling); !sampling)
        return sampling.error();
    const RunLimits& limits = settings.limits;
    for (const auto& limit : {limits.seconds, limits.cost})
        if (limit && !(std::isfinite(*limit) && *limit > 0))
            return wrongSetting("A limit of a run is a number above 0");
    if (limits.tokens && *limits.tokens < 1)
        return wrongSetting("The limit of tokens of a run is a whole number from 1");
    return {};
}

std::string deviceUnit(const LocalSettings& settings)
{
    return settings.device == "cpu" ? "CPU s" : "GPU s";
}

QStringList serveArguments(const LocalSettings& settings)
{
    QStringList out{"serve", QString::fromStdString(settings.path), "--device",
                    QString::fromStdString(settings.device)};
    if (!settings.dtype.empty())
        out << "--numbers" << QString::fromStdString(settings.dtype);
    for (const Count& count : counts)
        if (settings.*count.value > 0)
            out << count.option << QString::number(settings.*count.value);
    return out;
}

json toJson(const LocalSettings& settings)
{
    json out{{"name", settings.name}, {"path", settings.path}, {"device", settings.device}};
    if (!settings.dtype.empty())
        out["dtype"] = settings.dtype;
    for (const Count& count : counts)
        if (settings.*count.value > 0)
            out[count.field] = settings.*count.value;
    if (json sampling = json::parse(policy::settingsText(settings.sampling)); !sampling.empty())
        out["sampling"] = std::move(sampling);
    if (json limits = limitsJson(settings.limits); !limits.empty())
        out["limits"] = std::move(limits);
    return out;
}

base::Result<LocalSettings> localOf(const json& object)
{
    LocalSettings out;
    FieldReader reader(object, {});
    reader.text("name", out.name);
    reader.text("path", out.path);
    reader.text("device", out.device);
    reader.text("dtype", out.dtype);
    for (const Count& count : counts)
        reader.whole(count.field, out.*count.value);
    std::string problem;
    if (const json* value = reader.found("sampling")) {
        auto sampling = policy::settingsOf(value->dump(-1, ' ', false, json::error_handler_t::replace));
        if (sampling)
            out.sampling = std::move(*sampling);
        else
            problem = sampling.error().message;
    }
    if (const json* value = reader.found("limits"); value && problem.empty())
        problem = readLimits(*value, out.limits);
    if (const std::string own = reader.wrong(); !own.empty())
        problem = own;
    if (!problem.empty())
        return wrongSetting(problem);
    out.limits.costUnit = deviceUnit(out);
    if (const auto good = check(out); !good)
        return good.error();
    return out;
}

} // namespace cudal1::models
