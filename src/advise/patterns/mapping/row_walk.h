// Threads that each traverse their own row of memory: a row of a matrix, a small matrix, a row of a
// sparse matrix. Adjacent lanes are one row apart, so a request touches one sector per lane.
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

// Threads that share a row: at most a warp, or a block if the row is long.
inline constexpr unsigned kRowWarp = 32;
inline constexpr unsigned kRowBlock = 256;
inline constexpr std::uint64_t kMaxStepBytes = 64;  // from one access of a walk to the next …
inline constexpr double kMinNearShare = 0.5;        // … for this share of its steps
inline constexpr double kUnequal = 0.9;  // of the lanes; fewer are active if rows differ in length

// Whether the address depends on a value loaded in the same loop: a gather, not a walk. If the
// bounds of the row were loaded before the loop, it is a walk.
bool is_gathered(const Case& c, std::uint32_t access);

struct RowWalk {
  read::InstructionSet accesses{};         // accesses that walk along the rows
  std::uint32_t example = read::kNoIndex;  // the access with the most sectors
  double elements = 0;                     // distinct elements per thread, of the longest array
  unsigned element_bytes = 0;
  std::optional<std::uint64_t> stride{};  // bytes from row to row; empty: unequal rows or distances
  bool unequal = false;                   // the rows of a warp differ in length
  double full_lanes = 1;                  // mean share of active lanes during the walk
  double reuse = 1;                       // times that a thread loads each element of its row
  bool reduces = false;                   // a result is carried from iteration to iteration
  bool scans = false;                     // the result is also stored in each iteration
  bool stores = false;                    // elements are stored one by one
  std::vector<std::uint32_t> passes{};    // consecutive loops that load the same row
  // The loop from row to row, in steps of blockDim: the rows belong to the block, and the launch
  // stays the same. kNoIndex: each thread has one row.
  std::uint32_t rows_loop = read::kNoIndex;
  // The loop over the results of a thread, if each iteration traverses the row again for another
  // result. `by_result`: the accesses whose elements are adjacent from result to result. The lanes
  // share these iterations, so no partial results are combined.
  std::uint32_t results_loop = read::kNoIndex;
  read::InstructionSet by_result{};
  // Short rows that a thread loads repeatedly for one result: the thread can keep its row in
  // registers, and `lanes` is 1.
  bool in_registers = false;
  unsigned lanes = 0;  // lanes that should share a row: a power of two, or 256
  unsigned wide = 1;   // elements per access
};
// Needs a study. Empty if no accesses walk, if they cause no excessive sectors, or if a row's
// elements must be processed in order.
std::optional<RowWalk> row_walk(const Case& c);

}  // namespace burin::advise
