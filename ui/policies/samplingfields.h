// SPDX-License-Identifier: GPL-3.0-or-later
// How a model draws its replies, as fields of its form.
#pragma once

#include "core/policy/chatmodel.h"
#include "ui/policies/namedform.h"

class QFormLayout;

namespace cudal1::ui {

/// Fields that are left empty are the model's own defaults. The form owns the fields and must outlive this.
class SamplingFields {
public:
    /// Two rows at the end of `layout`. `prefix`: of the fields' names, for tests: "modelTemperature".
    SamplingFields(NamedForm& form, QFormLayout& layout, const QString& prefix);

    void show(const policy::SamplingSettings& settings);
    /// InvalidArgument for a number that is none. What has no field stays as it is.
    base::Status read(policy::SamplingSettings& settings) const;

private:
    QLineEdit *m_temperature, *m_topP, *m_maxTokens, *m_seed;
};

} // namespace cudal1::ui
