// SPDX-License-Identifier: GPL-3.0-or-later
// The environment variables of the user that the zygote, and so every subject, keeps.
#pragma once

namespace cudal1::judge {

/// Keeps the variables that set up programs, compilers and the framework, and removes all others from the calling
/// process. The text of those others is overwritten where the kernel shows it (/proc/self/environ), so that no
/// descendant finds it in its memory. Call it before anything has copied the environment.
void keepNeededEnvironment();

} // namespace cudal1::judge
