// SPDX-License-Identifier: GPL-3.0-or-later
// Python's `with`, for as long as an object of C++ lives.
#pragma once

#include "core/judge/module/pythonhost.h"

namespace cudal1::judge {

/// Enters a context manager, and leaves it again when it is destroyed, also on the way out of an exception.
class PythonContext {
public:
    explicit PythonContext(PyRef manager); ///< throws PythonError when it cannot be entered
    PythonContext(const PythonContext&) = delete;
    PythonContext& operator=(const PythonContext&) = delete;
    ~PythonContext();

private:
    PyRef m_manager;
};

} // namespace cudal1::judge
