// SPDX-License-Identifier: GPL-3.0-or-later
// Maps the constants of all loaded libraries into memory before anything is timed.
#pragma once

namespace cudal1::judge {

/// Reads one byte of each page of the read-only data of all loaded libraries, so that the pages are in this process's
/// page table. That takes some 10 ms with the framework loaded.
///
/// A forked process starts without these entries; the kernel adds each one when its page is first read. A masked vector
/// instruction whose mask switches off every element in such a page reads nothing from it. So the entry is never added,
/// and each time the processor has to find out again that there is no fault to report. That made the framework's exp,
/// sigmoid and log1p 10 to 45 times slower for the whole life of a fork, unless something else happened to read the
/// page. Both sides therefore call this before they are timed on the CPU.
void mapConstants();

} // namespace cudal1::judge
