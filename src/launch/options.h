// Option values of the commands that launch a kernel. A malformed text is a usage error; the
// message shows the expected form, and the caller prepends the name of the option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "launch/compare.h"
#include "launch/launch.h"

namespace burin::launch {

// Parses X[,Y[,Z]], each at least 1, for --grid, --block and --cluster.
Result<Dims> parse_dims(std::string_view text);

// I=FILE, for --out: write the buffer of argument I to FILE.
struct OutputFile {
  std::size_t argument = 0;
  std::string path;
};
Result<OutputFile> parse_output(std::string_view text);

// I=FILE[:TYPE][:TOL], for --check: compare the buffer of argument I with FILE. The text after the
// last colon is the tolerance if it is a number; in what remains, the text after the last colon is
// the type if it names one. Everything else is part of the file name.
struct ExpectedFile {
  std::size_t argument = 0;
  std::string path;
  std::optional<double> tolerance{};  // finite, not negative; none: compare bit for bit
  std::optional<ElementType> type{};  // element type; none: implied by the buffer's fill
};
Result<ExpectedFile> parse_expected(std::string_view text);

// [FILE:]LINE=N, for --trip: the loop at that source line runs N iterations if its exit condition
// is Unknown.
struct TripCount {
  std::string file;  // suffix of the path; empty: any file
  std::uint32_t line = 0;
  std::uint64_t count = 0;
};
Result<TripCount> parse_trip(std::string_view text);

// likely, worst, coalesced or N, for --unknown-access: the cost of a warp's access with Unknown
// addresses.
struct UnknownAccess {
  enum class Policy : std::uint8_t {
    // The relative positions of the addresses if each loaded value is some small number, equal for
    // equal addresses. If such addresses are not tracked: one transaction per lane.
    kLikely,
    kWorst,      // one transaction per lane
    kCoalesced,  // as if the lanes accessed adjacent bytes
    kGiven,      // `count` transactions, at most one per lane
  };
  Policy policy = Policy::kLikely;
  std::uint32_t count = 0;

  // Returns the number of transactions of `granule` bytes for `lanes` lanes of `bytes` bytes each.
  std::uint32_t transactions(std::uint32_t lanes, std::uint32_t bytes, std::uint32_t granule) const;
};
Result<UnknownAccess> parse_unknown_access(std::string_view text);

}  // namespace burin::launch
