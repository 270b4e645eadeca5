// Threads that each work through a row of memory of their own: a row of a matrix, a small matrix, a
// row of a sparse matrix. Neighbouring lanes are a row apart, so that a request touches a sector
// for each lane.
//
//   if (const std::optional<RowWalk> walk = row_walk(c)) …
//     walk->elements        8192: elements of a row that a thread loads
//     walk->lanes           32: lanes that should share a row
//     walk->scans           a running result is stored in each iteration
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "advise/case/case.h"
#include "advise/case/requests.h"

namespace burin::advise {

// Threads that share a row: at most a warp, or a block if it is long.
inline constexpr unsigned kRowWarp = 32;
inline constexpr unsigned kRowBlock = 256;
inline constexpr double kUnequal =
    0.9;  // of the lanes: fewer are active where rows differ in length

// Whether the address comes from what the same loop has loaded: a gather, no walk. A row whose
// bounds were loaded before the loop is walked along.
bool is_gathered(const Case& c, std::uint32_t access);

struct RowWalk {
  read::InstructionSet accesses{};         // that walk along the rows
  std::uint32_t example = read::kNoIndex;  // the access with the most sectors
  double elements = 0;                     // distinct elements per thread, of the longest array
  unsigned element_bytes = 0;
  std::optional<std::uint64_t> stride{};  // bytes from row to row; empty: rows of unequal length
  double full_lanes = 1;                  // share of a warp's lanes that are active on the way
  double reuse = 1;                       // times that a thread loads each element of its row
  bool reduces = false;                   // a result is carried from iteration to iteration
  bool scans = false;                     // … and stored in each
  bool stores = false;                    // a loop that walks stores something to memory
  std::vector<std::uint32_t> passes{};    // loops that load the same row, one after the other
  // The loop from row to row, in steps of blockDim: the rows are those of the block, and the launch
  // stays as it is. kNoIndex: a thread has one row, and there are as many rows as threads.
  std::uint32_t rows_loop = read::kNoIndex;
  // The loop from result to result of a thread, where each iteration goes through the row again for
  // a result of its own, and `by_result` are the accesses whose elements lie side by side from
  // result to result: the lanes share these iterations, and no partial results.
  std::uint32_t results_loop = read::kNoIndex;
  read::InstructionSet by_result{};
  // Short rows that a thread loads again and again for one result: it can keep its row itself, and
  // `lanes` is 1.
  bool in_registers = false;
  unsigned lanes = 0;  // that should share a row: a power of two, or 256
  unsigned wide = 1;   // elements that a lane should access at once
};
// Needs a study. Empty if no accesses walk, if they do not cause excessive sectors, or if a row's
// elements must be taken in order.
std::optional<RowWalk> row_walk(const Case& c);

}  // namespace burin::advise
