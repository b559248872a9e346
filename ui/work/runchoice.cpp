// SPDX-License-Identifier: GPL-3.0-or-later
// The choice for the next run, and the sentences that explain it.
#include "ui/work/runchoice.h"

#include <algorithm>

namespace cudal1::ui {

RunChoice::RunChoice(QObject* parent) : QObject(parent)
{
    protocol::DeviceInfo cpu;
    cpu.name = "cpu";
    m_devices.push_back(cpu);
}

void RunChoice::setDevices(std::vector<protocol::DeviceInfo> devices)
{
    if (devices.empty())
        return;
    m_devices = std::move(devices);
    emit devicesChanged();
    const auto chosen = [this](const protocol::DeviceInfo& d) { return QString::fromStdString(d.name) == m_device; };
    if (std::none_of(m_devices.begin(), m_devices.end(), chosen))
        setDevice(QString::fromStdString(m_devices.front().name));
}

std::optional<protocol::DeviceInfo> RunChoice::chosen() const
{
    for (const protocol::DeviceInfo& device : m_devices)
        if (QString::fromStdString(device.name) == m_device && !device.model.empty())
            return device;
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

QString RunChoice::label(const protocol::DeviceInfo& device)
{
    const QString name = QString::fromStdString(device.name);
    return device.model.empty() ? name : name + QStringLiteral("  ") + QString::fromStdString(device.model);
}

QString RunChoice::describe(protocol::Precision precision)
{
    switch (precision) {
    case protocol::Precision::Kernelbench:
        return tr("Both sides start from the framework's defaults, as in KernelBench.");
    case protocol::Precision::Ieee:
        return tr("Full single precision: no TF32 on either side.");
    case protocol::Precision::Tf32:
        return tr("TF32 products are allowed on both sides.");
    }
    return {};
}

QString RunChoice::describe(protocol::Preset preset)
{
    switch (preset) {
    case protocol::Preset::Quick:
        return tr("Quick: at most 2 s of timing a variant.");
    case protocol::Preset::Standard:
        return tr("Standard: until the interval is within 1 %, at most 10 s of timing a variant.");
    case protocol::Preset::Paper:
        return tr("Paper: the protocol of the paper, 1000 trials and long timing.");
    }
    return {};
}

} // namespace cudal1::ui
