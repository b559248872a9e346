// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a training that is to begin, with a forecast of its memory and time.
#pragma once

#include "core/learning/trainingforecast.h"
#include "ui/training/trainingsloader.h"

#include <QScrollArea>

#include <memory>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace cudal1::ui {

class TrainingForm : public QScrollArea {
    Q_OBJECT
public:
    explicit TrainingForm(QWidget* parent = nullptr);

    /// What checkpoints there are to go on from, and what steps have taken.
    void setView(std::shared_ptr<const TrainingsView> view, const QString& projectFolder);
    /// Fills in what follows from the stage before it: model and folder.
    void begin(learning::Stage stage);
    learning::StageOptions options() const;
    std::string dataFile() const;
    int level() const; ///< 0: all
    QString forecastText() const;

signals:
    void startRequested(const cudal1::learning::StageOptions& options, const std::string& dataFile, int level);

private:
    QWidget* makeCommon();
    QWidget* makeOwn();
    QWidget* withBrowse(QWidget* field, const QString& name, std::function<QString()> ask,
                        std::function<void(const QString&)> take);
    void stageChanged();
    void forecast();
    void offerModels();
    QString freshFolder(learning::Stage stage) const;
    std::optional<learning::MeasuredRates> measured(const learning::StageOptions& options, QString& where) const;

    std::shared_ptr<const TrainingsView> m_view;
    QString m_projectFolder;
    QComboBox *m_stage, *m_model, *m_device, *m_exemplars;
    QLineEdit *m_out, *m_data, *m_rate;
    QSpinBox *m_level, *m_steps, *m_batch, *m_group, *m_tokens, *m_lora, *m_pass, *m_save;
    QDoubleSpinBox *m_temperature, *m_beta, *m_clip;
    QCheckBox* m_recompute;
    QFormLayout *m_left = nullptr, *m_right = nullptr;
    QWidget* m_dataRow = nullptr;
    QLabel* m_forecast;
    QPushButton* m_start;
};

} // namespace cudal1::ui
