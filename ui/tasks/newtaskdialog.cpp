// SPDX-License-Identifier: GPL-3.0-or-later
// The form, its preview, and the check before the file is written.
#include "ui/tasks/newtaskdialog.h"

#include "core/optimize/outcometext.h"
#include "core/tasks/sourcefile.h"
#include "ui/editor/codeview.h"
#include "ui/kit/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>

namespace cudal1::ui {

namespace {

constexpr int previewDelay_ms = 80;

void name(QWidget* widget, const char* objectName, const QString& accessible)
{
    widget->setObjectName(QLatin1String(objectName));
    widget->setAccessibleName(accessible);
}

QString sentence(const base::Error& error)
{
    QString text = QString::fromStdString(error.text());
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

} // namespace

NewTaskDialog::NewTaskDialog(QWidget* parent)
    : QDialog(parent), m_file(new QLineEdit), m_class(new QComboBox), m_add(new QPushButton(tr("Add an Input"))),
      m_arguments(new QLineEdit), m_output(new QLineEdit), m_check(new QCheckBox(tr("Run the module once first"))),
      m_preview(new CodeView), m_problem(new QLabel), m_mark(new QLabel), m_busy(new QProgressBar), m_state(new QLabel),
      m_make(new QPushButton(tr("Make the Task"))), m_cancel(new QPushButton(tr("Cancel"))), m_later(new QTimer(this))
{
    setObjectName(QStringLiteral("newTask"));
    setWindowTitle(tr("New task from a module"));
    setModal(true);
    const Theme& theme = Theme::instance();
    resize(theme.unit(250), theme.unit(150));

    auto* body = new QSplitter(Qt::Horizontal);
    m_form = makeForm();
    body->addWidget(m_form);
    body->addWidget(makePreview());
    body->setStretchFactor(1, 1);
    body->setChildrenCollapsible(false);
    body->setHandleWidth(theme.unit(3));

    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    name(m_problem, "newTaskProblem", tr("What is wrong"));
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedSize(theme.unit(30), theme.unit(2));
    m_busy->setAccessibleName(tr("The module is being run"));
    name(m_make, "newTaskMake", tr("Make the task"));
    name(m_cancel, "newTaskCancel", tr("Cancel"));
    m_make->setDefault(true);
    QFont bold = m_make->font(); // as it is drawn, so that its width fits
    bold.setWeight(QFont::DemiBold);
    m_make->setFont(bold);
    m_make->setMinimumWidth(m_make->fontMetrics().horizontalAdvance(m_make->text()) + theme.unit(8));
    m_cancel->setAutoDefault(false);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(theme.unit(3));
    bottom->addWidget(m_busy);
    bottom->addWidget(m_state, 1);
    bottom->addWidget(m_make);
    bottom->addWidget(m_cancel);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(theme.unit(4), theme.unit(4), theme.unit(4), theme.unit(4));
    layout->setSpacing(theme.unit(3));
    layout->addWidget(body, 1);
    auto* trouble = new QHBoxLayout;
    trouble->setSpacing(theme.unit(2));
    trouble->addWidget(m_mark, 0, Qt::AlignTop);
    trouble->addWidget(m_problem, 1);
    layout->addLayout(trouble);
    layout->addLayout(bottom);

    m_later->setSingleShot(true);
    m_later->setInterval(previewDelay_ms);
    connect(m_later, &QTimer::timeout, this, &NewTaskDialog::preview);
    connect(m_make, &QPushButton::clicked, this, &NewTaskDialog::make);
    connect(m_cancel, &QPushButton::clicked, this, &NewTaskDialog::reject);
    addInput();
    setChecking(false);
    preview();
    m_file->setFocus();
}

QWidget* NewTaskDialog::withButton(QLineEdit* field, QPushButton* button)
{
    auto* widget = new QWidget;
    auto* layout = new QHBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::instance().unit(2));
    layout->addWidget(field, 1);
    layout->addWidget(button);
    button->setAutoDefault(false);
    return widget;
}

QWidget* NewTaskDialog::makeForm()
{
    const Theme& theme = Theme::instance();
    auto* form = new QWidget;
    form->setMinimumWidth(theme.unit(95));
    auto* layout = new QFormLayout(form);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    layout->setRowWrapPolicy(QFormLayout::WrapAllRows);
    layout->setVerticalSpacing(theme.unit(2));

    name(m_file, "newTaskFile", tr("File of the module"));
    m_file->setPlaceholderText(tr("/path/to/net.py"));
    auto* chooseFile = new QPushButton(tr("Choose…"));
    name(chooseFile, "newTaskChooseFile", tr("Choose the file of the module"));
    const auto addRow = [layout](const QString& label, QWidget* row, QWidget* field) {
        layout->addRow(label, row);
        static_cast<QLabel*>(layout->labelForField(row))->setBuddy(field);
    };
    addRow(tr("&File of the module"), withButton(m_file, chooseFile), m_file);
    name(m_class, "newTaskClass", tr("Class"));
    layout->addRow(tr("&Class"), m_class);

    auto* inputs = new QWidget;
    auto* column = new QVBoxLayout(inputs);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme.unit(1));
    m_inputs = new QVBoxLayout;
    m_inputs->setSpacing(theme.unit(1));
    column->addLayout(m_inputs);
    name(m_add, "newTaskAdd", tr("Add an input"));
    m_add->setIcon(theme.icon(QStringLiteral("add")));
    m_add->setAutoDefault(false);
    column->addWidget(m_add, 0, Qt::AlignLeft);
    layout->addRow(tr("Inputs of forward, one a row"), inputs);

