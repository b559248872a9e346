// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a model that this program runs itself.
#pragma once

#include "ui/policies/samplingfields.h"

#include <memory>

class QComboBox;
class QLabel;
class QSpinBox;

namespace cudal1::ui {

class LocalForm : public NamedForm {
    Q_OBJECT
public:
    explicit LocalForm(QWidget* parent = nullptr);

    base::Result<models::NamedModel> settings() const override;

private:
    void fill(const models::NamedModel& model) override;
    void choosePath();
    void showPath();

    models::LocalSettings m_from;
    QLineEdit *m_path, *m_device;
    std::unique_ptr<SamplingFields> m_sampling;
    QComboBox* m_numbers;
    QSpinBox* m_parallel;
    QLabel* m_note;
};

} // namespace cudal1::ui
