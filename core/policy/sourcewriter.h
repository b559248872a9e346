// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a candidate's Python text together: the reference's own text, toggles, helpers and a rewritten forward.
#pragma once

#include "core/policy/technique.h"

#include <string>

namespace cudal1::policy {

/// A module that defines ModelNew. Its __init__ is the reference's, so that it draws the same numbers and has the same
/// parameters; the techniques get a toggle each, set to True. With every toggle off it computes what the reference
/// computes, by the reference's own statements. A technique that another opens does nothing while that one is off.
std::string writeSource(const TechniqueContext& context, const Used& used);

} // namespace cudal1::policy
