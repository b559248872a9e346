// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of one named model, whatever its kind.
#pragma once

#include "core/base/result.h"
#include "core/models/modelregistry.h"
#include "core/models/secret.h"

#include <QLineEdit>
#include <QWidget>

class QFormLayout;

namespace cudal1::ui {

/// One kind of model has one such form. Settings that a form has no field for stay as they were shown.
class NamedForm : public QWidget {
    Q_OBJECT
public:
    /// `name`: of the field of the model's name, for tests.
    NamedForm(const QString& name, const QString& example, QWidget* parent = nullptr);

    /// `model` is of the form's kind.
    void show(const models::NamedModel& model, bool isNew);
    /// InvalidArgument for text that is no setting; not checked further.
    virtual base::Result<models::NamedModel> settings() const = 0;
    /// What was typed as key, once: the field is empty afterwards. Empty where there is none to keep in the keyring.
    virtual models::Secret takeKey();
    virtual bool needsKey() const { return false; } ///< the keyring was chosen, and no key is there
    bool isNew() const { return m_isNew; }
    void focusName() { m_name->setFocus(); }
    /// A field of this form. `name` is for tests, `label` for those who cannot see.
    QLineEdit* line(const QString& name, const QString& label, const QString& hint, const QString& tip);
    void changed(); ///< for fields to tell, by the user or by fill(): edited() follows for the former alone

signals:
    void edited(); ///< by the user

protected:
    virtual void fill(const models::NamedModel& model) = 0;
    QFormLayout* makeLayout(); ///< of the form, with the name in its first row
    std::string name() const { return m_name->text().trimmed().toStdString(); }

private:
    QLineEdit* m_name;
    bool m_isNew = true, m_filling = false;
};

} // namespace cudal1::ui
