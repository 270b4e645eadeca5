// The buffers as a run left them: written to files, and compared with what they should hold.
#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "emulate/run.h"
#include "launch/compare.h"
#include "launch/expected_memory.h"
#include "launch/options.h"

namespace burin::emulate {

// What a buffer is to be compared with, opened and of its size.
struct Expectation {
  std::size_t argument = 0;
  launch::ElementType type = launch::ElementType::kU8;
  std::optional<double> tolerance;
  MappedFile file;
};

// Before the run, so that a wrong name costs no run. An Error where the argument is no buffer, the
// file has another size, or a tolerance comes without a type that anybody names.
Result<Expectation> open_expected(const launch::Launch& launch, const launch::ExpectedFile& wanted);

// One finished --out or --check.
struct WrittenOutput {
  std::size_t argument = 0;
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t unknown_bytes = 0;  // written as 0
};
struct CheckedOutput {
  std::size_t argument = 0;
  std::string path;
  launch::ElementType type = launch::ElementType::kU8;
  std::optional<double> tolerance;
  launch::Comparison comparison;    // of what is known
  std::uint64_t unknown_bytes = 0;  // not known, hence not as expected

  bool passed() const { return comparison.equal() && unknown_bytes == 0; }
};

// The file appears whole or not at all.
Result<WrittenOutput> write_output(const Run& run, const launch::OutputFile& wanted);
Result<CheckedOutput> check_output(const Run& run, const Expectation& wanted);

// The same for an allocation of a captured launch, bit for bit; `path` is the capture's.
CheckedOutput check_memory(const Run& run, const launch::ExpectedMemory& wanted,
                           const std::string& path);

// "argument 2 differs from ref.bin in 3 of 1,024 elements (f32), first element 17: 1.5 instead of
// 1.25, largest error 0.25"; of a check that did not pass.
std::string describe(const CheckedOutput& checked);

}  // namespace burin::emulate
