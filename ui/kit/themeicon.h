// SPDX-License-Identifier: GPL-3.0-or-later
// An icon drawn from one of our SVG files in a colour of the theme, at whatever size and scale is asked for.
#pragma once

#include "ui/kit/theme.h"

#include <QIconEngine>

namespace cudal1::ui {

class ThemeIcon : public QIconEngine {
public:
    ThemeIcon(QString name, Role role) : m_name(std::move(name)), m_role(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override { return new ThemeIcon(m_name, m_role); }
    bool isNull() override;

private:
    QString m_name;
    Role m_role;
};

} // namespace cudal1::ui
