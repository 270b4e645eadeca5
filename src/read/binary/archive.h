// Static libraries (`ar`): the members one after another, with the long names of GNU and BSD.
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

bool is_archive(Bytes bytes);  // begins like one, thin ones included

Result<std::vector<ArchiveMember>> read_archive(Bytes bytes);

}  // namespace burin::read
