// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that most tests without a window include, compiled once. Every file still includes what it uses.
#pragma once

#include "core/base/result.h"
#include "core/protocol/messages.h"

#include <nlohmann/json.hpp>

#include <QBitArray>
#include <QByteArray>
#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QObject>
#include <QProcess>
#include <QSharedPointer>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QUrl>
#include <QVariant>
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>
