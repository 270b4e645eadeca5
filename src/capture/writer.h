// Writes a capture. Everything is added once, in the order of the tables, and the complete file
// appears when finish() is called.
//
//   Result<CaptureWriter> writer = CaptureWriter::create("app.burin");
//   const std::uint64_t process = writer->add(CapturedProcess{.pid = 4711, …});
//   const std::uint64_t module = writer->add_module(cubin, crc);
//   …
//   if (Result<void> done = writer->finish(); !done) return done.error();
//
// The writer assigns the `id` of each added item. Failures are remembered and returned by finish().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/capture.h"

namespace burin::capture {

class CaptureWriter {
 public:
  static Result<CaptureWriter> create(const std::string& path);
  CaptureWriter(CaptureWriter&&) noexcept;
  ~CaptureWriter();

  bool ok() const { return database_.ok(); }  // false: a write failed, further writes are useless

  void set_info(std::string_view key, std::string_view value);

  std::uint64_t add(const CapturedProcess& process);
  std::uint64_t add(const CapturedGpu& gpu);
  // Each distinct cubin is stored once, regardless of the process or context that loaded it.
  std::uint64_t add_module(Bytes cubin, std::uint64_t crc);
  // Each function of a module is stored once.
  std::uint64_t add(const CapturedKernel& kernel);
  std::uint64_t add_stack(std::span<const CapturedFrame> frames);
  std::uint64_t add(const CapturedLaunch& launch, const CapturedArguments& arguments);
  void set_time(std::uint64_t launch, std::uint64_t start_ns, std::uint64_t duration_ns);
  // Identical contents are stored once, page by page if they are large.
  std::uint64_t add_content(Bytes contents);
  void add_memory(std::uint64_t launch, MemoryMoment moment, std::uint64_t address,
                  std::uint64_t content);
  void add_memory(std::uint64_t launch, MemoryMoment moment, std::uint64_t address, Bytes contents);
  void add(const CapturedSampling& sampling);
  // Samples and counts with the same (kernel, launch, offset, name) are summed.
  void add(const CapturedSample& sample);
  void add(const CapturedCounter& counter);
  // Adds all counts of one launch of the kernel. Identical counts are stored once.
  void add_counts(std::uint64_t launch, std::uint64_t kernel,
                  std::span<const CapturedCounter> counters);
  void add(std::uint64_t launch, const CapturedVariable& variable);
  // A texture object that exists from after the launch of this number in the process.
  void add(std::uint64_t process, std::uint64_t after, const launch::Texture& texture);
  void add_listing(std::uint64_t kernel, std::uint64_t offset, std::string_view sass);
  void add(const CapturedProblem& problem);

  // Sets the end of a process that was added without end time and launch count.
  void set_end(std::uint64_t process, std::uint64_t end_ns, std::uint64_t launches_seen);

  Result<void> finish();

 private:
  explicit CaptureWriter(store::Database database);
  std::uint64_t named(const char* table, std::string_view name);

  store::Database database_;
  struct Statements;
  std::unique_ptr<Statements> statements_;
  std::map<std::string, std::uint64_t> modules_;  // by sha256
  std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> kernels_;
  std::map<std::string, std::uint64_t> contents_;  // by sha256
  std::map<std::string, std::uint64_t> counts_;    // first launch with these counts, by sha256
  std::map<std::string, std::uint64_t, std::less<>> reasons_, metrics_;
};

}  // namespace burin::capture
