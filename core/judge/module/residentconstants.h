// SPDX-License-Identifier: GPL-3.0-or-later
// The constants of loaded libraries, mapped before anything is timed.
#pragma once

namespace cudal1::judge {

/// Maps the read-only data of all loaded libraries into this process's page tables, some 10 ms for a framework.
///
/// A fork starts without them, and a page comes when it is first read. A vector instruction whose mask switches off all
/// that it would read from such a page reads nothing, so the page never comes, and the processor finds out anew each
/// time that there is no fault to report: exp, sigmoid and log1p of the framework were 10 to 45 times slower for the
/// whole life of a fork, until something else happened to read the page. So both sides have theirs before they are
/// timed on the CPU.
void mapConstants();

} // namespace cudal1::judge
