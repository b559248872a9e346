// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the two editors of the compare page: sources, PTX or SASS.
#include "ui/compare/comparepage.h"

#include "ui/compare/diffview.h"
#include "ui/kit/background.h"
#include "ui/editor/codeview.h"
#include "ui/work/projectmodel.h"
#include "ui/work/selection.h"
#include "ui/variants/texts.h"

namespace cudal1::ui {

namespace {

/// Some of the task's variants whose kernels the project has.
std::vector<base::VariantId> capturedOf(const store::Project& project, const base::TaskId& task)
{
    constexpr std::size_t most = 3;
    std::vector<base::VariantId> found;
    const auto rows = project.variantRows(task);
    for (std::size_t i = 0; rows && i < rows->size() && found.size() < most; ++i)
        if (const auto records = project.kernels((*rows)[i].id); records && !records->empty())
            found.push_back((*rows)[i].id);
    return found;
}

} // namespace

base::Result<std::string> ComparePage::sourceOf(base::VariantId id) const
{
    if (!id) {
        base::Result<store::TaskRecord> task = m_project.taskRecord(m_selection.task());
        return task ? base::Result<std::string>(std::move(task->source)) : task.error();
    }
    base::Result<store::VariantRecord> variant = m_project.variant(id);
    return variant ? base::Result<std::string>(std::move(variant->source)) : variant.error();
}

void ComparePage::showSources()
{
    const base::VariantId left = m_selection.left(), right = m_selection.right();
    m_diff->setTitles(label(left), label(right));
    if (m_shownTask == m_selection.task() && m_shownLeft == left && m_shownRight == right)
        return;
    const base::Result<std::string> a = sourceOf(left), b = sourceOf(right);
    if (!a || !b) {
        // Not for good: the task may still be loading, and tasksChanged comes here again.
        if (!m_project.isLoading())
            emit errorRaised((a ? b : a).error());
        return;
    }
    m_shownTask = m_selection.task();
    m_shownLeft = left;
    m_shownRight = right;
    ++m_generation;
    m_diff->setLanguage(m_kind == CodeKind::Source ? CodeLanguage::Python : CodeLanguage::Assembly);
    m_related = true;
    if (m_kind == CodeKind::Source)
        m_diff->setTexts(*a, *b);
    else
        showKernels(left, right);
}

void ComparePage::showKernels(base::VariantId left, base::VariantId right)
{
    struct Texts {
        std::string left, right;
        bool related = true;
        std::optional<base::Error> error;
    };
    // Machine code has megabytes: it is read and unpacked beside the window, through a connection of its own.
    inBackground(
        this,
        [path = m_project.path().toStdString(), task = m_selection.task(), left, right, kind = m_kind] {
            Texts out;
            const auto project = store::Project::open(path);
            if (!project) {
                out.error = project.error();
                return out;
            }
            for (const auto& [id, text] : {std::pair(left, &out.left), std::pair(right, &out.right)}) {
                const auto records = id ? (*project)->kernels(id) : base::Result<std::vector<store::KernelsRecord>>(std::vector<store::KernelsRecord>());
                if (!records)
                    out.error = records.error();
                else
                    *text = kernelText(id, *records, kind, id && records->empty() ? capturedOf(**project, task) : std::vector<base::VariantId>());
                out.related = out.related && records && !records->empty();
            }
            return out;
        },
        [this, generation = m_generation](const Texts& texts) {
            if (generation != m_generation)
                return;
            if (texts.error)
                emit errorRaised(*texts.error);
            m_related = texts.related;
            if (m_related)
                m_diff->setTexts(texts.left, texts.right);
            else
                m_diff->setUnrelated(texts.left, texts.right);
        });
}

void ComparePage::setCodeKind(CodeKind kind)
{
    m_kinds[int(kind)]->setChecked(true);
    if (kind == m_kind)
        return;
    m_kind = kind;
    kernelsChanged();
    showTools();
}

void ComparePage::kernelsChanged()
{
    m_shownLeft = m_shownRight = {-1};
    if (!isEmpty())
        showSources();
}

} // namespace cudal1::ui
