// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of a process that stands still, read and written from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cudal1::judge {

/// The same page can be mapped at many addresses, so that a large result takes the work of a small one. Memory of a
/// result is therefore a process's own: no file's, and shared with nobody. Throws DrivenSubject::Unreadable, as all do
/// here that return nothing.
void requireOwnMemory(int process, std::uint64_t from, std::size_t bytes);

/// Whether a caller finds memory there, or has the kernel make it when it reads or writes: pages that were never
/// written to are work that the candidate has left out, and a subject that answers in its own words does not write to
/// them on the clock as ours does.
void requireWrittenMemory(int process, std::uint64_t from, std::size_t bytes);

void readMemory(int process, std::uint64_t address, void* to, std::size_t bytes);

/// Whether no memory lies there, so that whoever uses it has to get it from the kernel first. That is taken to be so
/// where the kernel does not tell.
bool isGone(int process, std::uint64_t address);

/// /proc/PID/mem, which does not ask for the rights that the process has left itself; below zero where it is refused.
int openMemory(int process, int rights);

/// Writes `garbage` again and again until `bytes` are overwritten: a caller can write what it has got.
void overwriteMemory(int process, std::uint64_t address, std::size_t bytes, std::span<const std::byte> garbage);

} // namespace cudal1::judge
