// SPDX-License-Identifier: GPL-3.0-or-later
// How the next run shall be made: policies, device, precision, preset and rounds, shared by the tool bar and the pages.
#pragma once

#include "core/protocol/messages.h"
#include "ui/work/request.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace cudal1::ui {

class RunChoice : public QObject {
    Q_OBJECT
public:
    /// A device of one of the evaluators.
    struct Device {
        Place place;
        protocol::DeviceInfo info; ///< its name alone until an evaluator has described it
    };

    explicit RunChoice(QObject* parent = nullptr);

    /// The CPU first; more once evaluators have described their machines.
    const std::vector<Device>& devices() const { return m_devices; }
    /// An evaluator beside the usual one. `where` follows the names of its devices: "cuda:0 on gpu1".
    struct Elsewhere {
        farm::Launcher launcher;
        QString where;
    };
    /// Devices of others are taken off the list.
    void setEvaluators(std::vector<Elsewhere> others);
    /// Of the evaluator that is started so; empty for the usual one.
    void setDevices(const std::vector<protocol::DeviceInfo>& devices, const farm::Launcher& launcher = {});

    /// By name: "cpu", "cuda:0", "cuda:0 on gpu1".
    QString device() const { return m_device; }
    Place place() const;
    /// What is known of the chosen device; empty until an evaluator has described it.
    std::optional<protocol::DeviceInfo> chosen() const;
    protocol::Precision precision() const { return m_precision; }
    protocol::Preset preset() const { return m_preset; }
    int rounds() const { return m_rounds; }
    /// Who is asked, and how.
    const language::PolicyChoice& policies() const { return m_policies; }

    void setDevice(const QString& device);
    void setPrecision(protocol::Precision precision);
    void setPreset(protocol::Preset preset);
    void setRounds(int rounds);
    /// Names as PolicyChoice has them; names that are none change nothing.
    void setPolicyNames(const std::vector<std::string>& names);
    /// A method that cannot be changes nothing.
    void setMethod(const language::AskMethod& method);

    /// "cpu", or "cuda:0  NVIDIA H200".
    static QString label(const Device& device);
    /// A sentence for tool tips and menus.
    static QString describe(protocol::Precision precision);
    static QString describe(protocol::Preset preset);
    static QString describe(language::AskMethod::Kind kind);
    /// "library", "qwen3, contrastive", "library + qwen3, vanilla", "3 policies, vanilla".
    static QString label(const language::PolicyChoice& policies);

signals:
    void changed();
    void devicesChanged();

private:
    std::vector<Elsewhere> m_others;
    std::vector<Device> m_devices;
    QString m_device = QStringLiteral("cpu");
    protocol::Precision m_precision = protocol::Precision::Kernelbench;
    protocol::Preset m_preset = protocol::Preset::Standard;
    int m_rounds = 3;
    language::PolicyChoice m_policies;
};

} // namespace cudal1::ui
