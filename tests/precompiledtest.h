// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that most tests include, or Qt Test does, compiled once. Every file still includes what it uses. Qt Test is
// not among them, since it depends on macros that each test has of its own.
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
