// SPDX-License-Identifier: GPL-3.0-or-later
// Launchers from texts, and their names.
#include "ui/work/evaluatorsettings.h"

#include "ui/kit/settings.h"
#include "ui/work/controller.h"

#include <algorithm>

namespace cudal1::ui {

std::vector<farm::Launcher> launchersOfSettings()
{
    const QString own = Settings::instance().text("evaluator");
    std::vector<farm::Launcher> out;
    out.push_back(own.isEmpty() || qEnvironmentVariableIsSet("CUDAL1_EVALUATOR") ? farm::Launcher::standard()
                                                                                 : farm::Launcher::fromText(own));
    for (const QString& line : Settings::instance().text("evaluators").split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        if (const farm::Launcher one = farm::Launcher::fromText(line.trimmed());
            !one.isEmpty() && std::find(out.begin(), out.end(), one) == out.end())
            out.push_back(one);
    return out;
}

std::vector<RunChoice::Elsewhere> elsewhereOf(const std::vector<farm::Launcher>& all)
{
    std::vector<RunChoice::Elsewhere> others;
    for (std::size_t i = 1; i < all.size(); ++i) {
        QString where = all[i].mayWait() ? all[i].place() : Controller::tr("evaluator %1").arg(i + 1);
        if (std::any_of(others.begin(), others.end(), [&](const auto& one) { return one.where == where; }))
            where = Controller::tr("%1 (evaluator %2)").arg(where).arg(i + 1); // two of one machine
        others.push_back({all[i], where});
    }
    return others;
}

} // namespace cudal1::ui
