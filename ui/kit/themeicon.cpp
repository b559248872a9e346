// SPDX-License-Identifier: GPL-3.0-or-later
// Renders the SVG once for each colour and pixel size; the pixmap cache keeps them.
#include "ui/kit/themeicon.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace cudal1::ui {

namespace {

/// The files draw with black; it stands for "the colour of the role".
QByteArray source(const QString& name)
{
    static QHash<QString, QByteArray> sources;
    auto it = sources.find(name);
    if (it == sources.end()) {
        QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
        it = sources.insert(name, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
    }
    return it.value();
}

QPixmap render(const QString& name, const QColor& color, const QSize& pixels)
{
    const QString key = QStringLiteral("cudal1-%1-%2-%3x%4")
                            .arg(name, color.name(QColor::HexArgb))
                            .arg(pixels.width())
                            .arg(pixels.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    QByteArray svg = source(name);
    svg.replace("#000000", color.name().toLatin1());
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    if (!svg.isEmpty()) {
        QSvgRenderer renderer(svg);
        QPainter painter(&pixmap);
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(&painter);
    }
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

} // namespace

void ThemeIcon::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state)
{
    const qreal scale = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
    painter->drawPixmap(rect, scaledPixmap(rect.size() * scale, mode, state, scale));
}

QPixmap ThemeIcon::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State)
{
    const Theme& theme = Theme::instance();
    return render(m_name, theme.color(mode == QIcon::Disabled ? Role::Disabled : m_role), size);
}

QPixmap ThemeIcon::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale)
{
    QPixmap result = pixmap(size, mode, state);
    result.setDevicePixelRatio(scale);
    return result;
}

bool ThemeIcon::isNull()
{
    return source(m_name).isEmpty();
}

} // namespace cudal1::ui
