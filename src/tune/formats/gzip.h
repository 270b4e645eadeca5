// Unpacks gzip files through zlib.
#pragma once

#include <cstddef>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::tune {

bool is_gzip(Bytes bytes);

// All members of the file, joined. An Error if the data are damaged, end too early, or unpack to
// more than `max_size` bytes.
Result<std::string> unpack_gzip(Bytes bytes, std::size_t max_size);

}  // namespace burin::tune
