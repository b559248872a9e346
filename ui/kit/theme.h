// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, fonts, spacing and icons by meaning: the only place that knows a pixel.
#pragma once

#include "ui/kit/themecolors.h"

#include <QFont>
#include <QIcon>
#include <QObject>

class QApplication;

namespace cudal1::ui {

/// One for the program. Widgets paint with color() at paint time, or restyle on changed().
class Theme : public QObject {
    Q_OBJECT
public:
    enum class Mode { System, Light, Dark };
    Q_ENUM(Mode)

    static Theme& instance();

    /// Installs style, palette and fonts on the application, and follows the system while mode is System.
    /// `points` is the size of text where the desktop does not say one, and its scale where it does (10: as it is).
    void prepare(QApplication& application, double points = 10);
    /// The style sheet, which is wanted before the first window is shown and after what it holds was made: a widget
    /// that gets a parent while there is a sheet is styled once more, with all that it holds.
    void dress();
    /// Both at once.
    void install(QApplication& application, double points = 10);
    void setMode(Mode mode);
    /// Another size of text, as in prepare(); acts at once.
    void setPoints(double points);
    Mode mode() const { return m_mode; }
    bool isDark() const { return m_dark; }

    QColor color(Role role) const { return color(role, m_dark); }
    static QColor color(Role role, bool dark) { return themeColor(role, dark); }
    /// The colour of a suite's level (0 for single files).
    QColor levelColor(int level) const;

    /// `count` steps of the 4 px grid at the default font, scaled with the font: unit(2) is 8 px at 10 pt.
    int unit(int count = 1) const;
    QFont textFont() const;
    /// Code and numbers in tables; figures of one width.
    QFont monoFont() const;
    /// Secondary text: one step smaller than textFont.
    QFont smallFont() const;
    /// Titles of pages and cards (1: page, 2: section) and big numbers (0).
    QFont titleFont(int level = 1) const;

    /// An icon of ours (":/icons/NAME.svg"), drawn in `role`'s colour, crisp at any size and scale. Follows the theme
    /// by itself.
    QIcon icon(const QString& name, Role role = Role::Text) const;

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    Theme();
    void refresh();
    QFont fontOf(double points) const;
    bool systemIsDark() const;

    QApplication* m_application = nullptr;
    QFont m_given;          ///< the application's, before ours
    bool m_dressed = false; ///< has its style sheet
    Mode m_mode = Mode::System;
    bool m_dark = false;
    bool m_applying = false;
};

/// WCAG contrast of two opaque colours, 1 to 21.
double contrast(const QColor& a, const QColor& b);

} // namespace cudal1::ui
