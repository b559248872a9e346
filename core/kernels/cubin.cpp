// SPDX-License-Identifier: GPL-3.0-or-later
// A cubin is ELF64: kernels are functions whose symbol carries the mark of an entry.
#include "core/kernels/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <optional>

namespace cudal1::kernels {

namespace {

constexpr unsigned char entryMark = 0x10; // STO_CUDA_ENTRY, in a symbol's st_other

/// A structure at `offset` of the image, which may be anything.
template<class T> std::optional<T> at(std::string_view image, std::uint64_t offset)
{
    if (offset > image.size() || image.size() - offset < sizeof(T))
        return {};
    T value;
    std::memcpy(&value, image.data() + offset, sizeof(T));
    return value;
}

std::string textAt(std::string_view image, const Elf64_Shdr& strings, std::uint64_t offset)
{
    if (strings.sh_offset > image.size() || offset >= image.size() - strings.sh_offset || offset >= strings.sh_size)
        return {};
    const std::string_view rest = image.substr(strings.sh_offset + offset);
    return std::string(rest.substr(0, rest.find('\0')));
}

bool isNameCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

} // namespace

std::vector<std::string> cubinEntries(std::string_view image)
{
    std::vector<std::string> names;
    const auto header = at<Elf64_Ehdr>(image, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
        return names;
    const auto section = [&](std::uint64_t index) {
        return index < header->e_shnum ? at<Elf64_Shdr>(image, header->e_shoff + index * sizeof(Elf64_Shdr))
                                       : std::nullopt;
    };
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
        const auto symbols = section(i);
        if (!symbols || symbols->sh_type != SHT_SYMTAB)
            continue;
        const auto strings = section(symbols->sh_link);
        if (!strings)
            continue;
        for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= symbols->sh_size; offset += sizeof(Elf64_Sym)) {
            const auto symbol = at<Elf64_Sym>(image, symbols->sh_offset + offset);
            if (!symbol)
                return names; // cut off
            if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_other & entryMark)
                if (std::string name = textAt(image, *strings, symbol->st_name); !name.empty())
                    names.push_back(std::move(name));
        }
    }
    return names;
}

bool isPtx(std::string_view text)
{
    const std::string_view head = text.substr(0, 4096);
    const std::size_t version = head.find(".version"), target = head.find(".target");
    return version != std::string_view::npos && target != std::string_view::npos && version < target &&
           head.substr(0, version).find('\0') == std::string_view::npos;
}

std::vector<std::string> ptxEntries(std::string_view text)
{
    constexpr std::string_view word = ".entry";
    std::vector<std::string> names;
    for (std::size_t found = text.find(word); found != std::string_view::npos; found = text.find(word, found + 1)) {
        std::size_t begin = found + word.size();
        while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t'))
            ++begin;
        std::size_t end = begin;
        while (end < text.size() && isNameCharacter(text[end]))
            ++end;
        if (end > begin && begin > found + word.size())
            names.emplace_back(text.substr(begin, end - begin));
    }
    return names;
}

bool isLibraryKernel(std::string_view name)
{
    static constexpr std::string_view marks[] = {"at::native", "2at6native", "at_cuda_detail", "cudnn",     "cublas",
                                                 "cutlass",    "cub::",      "3cub",           "thrust",    "6thrust",
                                                 "c10::",      "3c10",       "cusparse",       "cufft",     "ncclDev",
                                                 "nvjet",      "ampere_",    "sm80_xmma",      "sm90_xmma", "volta_",
                                                 "turing_"};
    return std::any_of(std::begin(marks), std::end(marks),
                       [name](std::string_view mark) { return name.find(mark) != std::string_view::npos; });
}

} // namespace cudal1::kernels
