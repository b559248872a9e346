// SPDX-License-Identifier: GPL-3.0-or-later
// Fields in two columns, the forecast and the button below them.
#include "ui/training/trainingform.h"

#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QThread>
#include <QVBoxLayout>

namespace cudal1::ui {

using learning::Stage;

namespace {

QSpinBox* wholeField(const QString& name, int least, int most, int value)
{
    auto* out = new QSpinBox;
    out->setObjectName(name);
    out->setRange(least, most);
    out->setValue(value);
    return out;
}

QDoubleSpinBox* numberField(const QString& name, double least, double most, double value)
{
    auto* out = new QDoubleSpinBox;
    out->setObjectName(name);
    out->setRange(least, most);
    out->setDecimals(3);
    out->setSingleStep(0.01);
    out->setValue(value);
    return out;
}

void addRow(QFormLayout* form, const QString& label, QWidget* field, const QString& tip)
{
    form->addRow(label, field);
    field->setToolTip(tip);
    if (field->accessibleName().isEmpty())
        field->setAccessibleName(QString(label).remove(QLatin1Char('&')));
}

} // namespace

TrainingForm::TrainingForm(QWidget* parent)
    : QScrollArea(parent), m_stage(new QComboBox), m_model(new QComboBox), m_device(new QComboBox),
      m_exemplars(new QComboBox), m_out(new QLineEdit), m_data(new QLineEdit),
      m_rate(new QLineEdit(QStringLiteral("1e-5"))), m_level(wholeField(QStringLiteral("trainLevel"), 0, 9, 0)),
      m_steps(wholeField(QStringLiteral("trainSteps"), 1, 10'000'000, 100)),
      m_batch(wholeField(QStringLiteral("trainBatch"), 1, 65'536, 8)),
      m_group(wholeField(QStringLiteral("trainGroup"), 1, 1024, 8)),
      m_tokens(wholeField(QStringLiteral("trainTokens"), 1, 1'000'000, 2048)),
      m_lora(wholeField(QStringLiteral("trainLora"), 0, 1024, 0)),
      m_pass(wholeField(QStringLiteral("trainPass"), 1, 10'000'000, 8192)),
      m_save(wholeField(QStringLiteral("trainSave"), 1, 1'000'000, 10)),
      m_temperature(numberField(QStringLiteral("trainTemperature"), 0.01, 10, 1)),
      m_beta(numberField(QStringLiteral("trainBeta"), 0, 10, 0.04)),
      m_clip(numberField(QStringLiteral("trainClip"), 0.001, 0.999, 0.2)),
      m_recompute(new QCheckBox(tr("compute layers once more"))), m_forecast(new QLabel),
      m_start(new QPushButton(tr("Start Training")))
{
    const Theme& theme = Theme::instance();
    setObjectName(QStringLiteral("trainingForm"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    m_forecast->setObjectName(QStringLiteral("trainForecast"));
    m_forecast->setWordWrap(true);
    m_forecast->setTextFormat(Qt::PlainText);
    m_forecast->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_forecast->setAlignment(Qt::AlignTop);
    m_start->setObjectName(QStringLiteral("trainStart"));
    m_start->setProperty("class", QStringLiteral("primary"));
    m_start->setToolTip(tr("Begin the training; it stops and goes on at any time"));
    auto* columns = new QHBoxLayout;
    columns->setSpacing(theme.unit(6));
    columns->addWidget(makeCommon(), 1);
    columns->addWidget(makeOwn(), 1);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start);
    buttons->addStretch(1);
    auto* inside = new QWidget;
    auto* layout = new QVBoxLayout(inside);
    layout->setContentsMargins(theme.unit(3), theme.unit(3), theme.unit(3), theme.unit(3));
    layout->setSpacing(theme.unit(3));
    layout->addLayout(columns);
    layout->addLayout(buttons);
    layout->addWidget(m_forecast);
    layout->addStretch(1);
    setWidget(inside);
    connect(m_start, &QPushButton::clicked, this, [this] { emit startRequested(options(), dataFile(), level()); });
    for (QSpinBox* one : {m_steps, m_batch, m_group, m_tokens, m_lora, m_pass})
        connect(one, &QSpinBox::valueChanged, this, &TrainingForm::forecast);
    connect(m_beta, &QDoubleSpinBox::valueChanged, this, &TrainingForm::forecast);
    connect(m_recompute, &QCheckBox::toggled, this, &TrainingForm::forecast);
    connect(m_device, &QComboBox::currentIndexChanged, this, &TrainingForm::forecast);
    connect(m_model, &QComboBox::currentTextChanged, this, &TrainingForm::forecast);
    connect(m_data, &QLineEdit::textChanged, this, &TrainingForm::forecast);
    connect(m_stage, &QComboBox::currentIndexChanged, this, &TrainingForm::stageChanged);
    stageChanged();
}

QWidget* TrainingForm::withBrowse(QWidget* field, const QString& name, std::function<QString()> ask,
                                  std::function<void(const QString&)> take)
{
    auto* button = new QPushButton(tr("Choose…"));
    button->setObjectName(name);
    button->setToolTip(tr("Choose it in a dialog"));
    connect(button, &QPushButton::clicked, this, [ask = std::move(ask), take = std::move(take)] {
        if (const QString chosen = ask(); !chosen.isEmpty())
            take(chosen);
    });
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(field, 1);
    line->addWidget(button);
    return row;
}

QWidget* TrainingForm::makeCommon()
{
    auto* box = new QWidget;
    m_left = new QFormLayout(box);
    m_left->setContentsMargins(0, 0, 0, 0);
    m_stage->setObjectName(QStringLiteral("trainStage"));
    for (const Stage stage : {Stage::Supervised, Stage::SelfSupervised, Stage::Contrastive})
        m_stage->addItem(QStringLiteral("%1  %2").arg(int(stage) + 1).arg(stageTitle(stage)));
    m_model->setObjectName(QStringLiteral("trainModel"));
    m_model->setEditable(true);
    m_model->setAccessibleName(tr("Model"));
    m_model->lineEdit()->setAccessibleName(tr("Model"));
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->setMinimumContentsLength(12);
    m_out->setObjectName(QStringLiteral("trainOut"));
    m_out->setAccessibleName(tr("Folder"));
    m_data->setObjectName(QStringLiteral("trainData"));
    m_data->setAccessibleName(tr("Examples"));
    m_rate->setObjectName(QStringLiteral("trainRate"));
    m_device->setObjectName(QStringLiteral("trainDevice"));
    m_device->addItems({QStringLiteral("cpu"), QStringLiteral("cuda")});
    addRow(m_left, tr("Stage"), m_stage, tr("Sections 2.2, 2.3 and 2.4 of the paper"));
    addRow(m_left, tr("Model"),
           withBrowse(
               m_model, QStringLiteral("trainModelChoose"),
               [this] { return QFileDialog::getExistingDirectory(window(), tr("Model to Train")); },
               [this](const QString& folder) { m_model->setEditText(folder); }),
           tr("A Hugging Face folder: config.json, safetensors, tokenizer.json; a checkpoint is one"));
    addRow(m_left, tr("Folder"),
           withBrowse(
               m_out, QStringLiteral("trainOutChoose"),
               [this] { return QFileDialog::getExistingDirectory(window(), tr("Folder for Checkpoints")); },
               [this](const QString& folder) { m_out->setText(folder); }),
           tr("Where checkpoints are kept; a training that is there goes on"));
    m_dataRow = withBrowse(
        m_data, QStringLiteral("trainDataChoose"),
        [this] {
            return QFileDialog::getOpenFileName(window(), tr("Examples"), {}, tr("Examples (*.jsonl);;All files (*)"));
        },
        [this](const QString& file) { m_data->setText(file); });
    addRow(m_left, tr("Examples"), m_dataRow, tr("A file that `cudal1 collect` wrote"));
    m_level->setSpecialValueText(tr("all"));
    addRow(m_left, tr("Level"), m_level, tr("Of the training split of the open suite, the tasks of this level"));
    addRow(m_left, tr("Steps"), m_steps, tr("Batches in all"));
    addRow(m_left, tr("Batch"), m_batch, tr("Examples of a batch; of stages 2 and 3: prompts"));
    addRow(m_left, tr("Learning rate"), m_rate, tr("The highest; it falls along a cosine"));
    return box;
}

QWidget* TrainingForm::makeOwn()
{
    auto* box = new QWidget;
    m_right = new QFormLayout(box);
    m_right->setContentsMargins(0, 0, 0, 0);
    m_exemplars->setObjectName(QStringLiteral("trainExemplars"));
    m_exemplars->addItems(
        {QStringLiteral("bucket"), QStringLiteral("random"), QStringLiteral("islands"), QStringLiteral("none")});
    m_recompute->setObjectName(QStringLiteral("trainRecompute"));
    m_lora->setSpecialValueText(tr("all weights"));
    addRow(m_right, tr("Trainer on"), m_device, tr("Where the trainer computes"));
    addRow(m_right, tr("LoRA rank"), m_lora, tr("Train adapters of this rank instead of all weights"));
    addRow(m_right, tr("Tokens of a pass"), m_pass, tr("Packed into one forward and backward pass"));
    addRow(m_right, tr("Activations"), m_recompute, tr("Keep less memory for a third more work"));
    addRow(m_right, tr("Save every"), m_save, tr("Batches between checkpoints"));
    addRow(m_right, tr("Replies a prompt"), m_group, tr("G of the paper"));
    addRow(m_right, tr("Tokens of a reply"), m_tokens, tr("A reply that reaches them is cut off"));
    addRow(m_right, tr("Temperature"), m_temperature, tr("Of the replies"));
    addRow(m_right, tr("Exemplars"), m_exemplars, tr("What stands in prompts; none is plain GRPO"));
    addRow(m_right, tr("KL weight β"), m_beta, tr("Of the divergence from the first weights"));
    addRow(m_right, tr("Clip ε"), m_clip, tr("How far a ratio of probabilities may be from 1"));
    return box;
}

void TrainingForm::stageChanged()
{
    const auto stage = Stage(m_stage->currentIndex());
    const auto showRow = [](QFormLayout* form, QWidget* field, bool on) {
        field->setVisible(on);
        if (QWidget* label = form->labelForField(field))
            label->setVisible(on);
    };
    showRow(m_left, m_dataRow, stage == Stage::Supervised);
    showRow(m_left, m_level, stage != Stage::Supervised);
    for (QWidget* one :
         {static_cast<QWidget*>(m_group), static_cast<QWidget*>(m_tokens), static_cast<QWidget*>(m_temperature)})
        showRow(m_right, one, stage != Stage::Supervised);
    for (QWidget* one :
         {static_cast<QWidget*>(m_exemplars), static_cast<QWidget*>(m_beta), static_cast<QWidget*>(m_clip)})
        showRow(m_right, one, stage == Stage::Contrastive);
    forecast();
}

void TrainingForm::setView(std::shared_ptr<const TrainingsView> view, const QString& projectFolder)
{
    const bool first = !m_view;
    m_view = std::move(view);
    m_projectFolder = projectFolder;
    offerModels();
    if (first)
        begin(Stage(m_stage->currentIndex()));
    forecast();
}

void TrainingForm::offerModels()
{
    const QString now = m_model->currentText();
    const QSignalBlocker quiet(m_model);
    m_model->clear();
    for (auto entry = m_view->all.rbegin(); entry != m_view->all.rend(); ++entry)
        for (auto one = entry->checkpoints.rbegin(); one != entry->checkpoints.rend(); ++one)
            m_model->addItem(QString::fromStdString(one->path));
    m_model->setEditText(now);
}

QString TrainingForm::freshFolder(Stage stage) const
{
    const QString word = QString::fromUtf8(learning::wordOf(stage).data());
    const TrainingEntry* before = m_view && stage != Stage::Supervised ? m_view->at(Stage(int(stage) - 1)) : nullptr;
    const QDir parent(before ? QFileInfo(before->folder).path() : QDir(m_projectFolder).filePath("training"));
    QString out = parent.filePath(word);
    for (int number = 2; QFileInfo::exists(out); ++number)
        out = parent.filePath(QStringLiteral("%1-%2").arg(word).arg(number));
    return out;
}

void TrainingForm::begin(Stage stage)
{
    m_stage->setCurrentIndex(int(stage));
    m_out->setText(freshFolder(stage));
    const TrainingEntry* before = m_view && stage != Stage::Supervised ? m_view->at(Stage(int(stage) - 1)) : nullptr;
    if (before && before->newest())
        m_model->setEditText(QString::fromStdString(before->newest()->path));
    forecast();
}

learning::StageOptions TrainingForm::options() const
{
    learning::StageOptions out;
    out.stage = Stage(m_stage->currentIndex());
    out.model = m_model->currentText().trimmed().toStdString();
    out.out = m_out->text().trimmed().toStdString();
    out.steps = m_steps->value();
    out.batch = m_batch->value();
    out.device = m_device->currentText().toStdString();
    out.optimizer.learningRate = m_rate->text().toDouble(); // check() refuses 0
    out.loraRank = m_lora->value();
    out.passTokens = m_pass->value();
    out.recomputes = m_recompute->isChecked();
    out.saveEvery = m_save->value();
    out.group = m_group->value();
    out.maxTokens = m_tokens->value();
    out.temperature = m_temperature->value();
    out.exemplars = m_exemplars->currentText().toStdString();
    out.grpo.beta = m_beta->value();
    out.grpo.clipLow = out.grpo.clipHigh = m_clip->value();
    return out;
}

std::string TrainingForm::dataFile() const
{
    return m_data->text().trimmed().toStdString();
}

int TrainingForm::level() const
{
    return m_level->value();
}

QString TrainingForm::forecastText() const
{
    return m_forecast->text();
}

/// Of the newest training of this stage on this device whose model has the very shape.
std::optional<learning::MeasuredRates> TrainingForm::measured(const learning::StageOptions& options,
                                                              QString& where) const
{
    if (!m_view)
        return {};
    for (auto entry = m_view->all.rbegin(); entry != m_view->all.rend(); ++entry) {
        if (entry->options.stage != options.stage || entry->options.device != options.device)
            continue;
        const auto shape = learning::shapeOf(entry->options.model);
        if (!shape)
            continue;
        if (auto rates = learning::measuredIn(entry->log, *shape, entry->options)) {
            where = entry->name;
            return rates;
        }
    }
    return {};
}

void TrainingForm::forecast()
{
    const learning::StageOptions now = options();
    if (now.model.empty())
        return m_forecast->setText(tr("Choose a model; what the training will take is worked out from its size."));
    const auto shape = learning::shapeOf(now.model);
    if (!shape)
        return m_forecast->setText(QString::fromStdString(shape.error().text()));
    QString where;
    const auto rates = measured(now, where);
    const auto forecast = learning::forecastOf(*shape, now, rates, QThread::idealThreadCount());
    QStringList memory{tr("weights and optimizer %1").arg(bytesText(forecast.weights)),
                       tr("activations %1").arg(bytesText(forecast.activations)),
                       tr("logits %1").arg(bytesText(forecast.logits))};
    if (forecast.reference > 0)
        memory << tr("reference %1").arg(bytesText(forecast.reference));
    if (forecast.cache > 0)
        memory << tr("drawing %1").arg(bytesText(forecast.cache));
    QStringList time{tr("learning %1").arg(durationText(forecast.learn_s))};
    if (now.stage != Stage::Supervised)
        time << tr("drawing %1").arg(durationText(forecast.draw_s))
             << tr("judging %1").arg(durationText(forecast.judge_s));
    QStringList out;
    out << tr("Forecast").toUpper();
    out << tr("Memory of the trainer: %1 (%2)").arg(bytesText(forecast.bytes()), memory.join(QStringLiteral(", ")));
    out << tr("Time: %1 a step (%2), %3 for %4 steps")
               .arg(durationText(forecast.step_s()), time.join(QStringLiteral(", ")),
                    durationText(forecast.step_s() * now.steps))
               .arg(now.steps);
    out << QString() << tr("How this is worked out").toUpper();
    for (const std::string& sentence : forecast.how)
        out << QStringLiteral("•  ") + QString::fromStdString(sentence);
    if (!where.isEmpty())
        out << QStringLiteral("•  ") + tr("Steps that were made: those of %1.").arg(where);
    m_forecast->setText(out.join(QLatin1Char('\n')));
}

} // namespace cudal1::ui