    name(m_arguments, "newTaskArguments", tr("Constructor arguments"));
    m_arguments->setPlaceholderText(tr("none, or for example 64, 10"));
    m_arguments->setFont(theme.monoFont());
    layout->addRow(tr("Constructor &arguments"), m_arguments);
    name(m_output, "newTaskOutput", tr("File of the task"));
    auto* chooseOutput = new QPushButton(tr("Choose…"));
    name(chooseOutput, "newTaskChooseOutput", tr("Choose the file of the task"));
    addRow(tr("&Save as"), withButton(m_output, chooseOutput), m_output);
    name(m_check, "newTaskCheck", tr("Run the module once before it is saved"));
    m_check->setChecked(true);
    m_check->setToolTip(tr("By its shapes alone, which costs nothing however large they are; on the CPU when the "
                           "module looks at its data."));
    layout->addRow(m_check);

    connect(chooseFile, &QPushButton::clicked, this, &NewTaskDialog::chooseFile);
    connect(chooseOutput, &QPushButton::clicked, this, &NewTaskDialog::chooseOutput);
    connect(m_add, &QPushButton::clicked, this, [this] {
        addInput();
        m_rows.back().spec->setFocus();
    });
    connect(m_file, &QLineEdit::textChanged, this, &NewTaskDialog::readFile);
    connect(m_class, &QComboBox::currentTextChanged, this, [this] { m_later->start(); });
    connect(m_arguments, &QLineEdit::textChanged, this, [this] { m_later->start(); });
    connect(m_output, &QLineEdit::textEdited, this, [this] {
        m_outputGiven = true;
        m_later->start();
    });
    return form;
}

QWidget* NewTaskDialog::makePreview()
{
    const Theme& theme = Theme::instance();
    auto* widget = new QWidget;
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(1));
    auto* title = new QLabel(tr("The task as it will be written"));
    name(m_preview, "newTaskPreview", tr("Preview of the task"));
    layout->addWidget(title);
    layout->addWidget(m_preview, 1);
    widget->setMinimumWidth(theme.unit(80));
    return widget;
}

void NewTaskDialog::addInput()
{
    static const char* const examples[] = {"randn(8, 3, 224, 224)", "randint(0, 10, (8,))", "ones(4, dtype=float16)",
                                           "0.5"};
    const Theme& theme = Theme::instance();
    Row row{new QWidget, new QLineEdit, new QToolButton};
    auto* layout = new QHBoxLayout(row.widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.unit(1));
    layout->addWidget(row.spec, 1);
    layout->addWidget(row.remove);
    row.spec->setFont(theme.monoFont());
    row.spec->setPlaceholderText(
        tr("for example %1").arg(QLatin1String(examples[m_rows.size() % std::size(examples)])));
    row.remove->setIcon(theme.icon(QStringLiteral("close")));
    row.remove->setAutoRaise(true);
    row.remove->setFocusPolicy(Qt::StrongFocus);
    connect(row.spec, &QLineEdit::textChanged, this, [this] { m_later->start(); });
    connect(row.remove, &QToolButton::clicked, this, [this, widget = row.widget] { removeInput(widget); });
    m_inputs->addWidget(row.widget);
    row.widget->show(); // now, so that it can take the focus
    m_rows.push_back(row);
    renumber();
    m_later->start();
}

