// SPDX-License-Identifier: GPL-3.0-or-later
// One read of each page of the segments that are neither code nor data of the process.
#include "core/judge/module/residentconstants.h"

#include <link.h>
#include <unistd.h>

#include <cstddef>

namespace cudal1::judge {

namespace {

int readEachPage(dl_phdr_info* library, std::size_t, void*)
{
    constexpr std::size_t most = std::size_t{256}
                              << 20; // device code of CUDA libraries, which no instruction here reads
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& segment = library->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_W | PF_X)) != 0 || segment.p_memsz > most)
            continue;
        // The loader gives addresses as numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* bytes = reinterpret_cast<const volatile std::byte*>(library->dlpi_addr + segment.p_vaddr);
        for (std::size_t at = 0; at < segment.p_memsz; at += page)
            static_cast<void>(bytes[at]);
    }
    return 0;
}

} // namespace

void mapConstants()
{
    ::dl_iterate_phdr(readEachPage, nullptr);
}

} // namespace cudal1::judge
