// SPDX-License-Identifier: GPL-3.0-or-later
// The choice for the next run, and the sentences that explain it.
#include "ui/work/runchoice.h"

#include "ui/kit/settings.h"

#include <algorithm>

namespace cudal1::ui {

RunChoice::RunChoice(QObject* parent) : QObject(parent)
{
    protocol::DeviceInfo cpu;
    cpu.name = "cpu";
    m_devices.push_back({{{}, QStringLiteral("cpu"), QStringLiteral("cpu")}, cpu});
}

void RunChoice::setEvaluators(std::vector<Elsewhere> others)
{
    m_others = std::move(others);
    const auto known = [this](const farm::Launcher& launcher) {
        return launcher.isEmpty() || std::any_of(m_others.begin(), m_others.end(),
                                                 [&](const Elsewhere& one) { return one.launcher == launcher; });
    };
    if (std::erase_if(m_devices, [&](const Device& one) { return !known(one.place.launcher); }) > 0)
        emit devicesChanged();
    if (!known(place().launcher))
        setDevice(m_devices.front().place.name);
}

void RunChoice::setDevices(const std::vector<protocol::DeviceInfo>& devices, const farm::Launcher& launcher)
{
    const auto other = std::find_if(m_others.begin(), m_others.end(),
                                    [&](const Elsewhere& one) { return one.launcher == launcher; });
    if (devices.empty() || (!launcher.isEmpty() && other == m_others.end()))
        return;
    const bool chosenHere = place().launcher == launcher;
    std::erase_if(m_devices, [&](const Device& one) { return one.place.launcher == launcher; });
    auto at = launcher.isEmpty() ? m_devices.begin() : m_devices.end();
    for (const protocol::DeviceInfo& info : devices) {
        const QString device = QString::fromStdString(info.name);
        const QString name = launcher.isEmpty() ? device : device + QStringLiteral(" on ") + other->where;
        at = m_devices.insert(at, {{launcher, device, name}, info}) + 1;
    }
    emit devicesChanged();
    // What was chosen of another evaluator stays until that one has said what it has.
    if (chosenHere && std::none_of(m_devices.begin(), m_devices.end(),
                                   [this](const Device& one) { return one.place.name == m_device; }))
        setDevice(m_devices.front().place.name);
}

void RunChoice::setMissing(const std::vector<protocol::Reason>& missing)
{
    QString why;
    for (const protocol::Reason& one : missing)
        if (one.code == "no_gpu")
            why = QString::fromStdString(one.text + '\n' + one.evidence).trimmed();
    if (why == m_whyNoGpu)
        return;
    m_whyNoGpu = why;
    emit devicesChanged();
}

void RunChoice::setStartable(bool startable)
{
    if (startable == m_startable)
        return;
    m_startable = startable;
    emit changed();
}

Place RunChoice::place() const
{
    for (const Device& one : m_devices)
        if (one.place.name == m_device)
            return one.place;
    // Of the settings, before its evaluator has said what there is.
    for (const Elsewhere& one : m_others)
        if (const QString end = QStringLiteral(" on ") + one.where; m_device.endsWith(end))
            return {one.launcher, m_device.chopped(end.size()), m_device};
    return {{}, m_device, m_device};
}

std::optional<protocol::DeviceInfo> RunChoice::chosen() const
{
    for (const Device& one : m_devices)
        if (one.place.name == m_device && !one.info.model.empty())
            return one.info;
    return std::nullopt;
}

void RunChoice::setDevice(const QString& device)
{
    if (device.isEmpty() || device == m_device)
        return;
    m_device = device;
    emit changed();
}

void RunChoice::setPrecision(protocol::Precision precision)
{
    if (precision == m_precision)
        return;
    m_precision = precision;
    emit changed();
}

protocol::Preset RunChoice::searchPreset() const
{
    return m_preset == protocol::Preset::Standard ? protocol::Preset::Quick : m_preset;
}

optimize::SearchOptions RunChoice::searchOptions() const
{
    optimize::SearchOptions out;
    out.precision = m_precision;
    out.preset = searchPreset();
    out.rounds = m_rounds;
    out.budget_s = Settings::instance().number("budget");
    out.method = m_policies.methodText();
    return out;
}

void RunChoice::setPreset(protocol::Preset preset)
{
    if (preset == m_preset)
        return;
    m_preset = preset;
    emit changed();
}

void RunChoice::setRounds(int rounds)
{
    rounds = std::clamp(rounds, 1, 100);
    if (rounds == m_rounds)
        return;
    m_rounds = rounds;
    emit changed();
}

void RunChoice::setPolicyNames(const std::vector<std::string>& names)
{
    const auto choice = language::PolicyChoice::of(names, m_policies.method());
    if (!choice || *choice == m_policies)
        return;
    m_policies = *choice;
    emit changed();
}

void RunChoice::setMethod(const language::AskMethod& method)
{
    if (!language::check(method) || method == m_policies.method())
        return;
    m_policies = *language::PolicyChoice::of(m_policies.names(), method);
    emit changed();
}

QString RunChoice::label(const language::PolicyChoice& policies)
{
    QStringList names;
    for (const std::string& name : policies.names())
        names << QString::fromStdString(name.substr(name.find(':') + 1));
    QString out = names.size() > 2 ? tr("%1 policies").arg(names.size()) : names.join(QStringLiteral(" + "));
    if (policies.asksModel()) {
        const std::string_view word = language::wordOf(policies.method().kind);
        out += QStringLiteral(", ") + QString::fromUtf8(word);
    }
    return out;
}

QString RunChoice::describe(language::AskMethod::Kind kind)
{
    using Kind = language::AskMethod::Kind;
    switch (kind) {
    case Kind::Vanilla: return tr("Best of several replies: the model sees the task alone.");
    case Kind::Evolve: return tr("The model sees up to four earlier variants of one island.");
    case Kind::Contrastive: return tr("The model compares two earlier variants of different speed.");
    case Kind::MultiTurn: return tr("A conversation: what the judge says is the next message.");
    }
    return {};
}

QString RunChoice::label(const Device& device)
{
    return device.info.model.empty()
             ? device.place.name
             : device.place.name + QStringLiteral("  ") + QString::fromStdString(device.info.model);
}

QString RunChoice::describe(protocol::Precision precision)
{
    switch (precision) {
    case protocol::Precision::Kernelbench:
        return tr("Both sides start from the framework's defaults, as in KernelBench.");
    case protocol::Precision::Ieee: return tr("Full single precision: no TF32 on either side.");
    case protocol::Precision::Tf32: return tr("TF32 products are allowed on both sides.");
    }
    return {};
}

QString RunChoice::describe(protocol::Preset preset)
{
    switch (preset) {
    case protocol::Preset::Quick: return tr("Quick: at most 2 s of timing a variant.");
    case protocol::Preset::Standard:
        return tr("Standard: until the interval is within 1 %, at most 10 s of timing a variant. Optimize judges what "
                  "it tries with quick, and what it finds best with standard.");
    case protocol::Preset::Paper: return tr("Paper: the protocol of the paper, 1000 trials and long timing.");
    }
    return {};
}

} // namespace cudal1::ui
