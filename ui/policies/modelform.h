// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a language model behind a server.
#pragma once

#include "ui/policies/samplingfields.h"

#include <memory>

class QComboBox;
class QLabel;
class QSpinBox;

namespace cudal1::ui {

/// Fields that are left empty are the model's own defaults. A key that is typed is never shown, and is held nowhere
/// else; a key that is in the keyring is not read.
class ModelForm : public NamedForm {
    Q_OBJECT
public:
    explicit ModelForm(QWidget* parent = nullptr);

    base::Result<models::NamedModel> settings() const override;
    models::Secret takeKey() override;
    bool needsKey() const override;

private:
    enum KeyPlace { None, Variable, Keyring };
    void fill(const models::NamedModel& model) override;
    void showKeyPlace();
    void showKeyState();

    models::EndpointSettings m_from;
    QLineEdit *m_url, *m_model, *m_variable, *m_key, *m_temperature, *m_topP, *m_maxTokens, *m_seed, *m_priceIn,
        *m_priceOut, *m_unit;
    std::unique_ptr<SamplingFields> m_sampling;
    QComboBox* m_keyPlace;
    QLabel* m_keyNote;
    QSpinBox* m_parallel;
};

} // namespace cudal1::ui
