// SPDX-License-Identifier: GPL-3.0-or-later
// What is chosen for the next run: policies, device, precision, preset and rounds. The tool bar and the pages share it.
#pragma once

#include "core/protocol/messages.h"
#include "ui/work/request.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace cudal1::ui {

/// Lives on the GUI thread. A setter that is given what is chosen already emits nothing.
class RunChoice : public QObject {
    Q_OBJECT
public:
    /// A device that can be chosen.
    struct Device {
        Place place;
        protocol::DeviceInfo info; ///< with nothing but a name until its evaluator has described it
    };

    explicit RunChoice(QObject* parent = nullptr);

    /// This machine's devices first, beginning with the CPU. There is only that until evaluators have described their
    /// machines.
    const std::vector<Device>& devices() const { return m_devices; }
    /// An evaluator beside the usual one. `where` follows the names of its devices: "cuda:0 on gpu1".
    struct Elsewhere {
        farm::Launcher launcher;
        QString where;
    };
    /// Says which evaluators there are beside the usual one. Devices of any other evaluator are taken off the list, and
    /// where the chosen one was among them, the first device is chosen.
    void setEvaluators(std::vector<Elsewhere> others);
    /// The evaluator that `launcher` starts (empty: the usual one) has these devices now. Where the chosen one was of
    /// this evaluator and is no longer there, the first device is chosen. An empty list changes nothing.
    void setDevices(const std::vector<protocol::DeviceInfo>& devices, const farm::Launcher& launcher = {});

    /// What this machine's evaluator lacks.
    void setMissing(const std::vector<protocol::Reason>& missing);
    /// Why this machine has no GPU to judge on, in lines; empty until that is known, or where it has one.
    const QString& whyNoGpu() const { return m_whyNoGpu; }

    /// Whether anything can be begun: not where the project may not be written.
    void setStartable(bool startable);
    bool isStartable() const { return m_startable; }

    /// The name of the chosen device: "cpu", "cuda:0", "cuda:0 on gpu1". It may be one that no evaluator has described
    /// yet.
    QString device() const { return m_device; }
    Place place() const;
    /// What is known of the chosen device; empty until an evaluator has described it.
    std::optional<protocol::DeviceInfo> chosen() const;
    protocol::Precision precision() const { return m_precision; }
    protocol::Preset preset() const { return m_preset; }
    /// What a search judges its proposals with: `quick` where `standard` is chosen, since a search measures with
    /// `standard` what it finds best.
    protocol::Preset searchPreset() const;
    int rounds() const { return m_rounds; }
    /// Of a search with all of this, and with the time limit of the settings; without task and place.
    optimize::SearchOptions searchOptions() const;
    /// Who is asked, and how.
    const language::PolicyChoice& policies() const { return m_policies; }

    void setDevice(const QString& device);
    void setPrecision(protocol::Precision precision);
    void setPreset(protocol::Preset preset);
    void setRounds(int rounds);
    /// Chooses policies by their names in PolicyChoice. A name that is not valid leaves everything as it is.
    void setPolicyNames(const std::vector<std::string>& names);
    /// A method with values out of range leaves everything as it is.
    void setMethod(const language::AskMethod& method);

    /// "cpu", or "cuda:0  NVIDIA H200".
    static QString label(const Device& device);
    // Sentences for tool tips and menus.
    static QString describe(protocol::Precision precision);
    static QString describe(protocol::Preset preset);
    static QString describe(language::AskMethod::Kind kind);
    /// "library", "qwen3, contrastive", "library + qwen3, vanilla", "3 policies, vanilla".
    static QString label(const language::PolicyChoice& policies);

signals:
    void changed();
    void devicesChanged();
    void evaluatorsWanted(); ///< a person wants to name an evaluator of another machine

private:
    QString m_whyNoGpu;
    bool m_startable = true;
    std::vector<Elsewhere> m_others;
    std::vector<Device> m_devices;
    QString m_device = QStringLiteral("cpu");
    protocol::Precision m_precision = protocol::Precision::Kernelbench;
    protocol::Preset m_preset = protocol::Preset::Standard;
    int m_rounds = 3;
    language::PolicyChoice m_policies;
};

} // namespace cudal1::ui
