// The small option values of the commands that launch a kernel. A text that is not of the form is
// wrong usage; the sentence shows the form, and the caller puts the option's name in front.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "launch/compare.h"
#include "launch/launch.h"

namespace burin::launch {

// X[,Y[,Z]], each at least 1: of --grid, --block, --cluster.
Result<Dims> parse_dims(std::string_view text);

// I=FILE, of --out: argument I's buffer goes to FILE.
struct OutputFile {
  std::size_t argument = 0;
  std::string path;
};
Result<OutputFile> parse_output(std::string_view text);

// I=FILE[:TYPE][:TOL], of --check: argument I's buffer is compared with FILE. What follows the last
// colon is a tolerance where it is a number, and what then follows the last one a type where it
// names one; all else is part of the name.
struct ExpectedFile {
  std::size_t argument = 0;
  std::string path;
  std::optional<double> tolerance{};  // finite, not negative; none: bit for bit
  std::optional<ElementType> type{};  // of the elements; none: what the buffer's fill says
};
Result<ExpectedFile> parse_expected(std::string_view text);

// [FILE:]LINE=N, of --trip: the loop of that source line runs N times where its end is Unknown.
struct TripCount {
  std::string file;  // the end of its path; empty: any
  std::uint32_t line = 0;
  std::uint64_t count = 0;
};
Result<TripCount> parse_trip(std::string_view text);

// worst, coalesced or N, of --unknown-access: what an access of a warp costs where its addresses
// are Unknown.
struct UnknownAccess {
  enum class Policy : std::uint8_t {
    kWorst,      // one transaction per lane
    kCoalesced,  // as if the lanes' bytes lay side by side
    kGiven,      // `count` transactions, but no more than one per lane
  };
  Policy policy = Policy::kWorst;
  std::uint32_t count = 0;

  // Transactions of `granule` bytes for `lanes` lanes of `bytes` each.
  std::uint32_t transactions(std::uint32_t lanes, std::uint32_t bytes, std::uint32_t granule) const;
};
Result<UnknownAccess> parse_unknown_access(std::string_view text);

}  // namespace burin::launch
