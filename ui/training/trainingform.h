// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a training that is to begin, with a forecast of its memory and time.
#pragma once

#include "core/learning/stagesettings.h"
#include "core/learning/trainingforecast.h"
#include "ui/training/trainingsloader.h"

#include <QScrollArea>

#include <map>
#include <memory>
#include <string>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace cudal1::ui {

class ProjectModel;

/// Every setting of learning::eachSetting() has a field; the rare ones are folded.
class TrainingForm : public QScrollArea {
    Q_OBJECT
public:
    explicit TrainingForm(QWidget* parent = nullptr);

    /// What checkpoints there are to go on from, and what steps have taken.
    void setView(std::shared_ptr<const TrainingsView> view, const ProjectModel& project);
    /// Fills in what follows from the stage before it: model and folder.
    void begin(learning::Stage stage);
    learning::StageOptions options() const;
    std::string dataFile() const;
    int level() const; ///< 0: all
    QString forecastText() const;

signals:
    void startRequested(const cudal1::learning::StageOptions& options, const std::string& dataFile, int level);

private:
    QFormLayout* makeFirst();
    void makeSettings();
    template<class Value> QWidget* fieldOf(const learning::StageSetting& setting, const Value& value);
    QWidget* withBrowse(QWidget* field, const QString& name, std::function<QString()> ask,
                        std::function<void(const QString&)> take);
    void stageChanged();
    void allowStart();
    void forecast();
    void offerModels();
    QString freshFolder(learning::Stage stage) const;
    std::optional<learning::MeasuredRates> measured(const learning::StageOptions& options, QString& where) const;

    std::shared_ptr<const TrainingsView> m_view;
    QString m_projectFolder;
    const ProjectModel* m_project = nullptr; ///< whose trainings they are
    QComboBox *m_stage, *m_model;
    QLineEdit *m_out, *m_data;
    QSpinBox* m_level;
    QWidget* m_dataRow = nullptr; // before m_left, whose making sets it
    QFormLayout *m_left, *m_right, *m_more;
    QToolButton* m_unfold;
    struct Row {
        QFormLayout* form;
        QWidget* field;
    };
    std::map<std::string, Row> m_rows; ///< of settings, by their names
    QLabel* m_forecast;
    QPushButton* m_start;
};

} // namespace cudal1::ui
