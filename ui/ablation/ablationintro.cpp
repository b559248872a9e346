// SPDX-License-Identifier: GPL-3.0-or-later
// A title, a text and a button for each example.
#include "ui/ablation/ablationintro.h"

#include "core/ablation/examples.h"
#include "core/report/cells.h"
#include "ui/kit/theme.h"
#include "ui/work/projectmodel.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace cudal1::ui {

AblationIntro::AblationIntro(const ProjectModel& project, QWidget* parent)
    : QWidget(parent), m_project(project), m_text(new QLabel)
{
    const Theme& theme = Theme::instance();
    auto* title = new QLabel(tr("Which optimisation does what"));
    title->setFont(theme.titleFont(1));
    title->setAlignment(Qt::AlignCenter);
    m_text->setObjectName(QStringLiteral("ablationNothing"));
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setProperty("class", QStringLiteral("muted"));
    m_text->setFixedWidth(theme.unit(100)); // its height follows from that
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(theme.unit(3));
    layout->addStretch(2);
    layout->addWidget(title, 0, Qt::AlignHCenter);
    layout->addWidget(m_text, 0, Qt::AlignHCenter);
    for (const ablation::Example& example : ablation::examples()) {
        const QString task = report::fromUtf8(example.task);
        auto* button = new QPushButton(tr("%1: %2").arg(task, report::fromUtf8(example.title)));
        button->setObjectName(QStringLiteral("ablationExample_") + task);
        button->setToolTip(tr("Take our program for %1 apart, as the paper does in its %2")
                               .arg(task, report::fromUtf8(example.table)));
        button->setProperty("class", QStringLiteral("primary"));
        layout->addWidget(button, 0, Qt::AlignHCenter);
        m_examples.push_back(button);
        connect(button, &QPushButton::clicked, this,
                [this, id = base::TaskId{std::string(example.task)}] { emit exampleRequested(id); });
    }
    layout->addStretch(3);
}

void AblationIntro::setTask(const base::TaskId& task, bool isReading)
{
    const QString id = QString::fromStdString(task.value);
    m_text->setText(task.empty() ? tr("A variant whose optimisations have toggles (lines such as USE_CUDA_GRAPH = "
                                      "True) is judged with each of them on and "
                                      "off: which one makes it fast, which ones need each other, which one does "
                                      "nothing. Choose a task, or one of the "
                                      "paper's two examples.")
                    : isReading  ? tr("Reading what was judged of %1…").arg(id)
                                 : tr("%1 has no variant that could be taken apart yet. Optimize makes some, with a "
                                       "toggle for each technique; or begin with "
                                       "one of the paper's two examples.")
                                      .arg(id));
    m_text->setFixedHeight(m_text->heightForWidth(m_text->minimumWidth()));
    for (std::size_t i = 0; i < m_examples.size(); ++i)
        m_examples[i]->setEnabled(!isReading && m_project.isOpen() &&
                                  m_project.entry({std::string(ablation::examples()[i].task)}));
}

} // namespace cudal1::ui
