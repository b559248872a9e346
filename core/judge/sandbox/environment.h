// SPDX-License-Identifier: GPL-3.0-or-later
// What of the user's environment variables a subject's process keeps.
#pragma once

namespace cudal1::judge {

/// Removes all variables from the calling process but those that programs, compilers and the framework are set with, and
/// overwrites the text of the others where the kernel shows it (/proc/self/environ), so that no descendant finds it in its
/// own memory. To be called before anything has copied the environment.
void keepNeededEnvironment();

} // namespace cudal1::judge
