// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a model as fields and back.
#include "ui/policies/modelform.h"

#include "core/models/keys.h"
#include "ui/kit/theme.h"
#include "ui/policies/numberfields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSpinBox>
#include <QVBoxLayout>

#include <limits>

namespace cudal1::ui {

using base::Error;
using base::ErrorCode;
using models::EndpointSettings;

ModelForm::ModelForm(QWidget* parent)
    : NamedForm(QStringLiteral("modelName"), tr("qwen3"), parent), m_keyPlace(new QComboBox), m_keyNote(new QLabel),
      m_parallel(new QSpinBox)
{
    const Theme& theme = Theme::instance();
    m_url = line(QStringLiteral("modelUrl"), tr("URL"), tr("http://127.0.0.1:8000/v1"),
                 tr("Of an OpenAI-compatible server: vLLM, llama.cpp, SGLang, Ollama, or a provider"));
    m_model = line(QStringLiteral("modelId"), tr("Model id"), tr("Qwen/Qwen3-8B"), tr("As the server calls the model"));
    m_variable = line(QStringLiteral("modelVariable"), tr("Variable of the key"), tr("OPENAI_API_KEY"),
                      tr("The environment variable that holds the key when this program is started"));
    m_key = line(QStringLiteral("modelKey"), tr("Key"), {}, tr("It goes into the system's keyring and nowhere else"));
    m_key->setEchoMode(QLineEdit::Password);
    m_priceIn = line(QStringLiteral("modelPriceIn"), tr("Price of a million prompt tokens"), tr("prompt"),
                     tr("What a million tokens of prompts cost; empty: not counted"));
    m_priceOut = line(QStringLiteral("modelPriceOut"), tr("Price of a million reply tokens"), tr("reply"),
                      tr("What a million tokens of replies cost"));
    m_unit = line(QStringLiteral("modelUnit"), tr("Unit of the price"), tr("USD"),
                  tr("The currency, or anything else that is counted"));
    m_unit->setFixedWidth(theme.unit(16));
    m_keyPlace->setObjectName(QStringLiteral("modelKeyPlace"));
    m_keyPlace->setAccessibleName(tr("Key"));
    m_keyPlace->addItems({tr("No key"), tr("In an environment variable"), tr("In the keyring")});
    m_keyNote->setProperty("class", QStringLiteral("muted"));
    m_keyNote->setWordWrap(true);
    m_keyNote->setObjectName(QStringLiteral("modelKeyNote"));
    m_parallel->setObjectName(QStringLiteral("modelParallel"));
    m_parallel->setAccessibleName(tr("Requests at a time"));
    m_parallel->setToolTip(tr("A server that is busy is asked for less by itself"));
    m_parallel->setRange(1, 1024);

    QFormLayout* form = makeLayout();
    form->addRow(tr("URL"), m_url);
    form->addRow(tr("Model id"), m_model);
    form->addRow(tr("Key"), m_keyPlace);
    form->addRow(QString(), m_variable);
    form->addRow(QString(), m_key);
    form->addRow(QString(), m_keyNote);
    m_sampling = std::make_unique<SamplingFields>(*this, *form, QStringLiteral("model"));
    auto* price = new QHBoxLayout;
    price->setSpacing(theme.unit(2));
    price->addLayout(besideEachOther(m_priceIn, tr("in"), m_priceOut), 1);
    price->addWidget(new QLabel(tr("out")));
    price->addWidget(m_unit);
    form->addRow(tr("Price of a million"), price);
    form->addRow(tr("Requests at a time"), m_parallel);
    connect(m_keyPlace, &QComboBox::currentIndexChanged, this, [this] {
        showKeyPlace();
        changed();
    });
    connect(m_variable, &QLineEdit::textChanged, this, &ModelForm::showKeyState);
    connect(m_parallel, &QSpinBox::valueChanged, this, &NamedForm::changed);
    showKeyPlace();
}

void ModelForm::fill(const models::NamedModel& model)
{
    const auto& settings = std::get<EndpointSettings>(model);
    m_from = settings;
    m_url->setText(QString::fromStdString(settings.url));
    m_model->setText(QString::fromStdString(settings.model));
    m_variable->setText(QString::fromStdString(settings.keyVariable));
    m_key->clear();
    m_keyPlace->setCurrentIndex(settings.keyInKeyring ? Keyring : !settings.keyVariable.empty() ? Variable : None);
    m_sampling->show(settings.sampling);
    m_priceIn->setText(settings.price ? numberText(settings.price->prompt) : QString());
    m_priceOut->setText(settings.price ? numberText(settings.price->reply) : QString());
    m_unit->setText(QString::fromStdString(settings.price ? settings.price->unit : models::TokenPrice().unit));
    m_parallel->setValue(settings.parallel);
    showKeyPlace();
}

base::Result<models::NamedModel> ModelForm::settings() const
{
    EndpointSettings out = m_from;
    out.name = name();
    out.url = m_url->text().trimmed().toStdString();
    out.model = m_model->text().trimmed().toStdString();
    const int place = m_keyPlace->currentIndex();
    out.keyVariable = place == Variable ? m_variable->text().trimmed().toStdString() : std::string();
    out.keyInKeyring = place == Keyring;
    if (place == Variable && out.keyVariable.empty())
        return Error{ErrorCode::InvalidArgument, "The environment variable of the key has no name", {}, {}};
    std::optional<double> in, reply;
    for (const base::Status& status :
         {m_sampling->read(out.sampling), readNumber(m_priceIn, in), readNumber(m_priceOut, reply)})
        if (!status)
            return status.error();
    out.price.reset();
    if (in || reply) {
        out.price = models::TokenPrice{in.value_or(0), reply.value_or(0), m_unit->text().trimmed().toStdString()};
        out.limits.costUnit = out.price->unit;
    }
    out.parallel = m_parallel->value();
    return models::NamedModel(std::move(out));
}

models::Secret ModelForm::takeKey()
{
    if (m_keyPlace->currentIndex() != Keyring)
        return {};
    models::Secret out(m_key->text().toStdString());
    m_key->clear();
    return out;
}

bool ModelForm::needsKey() const
{
    return m_keyPlace->currentIndex() == Keyring && m_key->text().isEmpty() && (isNew() || !m_from.keyInKeyring);
}

void ModelForm::showKeyPlace()
{
    const int place = m_keyPlace->currentIndex();
    m_variable->setVisible(place == Variable);
    m_key->setVisible(place == Keyring);
    m_key->setEnabled(models::hasKeyring());
    m_key->setPlaceholderText(!isNew() && m_from.keyInKeyring
                                  ? tr("type a key to take the place of the one that is kept")
                                  : tr("the key; it is not shown"));
    m_keyNote->setVisible(place != None);
    showKeyState();
}

/// Whether a variable is set can be seen at once; a keyring might ask its owner to unlock it, so it is left alone.
void ModelForm::showKeyState()
{
    switch (m_keyPlace->currentIndex()) {
    case Variable: {
        const QString name = m_variable->text().trimmed();
        m_keyNote->setText(name.isEmpty() ? tr("The key itself is stored nowhere.")
                           : qEnvironmentVariableIsEmpty(name.toLatin1().constData())
                               ? tr("%1 is not set in the environment that this program was started in.").arg(name)
                               : tr("%1 is set.").arg(name));
        break;
    }
    case Keyring:
        m_keyNote->setText(models::hasKeyring()
                               ? tr("The key is kept in the system's keyring under the name of the model.")
                               : tr("This build has no keyring. Use an environment variable."));
        break;
    default: break;
    }
}

} // namespace cudal1::ui