void NewTaskDialog::removeInput(const QWidget* widget)
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [widget](const Row& row) { return row.widget == widget; });
    if (found == m_rows.end())
        return;
    const auto at = std::size_t(found - m_rows.begin());
    found->widget->hide();
    found->widget->deleteLater(); // its button is what was clicked
    m_rows.erase(found);
    renumber();
    if (m_rows.empty())
        m_add->setFocus();
    else
        m_rows[std::min(at, m_rows.size() - 1)].spec->setFocus();
    m_later->start();
}

/// Names and tab order follow the place of each row.
void NewTaskDialog::renumber()
{
    QWidget* before = m_class;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        row.spec->setObjectName(QStringLiteral("newTaskInput%1").arg(i + 1));
        row.spec->setAccessibleName(tr("Input %1").arg(i + 1));
        row.remove->setObjectName(QStringLiteral("newTaskRemove%1").arg(i + 1));
        row.remove->setAccessibleName(tr("Remove input %1").arg(i + 1));
        row.remove->setToolTip(row.remove->accessibleName());
        setTabOrder(before, row.spec);
        setTabOrder(row.spec, row.remove);
        before = row.remove;
    }
    setTabOrder(before, m_add);
}

void NewTaskDialog::chooseFile()
{
    const QString chosen = QFileDialog::getOpenFileName(this, tr("File of the module"), m_file->text(),
                                                        tr("Python files (*.py)"));
    if (!chosen.isEmpty())
        setFile(chosen);
}

void NewTaskDialog::chooseOutput()
{
    const QString chosen = QFileDialog::getSaveFileName(this, tr("Save the task as"), m_output->text(),
                                                        tr("Python files (*.py)"));
    if (chosen.isEmpty())
        return;
    m_confirmed = chosen; // the chooser asked
    m_outputGiven = true;
    m_output->setText(chosen);
    preview();
}

void NewTaskDialog::setFile(const QString& path)
{
    m_file->setText(path);
}

void NewTaskDialog::readFile()
{
    m_source.clear();
    m_fileProblem.clear();
    const QSignalBlocker quiet(m_class);
    const QString before = m_class->currentText();
    m_class->clear();
    if (const QString path = m_file->text(); !path.isEmpty()) {
        tasks::SourceFile file = tasks::readSource(path.toStdString());
        if (file.ok())
            m_source = std::move(file.text);
        else
            m_fileProblem = sentence({file.flaw.code, file.flaw.message,
                                      file.flaw.line ? "line " + std::to_string(file.flaw.line) : "", file.flaw.hint});
    }
    for (const tasks::ModuleClass& one : tasks::classesOf(m_source))
        m_class->addItem(QString::fromStdString(one.name));
    // As a rule the module that is wanted comes last, after the blocks that it is made of.
    const int kept = m_class->findText(before);
    m_class->setCurrentIndex(kept >= 0 ? kept : m_class->count() - 1);
    m_later->start();
}

tasks::NewTask NewTaskDialog::request() const
{
    tasks::NewTask out;
    out.source = m_source;
    out.file = QFileInfo(m_file->text()).fileName().toStdString();
    out.className = m_class->currentText().toStdString();
    for (const Row& row : m_rows)
        out.inputs.push_back(row.spec->text().toStdString());
    if (!m_arguments->text().trimmed().isEmpty())
        out.arguments.push_back(m_arguments->text().toStdString());
    return out;
}

