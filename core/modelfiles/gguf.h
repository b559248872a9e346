// SPDX-License-Identifier: GPL-3.0-or-later
// Files in the format GGUF, version 2 and 3: metadata by key, tensors by name.
#pragma once

#include "core/base/result.h"
#include "core/modelfiles/mappedfile.h"
#include "core/modelfiles/tensorformat.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cudal1::modelfiles {

/// A value of the metadata. Whole numbers of every width are one type, and so are the two widths of floats.
using GgufValue = std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

/// Every offset, count and shape was checked against the file before the object exists, so that reading any tensor is
/// safe. Lists of lists in the metadata are skipped.
class GgufFile {
public:
    /// Unreadable for what is no GGUF file, is damaged, or was cut off; TooNew for a later version.
    static base::Result<GgufFile> open(const std::string& path);

    const std::string& path() const { return m_file->path(); }
    std::optional<std::int64_t> integer(const std::string& key) const;
    std::optional<double> number(const std::string& key) const; ///< of a whole number too
    std::optional<std::string> text(const std::string& key) const;
    std::optional<bool> flag(const std::string& key) const;
    const std::vector<std::string>* texts(const std::string& key) const; ///< null where there is no such list
    const std::vector<std::int64_t>* integers(const std::string& key) const;
    const std::vector<double>* numbers(const std::string& key) const;

    /// Those in formats that this program reads.
    const std::map<std::string, StoredTensor>& tensors() const { return m_tensors; }
    /// Names of tensors in other formats, with the number that the file gives the format.
    const std::map<std::string, std::uint32_t>& foreign() const { return m_foreign; }

private:
    friend class GgufReader;

    std::shared_ptr<const MappedFile> m_file;
    std::map<std::string, GgufValue> m_metadata;
    std::map<std::string, StoredTensor> m_tensors;
    std::map<std::string, std::uint32_t> m_foreign;
};

} // namespace cudal1::modelfiles
