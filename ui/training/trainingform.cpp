// SPDX-License-Identifier: GPL-3.0-or-later
// Fields in two columns, the forecast and the button below them.
#include "ui/training/trainingform.h"

#include "ui/kit/theme.h"
#include "ui/variants/texts.h"
#include "ui/work/jobsmodel.h"
#include "ui/work/modelfile.h"
#include "ui/work/writing.h"

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
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace cudal1::ui {

using learning::Stage;

namespace {

// Settings that most trainings set, by columns; the others are folded.
constexpr std::string_view leftSettings[]{"steps", "batch", "learning-rate"};
constexpr std::string_view rightSettings[]{"train-device", "lora",    "pass-tokens", "recompute",
                                           "save-every",   "group",   "max-tokens",  "temperature",
                                           "exemplars",    "overlap", "beta",        "clip"};

bool isAmong(const auto& names, const char* name)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// "trainLearningRate"
QString objectNameOf(const char* setting)
{
    QString out = QStringLiteral("train");
    for (const QString& word : QString::fromLatin1(setting).split(QLatin1Char('-')))
        out += word.left(1).toUpper() + word.mid(1);
    return out;
}

QSpinBox* wholeField(int least, int most, int value)
{
    auto* out = new QSpinBox;
    out->setRange(least, most);
    out->setValue(value);
    return out;
}

/// A number that may be very small is a text.
QWidget* numberField(const learning::StageSetting& setting, double value)
{
    if (value > 0 && value < 1e-3)
        return new QLineEdit(QString::number(value));
    auto* out = new QDoubleSpinBox;
    out->setDecimals(3);
    out->setRange(setting.least, setting.most);
    out->setSingleStep(value >= 10 ? 1 : 0.01);
    out->setValue(value);
    return out;
}

double numberIn(const QWidget* field)
{
    if (const auto* text = qobject_cast<const QLineEdit*>(field))
        return text->text().toDouble(); // check() refuses 0
    return qobject_cast<const QDoubleSpinBox*>(field)->value();
}

QComboBox* choiceField(const std::string& words, std::string_view value)
{
    auto* out = new QComboBox;
    if (value.empty())
        out->addItem(TrainingForm::tr("automatic"), QString());
    for (const QString& word : QString::fromStdString(words).split(QStringLiteral(", ")))
        out->addItem(word, word);
    out->setCurrentIndex(out->findData(QString::fromUtf8(value)));
    return out;
}

std::string wordIn(const QWidget* field)
{
    if (const auto* text = qobject_cast<const QLineEdit*>(field))
        return text->text().trimmed().toStdString();
    return qobject_cast<const QComboBox*>(field)->currentData().toString().toStdString();
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
    : QScrollArea(parent), m_stage(new QComboBox), m_model(new QComboBox), m_out(new QLineEdit), m_data(new QLineEdit),
      m_level(wholeField(0, 9, 0)), m_left(makeFirst()), m_right(new QFormLayout), m_more(new QFormLayout),
      m_unfold(new QToolButton), m_forecast(new QLabel), m_start(new QPushButton(tr("Start Training")))
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
    m_unfold->setObjectName(QStringLiteral("trainMore"));
    m_unfold->setText(tr("More settings"));
    m_unfold->setToolTip(tr("Settings that most trainings leave as they are"));
    m_unfold->setCheckable(true);
    m_unfold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_unfold->setArrowType(Qt::RightArrow);
    auto* more = new QWidget;
    more->setLayout(m_more);
    more->hide();
    connect(m_unfold, &QToolButton::toggled, more, [this, more](bool on) {
        m_unfold->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        more->setVisible(on);
    });
    auto* columns = new QHBoxLayout;
    columns->setSpacing(theme.unit(6));
    for (QFormLayout* form : {m_left, m_right}) { // the shorter one would spread its rows over the height of the other
        auto* column = new QVBoxLayout;
        column->addLayout(form);
        column->addStretch(1);
        columns->addLayout(column, 1);
    }
    for (QFormLayout* form : {m_left, m_right, m_more}) {
        form->setContentsMargins(0, 0, 0, 0);
        form->setVerticalSpacing(theme.unit(2));
    }
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start);
    buttons->addWidget(m_unfold);
    buttons->addStretch(1);
    auto* inside = new QWidget;
    auto* layout = new QVBoxLayout(inside);
    layout->setContentsMargins(theme.unit(3), theme.unit(3), theme.unit(3), theme.unit(3));
    layout->setSpacing(theme.unit(3));
    layout->addLayout(columns);
    layout->addLayout(buttons);
    layout->addWidget(more);
    layout->addWidget(m_forecast);
    layout->addStretch(1);
    setWidget(inside);
    makeSettings();
    connect(m_start, &QPushButton::clicked, this, [this] { emit startRequested(options(), dataFile(), level()); });
    connect(m_model, &QComboBox::currentTextChanged, this, &TrainingForm::forecast);
    connect(m_data, &QLineEdit::textChanged, this, &TrainingForm::forecast);
    connect(m_stage, &QComboBox::currentIndexChanged, this, &TrainingForm::stageChanged);
    stageChanged();
}

/// Any change of a field is forecast.
template<class Value> QWidget* TrainingForm::fieldOf(const learning::StageSetting& setting, const Value& value)
{
    QWidget* out = nullptr;
    if constexpr (std::is_same_v<Value, bool>) {
        auto* box = new QCheckBox(tr("on"));
        box->setChecked(value);
        connect(box, &QCheckBox::toggled, this, &TrainingForm::forecast);
        out = box;
    } else if constexpr (std::is_integral_v<Value>) {
        out = wholeField(int(setting.least), int(setting.most), value);
    } else if constexpr (std::is_floating_point_v<Value>) {
        out = numberField(setting, value);
    } else if constexpr (std::is_enum_v<Value>) {
        out = choiceField(learning::wordsOf(value), toString(value));
    } else if (*setting.words) {
        out = choiceField(setting.words, value);
    } else {
        out = new QLineEdit(QString::fromStdString(value));
    }
    if (auto* spin = qobject_cast<QSpinBox*>(out))
        connect(spin, &QSpinBox::valueChanged, this, &TrainingForm::forecast);
    if (auto* spin = qobject_cast<QDoubleSpinBox*>(out))
        connect(spin, &QDoubleSpinBox::valueChanged, this, &TrainingForm::forecast);
    if (auto* choice = qobject_cast<QComboBox*>(out))
        connect(choice, &QComboBox::currentIndexChanged, this, &TrainingForm::forecast);
    if (auto* text = qobject_cast<QLineEdit*>(out))
        connect(text, &QLineEdit::textChanged, this, &TrainingForm::forecast);
    out->setObjectName(objectNameOf(setting.name));
    return out;
}

void TrainingForm::makeSettings()
{
    const learning::StageOptions usual;
    learning::eachSetting(usual, [this](const learning::StageSetting& setting, const auto& value) {
        QFormLayout* form = isAmong(leftSettings, setting.name)  ? m_left
                          : isAmong(rightSettings, setting.name) ? m_right
                                                                 : m_more;
        QWidget* field = fieldOf(setting, value);
        addRow(form, QString::fromUtf8(setting.label), field, QString::fromUtf8(setting.what));
        m_rows.emplace(setting.name, Row{form, field});
    });
    qobject_cast<QSpinBox*>(m_rows.at("lora").field)->setSpecialValueText(tr("off: train all weights"));
    qobject_cast<QSpinBox*>(m_rows.at("threads").field)->setSpecialValueText(tr("one for each core"));
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

/// What is no setting of the list.
QFormLayout* TrainingForm::makeFirst()
{
    auto* form = new QFormLayout;
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
    addRow(form, tr("Stage"), m_stage, tr("Sections 2.2, 2.3 and 2.4 of the paper"));
    addRow(form, tr("Model"),
           withBrowse(
               m_model, QStringLiteral("trainModelChoose"),
               [this] { return chooseModelFile(window(), tr("Model to Train"), m_model->currentText()); },
               [this](const QString& model) { m_model->setEditText(model); }),
           tr("A Hugging Face folder (config.json, safetensors, tokenizer.json), as a checkpoint is, or a GGUF file"));
    addRow(form, tr("Folder"),
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
    addRow(form, tr("Examples"), m_dataRow, tr("A file that `cudal1 collect` wrote"));
    m_level->setObjectName(QStringLiteral("trainLevel"));
    m_level->setSpecialValueText(tr("all"));
    addRow(form, tr("Level"), m_level, tr("Of the training split of the open suite, the tasks of this level"));
    return form;
}

void TrainingForm::stageChanged()
{
    const auto stage = Stage(m_stage->currentIndex());
    m_left->setRowVisible(m_dataRow, stage == Stage::Supervised);
    m_left->setRowVisible(m_level, stage != Stage::Supervised);
    const learning::StageOptions usual;
    learning::eachSetting(usual, [&](const learning::StageSetting& setting, const auto&) {
        const Row& row = m_rows.at(setting.name);
        row.form->setRowVisible(row.field, setting.belongsTo(stage));
    });
    allowStart();
    forecast();
}

/// But for the first stage, samples are stored in the project.
void TrainingForm::allowStart()
{
    if (m_project)
        enableWriting(*m_start, *m_project, true, Stage(m_stage->currentIndex()) != Stage::Supervised);
}

void TrainingForm::setView(std::shared_ptr<const TrainingsView> view, const ProjectModel& project)
{
    const bool first = !m_view;
    m_view = std::move(view);
    m_project = &project;
    m_projectFolder = QFileInfo(project.path()).absolutePath();
    allowStart();
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
    learning::eachSetting(out, [this]<class Value>(const learning::StageSetting& setting, Value& value) {
        const QWidget* field = m_rows.at(setting.name).field;
        if constexpr (std::is_same_v<Value, bool>)
            value = qobject_cast<const QCheckBox*>(field)->isChecked();
        else if constexpr (std::is_integral_v<Value>)
            value = qobject_cast<const QSpinBox*>(field)->value();
        else if constexpr (std::is_floating_point_v<Value>)
            value = numberIn(field);
        else if constexpr (std::is_enum_v<Value>)
            fromString(wordIn(field), value);
        else
            value = wordIn(field);
    });
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
