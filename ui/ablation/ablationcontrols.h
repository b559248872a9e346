// SPDX-License-Identifier: GPL-3.0-or-later
// The bar above an ablation: which one, of which variant, by which design, how long it takes, Run or Stop.
#pragma once

#include "ui/ablation/ablationloader.h"

#include <QFrame>

class QComboBox;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace cudal1::ui {

class ElidedLabel;
struct Job;

class AblationControls : public QFrame {
    Q_OBJECT
public:
    explicit AblationControls(QWidget* parent = nullptr);

    /// Variants that can be taken apart, best first; `example`: there is one of ours for the task.
    void setVariants(const std::vector<store::VariantRow>& rows, bool example);
    void setView(const AblationView& view);
    /// What the window does of this task; null for nothing.
    void setJob(const Job* job);
    /// Whether anything can be begun; before setView().
    void setStartable(bool startable) { m_startable = startable; }
    /// Of the controls, without task and toggles.
    ablation::AblationRequest request() const;

signals:
    void requestChanged();                              ///< by the user
    void storedChosen(cudal1::base::AblationId stored); ///< 0: a new one
    void runRequested();
    void stopRequested();

private:
    void showList();

    QComboBox* m_stored;
    QComboBox* m_variant;
    QComboBox* m_design;
    QLineEdit* m_list;
    ElidedLabel* m_forecast;
    QProgressBar* m_progress;
    QPushButton* m_run;
    bool m_busy = false;
    bool m_startable = true;
    bool m_possible = false; ///< there is a plan
};

} // namespace cudal1::ui
