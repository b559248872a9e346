// SPDX-License-Identifier: GPL-3.0-or-later
// Opening, reading and validating one source file.
#include "core/tasks/sourcefile.h"

#include "core/base/bytestext.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace cudal1::tasks {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

SourceFile refused(ErrorCode code, std::string message, std::string hint = {}, int line = 0)
{
    return {{}, {code, line, std::move(message), std::move(hint)}};
}

/// Length of the well-formed UTF-8 sequence at `at` (Unicode, table 3-7), or 0.
std::size_t sequenceLength(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto continues = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i <= to; ++i) {
            if ((byte(i) & 0xc0) != 0x80)
                return false;
        }
        return true;
    };
    const unsigned lead = byte(0);
    const unsigned second = byte(1);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return continues(1, 1) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef) {
        const bool overlong = lead == 0xe0 && second < 0xa0;
        const bool surrogate = lead == 0xed && second > 0x9f;
        return continues(1, 2) && !overlong && !surrogate ? 3 : 0;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        const bool overlong = lead == 0xf0 && second < 0x90;
        const bool beyond = lead == 0xf4 && second > 0x8f;
        return continues(1, 3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

/// The first byte that is no text: not UTF-8, or NUL.
std::optional<std::size_t> firstBadByte(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = text[at] == '\0' ? 0 : sequenceLength(text, at);
        if (length == 0)
            return at;
        at += length;
    }
    return std::nullopt;
}

} // namespace

SourceFile readSource(const fs::path& file)
{
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) {
        std::error_code ignored;
        if (fs::is_symlink(fs::symlink_status(file, ignored)))
            return refused(ErrorCode::NotFound, "the link points to a file that does not exist");
        return refused(ErrorCode::NotFound, "there is no such file");
    }
    if (error == std::errc::too_many_symbolic_link_levels)
        return refused(ErrorCode::Unreadable, "the link leads back to itself");
    if (error)
        return refused(ErrorCode::Unreadable, "the file cannot be read: " + error.message());
    if (status.type() == fs::file_type::directory)
        return refused(ErrorCode::InvalidArgument, "this is a folder, not a source file");
    if (status.type() != fs::file_type::regular)
        return refused(ErrorCode::InvalidArgument, "this is a device, pipe or socket, not a source file");

    const std::uintmax_t size = fs::file_size(file, error);
    if (error)
        return refused(ErrorCode::Unreadable, "the file cannot be read: " + error.message());
    if (size > MaxSourceBytes) {
        return refused(ErrorCode::InvalidArgument, "the file has " + base::bytesText(double(size)) +
                                                       "; a source file has at most " +
                                                       base::bytesText(double(MaxSourceBytes)));
    }

    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        return refused(ErrorCode::Unreadable, std::string("the file cannot be opened: ") + std::strerror(errno));
    SourceFile out;
    out.text.resize(size);
    stream.read(out.text.data(), static_cast<std::streamsize>(size));
    if (stream.bad())
        return refused(ErrorCode::Unreadable, "reading the file failed half way");
    out.text.resize(static_cast<std::size_t>(stream.gcount()));

    constexpr std::string_view ByteOrderMark = "\xef\xbb\xbf";
    if (out.text.starts_with(ByteOrderMark))
        out.text.erase(0, ByteOrderMark.size());
    if (out.text.find_first_not_of(" \t\r\n\f") == std::string::npos)
        return refused(ErrorCode::InvalidArgument, "the file is empty");
    if (const auto bad = firstBadByte(out.text)) {
        const auto before = out.text.begin() + static_cast<std::ptrdiff_t>(*bad);
        const int line = 1 + static_cast<int>(std::count(out.text.begin(), before, '\n'));
        return refused(ErrorCode::Unreadable,
                       out.text[*bad] == '\0' ? "the file holds binary data" : "the text is not UTF-8",
                       "Save the file as UTF-8.", line);
    }
    return out;
}

base::Result<std::string> readCandidate(const fs::path& file)
{
    SourceFile source = readSource(file);
    if (source.ok())
        return std::move(source.text);
    const FileFlaw& flaw = source.flaw;
    return base::Error{flaw.code, "The candidate cannot be read: " + flaw.message,
                       file.string() + (flaw.line > 0 ? ", line " + std::to_string(flaw.line) : std::string()),
                       flaw.hint.empty() ? "Give a Python file that defines ModelNew" : flaw.hint};
}

} // namespace cudal1::tasks
