// Writes the buffers to files after a run and compares them with their expected contents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "emulate/run.h"
#include "launch/compare.h"
#include "launch/expected_memory.h"
#include "launch/options.h"

namespace burin::emulate {

// The expected contents of one buffer: a mapped file whose size matches the buffer's.
struct Expectation {
  std::size_t argument = 0;
  launch::ElementType type = launch::ElementType::kU8;
  std::optional<double> tolerance;
  MappedFile file;
};

// Opens the expected file. Call it before the run, so that a wrong file name does not waste a run.
// Returns an Error if the argument is not a buffer, if the file size differs from the buffer size,
// or if a tolerance is given but the element type is unknown.
Result<Expectation> open_expected(const launch::Launch& launch, const launch::ExpectedFile& wanted);

// The result of one --out (WrittenOutput) or one --check (CheckedOutput).
struct WrittenOutput {
  std::size_t argument = 0;
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t unknown_bytes = 0;  // Unknown bytes, written as 0
};
struct CheckedOutput {
  std::size_t argument = 0;
  std::string path;
  launch::ElementType type = launch::ElementType::kU8;
  std::optional<double> tolerance;
  launch::Comparison comparison;    // of the known bytes
  std::uint64_t unknown_bytes = 0;  // Unknown bytes; any of them fails the check

  bool passed() const { return comparison.equal() && unknown_bytes == 0; }
};

// Writes the buffer to a file atomically: the file appears complete or not at all.
Result<WrittenOutput> write_output(const Run& run, const launch::OutputFile& wanted);
Result<CheckedOutput> check_output(const Run& run, const Expectation& wanted);

// What a buffer holds after the run; Unknown bytes are 0.
struct ReadOutput {
  std::vector<std::uint8_t> bytes;
  std::uint64_t unknown_bytes = 0;
};
Result<ReadOutput> read_output(const Run& run, std::size_t argument);

// Compares the buffer of an argument with what another run of the same launch arguments left in it.
// Bytes that are Unknown in both runs agree; those that are Unknown in one do not.
Result<CheckedOutput> check_output(const Run& run, const Run& reference, std::size_t argument,
                                   launch::ElementType type, std::optional<double> tolerance);

// Checks an allocation of a captured launch bit for bit. `path` is the path of the capture.
CheckedOutput check_memory(const Run& run, const launch::ExpectedMemory& wanted,
                           const std::string& path);

// "argument 2 differs from ref.bin in 3 of 1,024 elements (f32), first element 17: 1.5 instead of
// 1.25, largest error 0.25"; of a check that did not pass.
std::string describe(const CheckedOutput& checked);

}  // namespace burin::emulate
