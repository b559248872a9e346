// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that most tests of windows include, compiled once. Every file still includes what it uses.
#pragma once

#include "core/protocol/messages.h"
#include "ui/kit/precompiledwindow.h"

#include <QtTest>
