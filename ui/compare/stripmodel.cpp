// SPDX-License-Identifier: GPL-3.0-or-later
// The list behind the strip of variants.
#include "ui/compare/stripmodel.h"

#include "ui/variants/texts.h"

#include <algorithm>

namespace cudal1::ui {

StripModel::StripModel(QObject* parent)
    : QAbstractListModel(parent), m_rows(std::make_shared<std::vector<store::VariantRow>>())
{
}

void StripModel::setRows(std::shared_ptr<const std::vector<store::VariantRow>> rows)
{
    beginResetModel();
    m_rows = rows ? std::move(rows) : std::make_shared<const std::vector<store::VariantRow>>();
    applyFilter();
    endResetModel();
}

void StripModel::setFilter(const QString& words)
{
    beginResetModel();
    m_filter = words;
    applyFilter();
    endResetModel();
}

void StripModel::applyFilter()
{
    const QStringList words = m_filter.simplified().split(u' ', Qt::SkipEmptyParts);
    m_shown.clear();
    for (int i = 0; i < int(m_rows->size()); ++i) {
        const store::VariantRow& row = (*m_rows)[std::size_t(i)];
        const QString text = QStringList{variantName(row.id, row.baseline), verdictStyle(row).word,
                                         techniquesText(row.techniques), QString::fromStdString(row.origin)}
                                 .join(u' ');
        if (std::all_of(words.begin(), words.end(),
                        [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); }))
            m_shown.push_back(i);
    }
}

void StripModel::setCompared(base::VariantId left, base::VariantId right)
{
    m_left = left;
    m_right = right;
    emit dataChanged(index(0), index(rowCount() - 1), {LeftRole, RightRole});
}

int StripModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_shown.size()) + 1;
}

const store::VariantRow* StripModel::variant(int row) const
{
    return row >= 1 && row <= int(m_shown.size()) ? &(*m_rows)[std::size_t(m_shown[std::size_t(row - 1)])] : nullptr;
}

int StripModel::rowOf(base::VariantId id) const
{
    if (!id)
        return 0;
    const auto found = std::find_if(m_shown.begin(), m_shown.end(),
                                    [this, id](int row) { return (*m_rows)[std::size_t(row)].id == id; });
    return found == m_shown.end() ? -1 : int(found - m_shown.begin()) + 1;
}

QVariant StripModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const store::VariantRow* row = variant(index.row());
    const base::VariantId id = row ? row->id : base::VariantId();
    switch (role) {
    case Qt::DisplayRole: return variantName(id, row ? row->baseline : std::string());
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        QString text = variantName(id, row ? row->baseline : std::string());
        if (row) {
            text += QStringLiteral(": ") + verdictStyle(*row).word;
            if (row->evaluation && row->evaluation->wall.valid())
                text += QStringLiteral(", ") + speedupSentence(row->evaluation->wall, marksOf(*row));
            text += u'\n' + techniquesText(row->techniques);
            if (const std::string marks = marksOf(*row); !marks.empty())
                text += u'\n' + marksNote(marks);
            if (row->evaluation && !row->evaluation->firstReason.empty())
                text += u'\n' + QString::fromStdString(row->evaluation->firstReason);
        }
        return role == Qt::ToolTipRole ? text + tr("\nClick to show it on the right; Shift+click, or A, on the left")
                                       : text;
    }
    case IdRole: return qlonglong(id.value);
    case LeftRole: return id == m_left;
    case RightRole: return id == m_right;
    case MarkedRole: return row && !marksOf(*row).empty();
    default: return {};
    }
}

} // namespace cudal1::ui
