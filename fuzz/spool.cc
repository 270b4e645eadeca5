// Any bytes are a spool or a refusal in words, and a record that is read is written so that it
// reads the same again.
#include "capture/spool/spool.h"

#include <cstdint>
#include <cstdlib>

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Result<capture::SpoolReader> reader = capture::SpoolReader::open({data, size});
  if (!reader) {
    if (reader.error().message.empty()) std::abort();
    return 0;
  }
  while (const std::optional<capture::SpoolRecord> record = reader->next()) {
    std::vector<std::uint8_t> file = capture::spool_header();
    const std::vector<std::uint8_t> bytes = capture::encode_record(*record);
    file.insert(file.end(), bytes.begin(), bytes.end());
    Result<capture::SpoolReader> again = capture::SpoolReader::open(file);
    const std::optional<capture::SpoolRecord> same = again->next();
    if (!same || capture::encode_record(*same) != bytes) std::abort();
  }
  return 0;
}
