// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of paper below each other, as a PDF viewer shows them: fitted to the width, or zoomed.
#pragma once

#include "core/pages/sheet.h"

#include <QAbstractScrollArea>
#include <QHash>
#include <QPixmap>

#include <memory>

namespace cudal1::ui {

/// Ctrl+wheel, Ctrl++ and Ctrl+- zoom, Ctrl+0 fits the width again; Home, End and the arrows scroll.
class PageView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit PageView(QWidget* parent = nullptr);

    /// `paged` may share its owner with anything else. The place stays where the number of pages allows.
    void setPages(std::shared_ptr<const pages::Paged> paged);
    int pageCount() const { return m_paged ? int(m_paged->sheets.size()) : 0; }
    /// The page in the middle of the view, from 0.
    int currentPage() const;
    void goToPage(int page);
    double zoom() const { return m_zoom; } ///< 1: the page fills the width

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QSizeF pageSize() const;
    double pageTop(int page) const;
    void layOut();
    void setZoom(double zoom);
    const QPixmap& picture(int page);

    std::shared_ptr<const pages::Paged> m_paged;
    QHash<int, QPixmap> m_pictures; ///< of the pages near the view
    double m_zoom = 1;
};

} // namespace cudal1::ui
