// SPDX-License-Identifier: GPL-3.0-or-later
// How the next run shall be made: device, precision, preset and rounds, shared by the tool bar and the pages.
#pragma once

#include "core/protocol/messages.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace cudal1::ui {

class RunChoice : public QObject {
    Q_OBJECT
public:
    explicit RunChoice(QObject* parent = nullptr);

    /// The CPU first; more once an evaluator has described the machine.
    const std::vector<protocol::DeviceInfo>& devices() const { return m_devices; }
    void setDevices(std::vector<protocol::DeviceInfo> devices);

    QString device() const { return m_device; } ///< "cpu", "cuda:0"
    /// What is known of the chosen device; empty until an evaluator has described it.
    std::optional<protocol::DeviceInfo> chosen() const;
    protocol::Precision precision() const { return m_precision; }
    protocol::Preset preset() const { return m_preset; }
    int rounds() const { return m_rounds; }

    void setDevice(const QString& device);
    void setPrecision(protocol::Precision precision);
    void setPreset(protocol::Preset preset);
    void setRounds(int rounds);

    /// "cpu", or "cuda:0  NVIDIA H200".
    static QString label(const protocol::DeviceInfo& device);
    /// A sentence for tool tips and menus.
    static QString describe(protocol::Precision precision);
    static QString describe(protocol::Preset preset);

signals:
    void changed();
    void devicesChanged();

private:
    std::vector<protocol::DeviceInfo> m_devices;
    QString m_device = QStringLiteral("cpu");
    protocol::Precision m_precision = protocol::Precision::Kernelbench;
    protocol::Preset m_preset = protocol::Preset::Standard;
    int m_rounds = 3;
};

} // namespace cudal1::ui
