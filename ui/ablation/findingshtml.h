// SPDX-License-Identifier: GPL-3.0-or-later
// What an ablation found, in sentences, as HTML for an InfoView.
#pragma once

#include "ui/ablation/ablationloader.h"

namespace cudal1::ui {

/// ablation::findingsOf(); one sentence where nothing is known.
QString findingsHtml(const AblationView& view);

} // namespace cudal1::ui
