// SPDX-License-Identifier: GPL-3.0-or-later
// Sources come from the project model, device code from a connection of a thread of its own.
#include "ui/compare/comparedcode.h"

#include "ui/compare/diffview.h"
#include "ui/editor/codeview.h"
#include "ui/work/projectmodel.h"

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

/// Empty for the reference, and where it cannot be read.
std::string sourceIn(const store::Project& project, base::VariantId id)
{
    const auto variant = id ? project.variant(id) : base::Result<store::VariantRecord>(store::VariantRecord());
    return variant ? variant->source : std::string();
}

} // namespace

ComparedCode::ComparedCode(const ProjectModel& project, DiffView& view, QObject* parent)
    : QObject(parent), m_project(project), m_view(view)
{
}

base::Result<std::string> ComparedCode::sourceOf(const base::TaskId& task, base::VariantId id) const
{
    if (!id) {
        base::Result<store::TaskRecord> record = m_project.taskRecord(task);
        return record ? base::Result<std::string>(std::move(record->source)) : record.error();
    }
    base::Result<store::VariantRecord> variant = m_project.variant(id);
    return variant ? base::Result<std::string>(std::move(variant->source)) : variant.error();
}

void ComparedCode::setKind(CodeKind kind)
{
    m_kind = kind;
    forget();
}

void ComparedCode::show(const base::TaskId& task, base::VariantId left, base::VariantId right)
{
    const Sides sides{task, left, right};
    if (m_shown == sides)
        return;
    const base::Result<std::string> a = sourceOf(task, left), b = sourceOf(task, right);
    if (!a || !b) {
        if (!m_project.isLoading())
            emit errorRaised((a ? b : a).error());
        return;
    }
    m_shown = sides;
    m_asker.forget();
    m_view.setLanguage(m_kind == CodeKind::Source ? CodeLanguage::Python : CodeLanguage::Assembly);
    m_related = true;
    if (m_kind == CodeKind::Source)
        m_view.setPrograms(*a, *b);
    else
        showKernels(sides);
}

void ComparedCode::showKernels(const Sides& sides)
{
    struct Texts {
        std::string left, right;
        bool related = true;
        std::optional<base::Error> error;
    };
    // Machine code has megabytes: it is read and unpacked beside the window, through a connection of its own.
    m_asker.ask(
        [path = m_project.path().toStdString(), sides, kind = m_kind]() -> base::Result<Texts> {
            Texts out;
            const auto project = store::Project::open(path);
            if (!project)
                return project.error();
            for (const auto& [id, text] : {std::pair(sides.left, &out.left), std::pair(sides.right, &out.right)}) {
                const auto records = id ? (*project)->kernels(id)
                                        : base::Result<std::vector<store::KernelsRecord>>(
                                              std::vector<store::KernelsRecord>());
                if (!records)
                    out.error = records.error();
                else
                    *text = kernelText(id, *records, kind,
                                       id && records->empty() ? capturedOf(**project, sides.task)
                                                              : std::vector<base::VariantId>(),
                                       sourceIn(**project, id));
                out.related = out.related && records && !records->empty();
            }
            return out;
        },
        [this](const base::Result<Texts>& read) {
            if (!read || read->error)
                emit errorRaised(read ? *read->error : read.error());
            m_related = !read || read->related;
            if (!read)
                m_view.setTexts({}, {});
            else if (m_related)
                m_view.setTexts(read->left, read->right);
            else
                m_view.setUnrelated(read->left, read->right);
        });
}

} // namespace cudal1::ui