void NewTaskDialog::preview()
{
    m_later->stop();
    m_made = {};
    QString problem = m_fileProblem;
    if (m_source.empty()) {
        m_preview->setCode({});
    } else {
        auto made = tasks::newTaskText(request());
        m_preview->setCode(made ? made->text : m_source);
        if (made) {
            m_made = std::move(*made);
            m_preview->reveal(m_made.ownLines, 1);
        } else {
            problem = sentence(made.error());
        }
        if (!m_outputGiven)
            m_output->setText(
                QFileInfo(m_file->text()).absoluteDir().filePath(m_class->currentText() + QStringLiteral("_task.py")));
    }
    const bool blank = std::any_of(m_rows.begin(), m_rows.end(),
                                   [](const Row& row) { return row.spec->text().trimmed().isEmpty(); });
    if (!m_made.text.empty() && m_output->text().isEmpty())
        problem = tr("Say where to save the task.");
    else if (!m_made.text.empty() && m_output->text() != m_confirmed && QFileInfo::exists(m_output->text()))
        problem =
            tr("%1 exists already. Choose another name, or agree to replace it with Choose….").arg(m_output->text());
    else if (m_made.text.empty() && !m_source.empty() && blank) {
        // A form that was only begun has nothing wrong yet, unless the rest of it has.
        tasks::NewTask begun = request();
        std::erase_if(begun.inputs,
                      [](const std::string& spec) { return QString::fromStdString(spec).trimmed().isEmpty(); });
        if (tasks::newTaskText(begun))
            problem = tr("Say what each input is, or remove the empty row.");
    }
    showProblem(problem);
    m_make->setEnabled(!m_checking && !m_made.text.empty() && problem.isEmpty());
}

void NewTaskDialog::showProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    m_mark->setVisible(!text.isEmpty());
    m_mark->setPixmap(
        Theme::instance().icon(QStringLiteral("warning"), Role::Warning).pixmap(Theme::instance().unit(4)));
}

void NewTaskDialog::make()
{
    preview(); // with the last keystroke
    if (!m_make->isEnabled())
        return;
    if (!m_check->isChecked())
        return save({});
    setChecking(true);
    emit checkRequested(m_class->currentText(), QString::fromStdString(m_made.text));
}

void NewTaskDialog::setChecking(bool checking)
{
    m_checking = checking;
    m_stopping = false;
    m_cancel->setEnabled(true);
    m_busy->setVisible(checking);
    m_state->setText(checking ? tr("Running the module once…") : QString());
    m_form->setEnabled(!checking);
    m_make->setEnabled(!checking && !m_made.text.empty());
    m_cancel->setText(checking ? tr("Stop") : tr("Cancel"));
    m_cancel->setAccessibleName(m_cancel->text());
}

void NewTaskDialog::checkProgress(const QString& text)
{
    if (m_checking && !m_stopping && !text.isEmpty())
        m_state->setText(text);
}

void NewTaskDialog::checkEnded(const base::Result<Graph>& graph)
{
    if (!m_checking)
        return;
    const bool stopped = m_stopping;
    setChecking(false);
    if (stopped)
        return showProblem(tr("Stopped; nothing was written."));
    if (!graph)
        return showProblem(
            sentence(tasks::runFailure(graph.error(), m_made, QFileInfo(m_file->text()).fileName().toStdString())));
    if ((*graph)->outputs.empty())
        return showProblem(sentence(tasks::noResult(m_made, QFileInfo(m_file->text()).fileName().toStdString())));
    save(tr("%1 → %2").arg(QString::fromStdString(optimize::tensorsText(**graph, (*graph)->inputs)),
                           QString::fromStdString(optimize::tensorsText(**graph, (*graph)->outputs))));
}

void NewTaskDialog::save(const QString& shapes)
{
    const QString path = m_output->text();
    if (const auto written = tasks::writeTask(path.toStdString(), m_made.text, path == m_confirmed); !written)
        return showProblem(sentence(written.error()));
    emit taskMade(path, shapes);
    accept();
}

void NewTaskDialog::reject()
{
    if (!m_checking)
        return QDialog::reject();
    if (std::exchange(m_stopping, true))
        return;
    m_state->setText(tr("Stopping…"));
    m_cancel->setEnabled(false);
    emit checkStopped();
}

} // namespace cudal1::ui
