// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of one language model.
#pragma once

#include "core/base/result.h"
#include "core/models/endpointsettings.h"
#include "core/models/secret.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace cudal1::ui {

/// Fields that are left empty are the model's own defaults. A key that is typed is never shown, and is held nowhere
/// else; a key that is in the keyring is not read.
class ModelForm : public QWidget {
    Q_OBJECT
public:
    explicit ModelForm(QWidget* parent = nullptr);

    /// What the form has no field for stays as it is here.
    void show(const models::EndpointSettings& settings, bool isNew);
    /// InvalidArgument for a number that is none; not checked further.
    base::Result<models::EndpointSettings> settings() const;
    /// What was typed as key, once: the field is empty afterwards. Empty where the key is not kept in the keyring.
    models::Secret takeKey();
    bool needsKey() const; ///< the keyring was chosen for a model whose key is not there yet, and none was typed
    bool isNew() const { return m_isNew; }
    void focusName();

signals:
    void edited();

private:
    enum KeyPlace { None, Variable, Keyring };
    QLineEdit* line(const char* name, const QString& label, const QString& hint, const QString& tip);
    void showKeyPlace();
    void showKeyState();

    models::EndpointSettings m_from;
    bool m_isNew = true;
    QLineEdit *m_name, *m_url, *m_model, *m_variable, *m_key, *m_temperature, *m_topP, *m_maxTokens, *m_seed,
        *m_priceIn, *m_priceOut, *m_unit;
    QComboBox* m_keyPlace;
    QLabel* m_keyNote;
    QSpinBox* m_parallel;
    bool m_filling = false;
};

} // namespace cudal1::ui
