// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of sampling as fields and back.
#include "ui/policies/samplingfields.h"

#include "ui/kit/tr.h"
#include "ui/policies/numberfields.h"

#include <QFormLayout>

namespace cudal1::ui {

SamplingFields::SamplingFields(NamedForm& form, QFormLayout& layout, const QString& prefix)
{
    const QString own = tr("the model's own");
    m_temperature = form.line(prefix + "Temperature", tr("Temperature"), own, tr("0: always the likeliest token"));
    m_topP = form.line(prefix + "TopP", tr("Top-p"), own,
                       tr("The smallest set of tokens with this probability, above 0 to 1"));
    m_maxTokens = form.line(prefix + "MaxTokens", tr("Most tokens of a reply"), own, tr("Longer replies are cut off"));
    m_seed = form.line(prefix + "Seed", tr("Seed"), own, tr("Reply i of a question is drawn with this seed + i"));
    layout.addRow(tr("Temperature"), besideEachOther(m_temperature, tr("Top-p"), m_topP));
    layout.addRow(tr("Most tokens"), besideEachOther(m_maxTokens, tr("Seed"), m_seed));
}

void SamplingFields::show(const policy::SamplingSettings& settings)
{
    m_temperature->setText(numberText(settings.temperature));
    m_topP->setText(numberText(settings.topP));
    m_maxTokens->setText(numberText(settings.maxTokens));
    m_seed->setText(numberText(settings.seed));
}

base::Status SamplingFields::read(policy::SamplingSettings& settings) const
{
    for (const base::Status& status :
         {readNumber(m_temperature, settings.temperature), readNumber(m_topP, settings.topP),
          readWhole(m_maxTokens, settings.maxTokens), readWhole(m_seed, settings.seed)})
        if (!status)
            return status;
    return {};
}

} // namespace cudal1::ui
