// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that most files of the window include, compiled once. Every file still includes what it uses.
#pragma once

#include <nlohmann/json.hpp>

#include <QAbstractTableModel>
#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>
