// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the two editors of the compare page: sources, PTX or SASS of the reference and of variants.
#pragma once

#include "core/base/ids.h"
#include "core/base/result.h"
#include "ui/compare/kerneltext.h"
#include "ui/kit/background.h"

#include <QObject>

#include <optional>
#include <string>

namespace cudal1::ui {

class DiffView;
class ProjectModel;

/// Reads the code of two sides and puts it into a view; the reference stands for a variant id of 0. Model and view
/// outlive this, which is used on their thread. Sources are shown at once, device code when it was read in the
/// background.
class ComparedCode : public QObject {
    Q_OBJECT
public:
    ComparedCode(const ProjectModel& project, DiffView& view, QObject* parent);

    base::Result<std::string> sourceOf(const base::TaskId& task, base::VariantId id) const;

    CodeKind kind() const { return m_kind; }
    /// Of what is shown from the next call of show() on.
    void setKind(CodeKind kind);
    /// Whether both sides have what is compared.
    bool isRelated() const { return m_related; }

    /// Nothing happens when that stands in the view already. What cannot be read while the project is loading is no
    /// error: it is to be asked for again.
    void show(const base::TaskId& task, base::VariantId left, base::VariantId right);
    /// The next call of show() reads again.
    void forget() { m_shown.reset(); }

signals:
    void errorRaised(const cudal1::base::Error& error);

private:
    struct Sides {
        base::TaskId task;
        base::VariantId left, right;

        bool operator==(const Sides&) const = default;
    };

    void showKernels(const Sides& sides);

    const ProjectModel& m_project;
    DiffView& m_view;
    CodeKind m_kind = CodeKind::Source;
    bool m_related = true;
    std::optional<Sides> m_shown;
    Asker m_asker{this}; ///< for device code
};

} // namespace cudal1::ui
