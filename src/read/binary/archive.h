// Reads static libraries (`ar`), including the long member names of GNU and BSD.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::read {

struct ArchiveMember {
  std::string name;
  Bytes contents;
};

bool is_archive(Bytes bytes);  // starts with the magic of a regular or thin archive

Result<std::vector<ArchiveMember>> read_archive(Bytes bytes);

}  // namespace burin::read
