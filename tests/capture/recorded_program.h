// A spool as a recorded program leaves it, made without a GPU: a process that adds two vectors with
// examples/vector_add, three times, the second time with the contents of its buffers.
#pragma once

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "capture/assemble/assemble.h"
#include "capture/capture.h"
#include "capture/spool/spool.h"

namespace burin::test {

class RecordedProgram {
 public:
  // The addresses are like those of a driver: three small allocations in one page of 64 KiB.
  static constexpr std::uint64_t kA = 0x7fc5'cb60'0000, kB = kA + 0x1000, kSum = kA + 0x2000;
  static constexpr std::uint32_t kCount = 1000;
  static constexpr std::uint64_t kBytes = 4 * kCount;
  static constexpr std::uint64_t kCrc = 0x1234;

  RecordedProgram() {
    char name[] = "/tmp/burin-capture-XXXXXX";
    folder_ = ::mkdtemp(name);
    std::filesystem::create_directory(spool());
    std::ifstream file(BURIN_SOURCE_DIR "/examples/vector_add.sm_90.cubin", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    cubin_.assign(text.begin(), text.end());
    for (std::uint32_t k = 0; k < kCount; ++k) {
      a_.push_back(static_cast<float>(k) / 8);
      b_.push_back(1000 - static_cast<float>(k));
      sum_.push_back(a_[k] + b_[k]);
    }
  }
  ~RecordedProgram() { std::filesystem::remove_all(folder_); }
  RecordedProgram(const RecordedProgram&) = delete;
  RecordedProgram& operator=(const RecordedProgram&) = delete;

  std::string folder() const { return folder_; }
  std::string spool() const { return folder_ + "/spool"; }
  std::string capture() const { return folder_ + "/app.burin"; }

  // The records go into the spool of process `pid`.
  void write_spool(std::uint64_t pid, const std::vector<capture::SpoolRecord>& records) const {
    write_spool(pid, records, spool());
  }
  static void write_spool(std::uint64_t pid, const std::vector<capture::SpoolRecord>& records,
                          const std::string& folder) {
    std::ofstream file(folder + "/" + capture::spool_file_name(pid, pid), std::ios::binary);
    const auto put = [&](const std::vector<std::uint8_t>& bytes) {
      file.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    };
    put(capture::spool_header());
    for (const capture::SpoolRecord& record : records) put(encode_record(record));
  }

  // All that one process tells, up to and with its end.
  std::vector<capture::SpoolRecord> records(std::uint64_t pid = 4711) const {
    std::vector<capture::SpoolRecord> all;
    capture::SpoolProcess process;
    process.pid = pid;
    process.command = {"./app", "--size", "1000"};
    process.folder = "/home/user";
    process.host = "laptop";
    process.driver_version = 13000;
    all.push_back(process);
    capture::SpoolDevice device;
    device.name = "NVIDIA H200";
    device.capability_major = 9;
    device.multiprocessors = 132;
    all.push_back(device);
    capture::SpoolModule module;
    module.module = 1;
    module.crc = kCrc;
    module.cubin = cubin_;
    all.push_back(module);
    capture::SpoolKernel kernel;
    kernel.kernel = 1;
    kernel.module = 1;
    kernel.name = "vector_add";
    kernel.parameters = {{0, 8}, {8, 8}, {16, 8}, {24, 4}};
    all.push_back(kernel);
    capture::SpoolStack stack;
    stack.stack = 1;
    stack.frames = {{"/home/user/app", 0x1140, "main"}};
    all.push_back(stack);
    capture::SpoolSampling sampling;
    sampling.context = 1;
    sampling.period_cycles = 4096;
    sampling.reasons = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                        "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                        "smsp__pcsamp_warps_issue_stalled_selected"};
    all.push_back(sampling);
    for (std::uint32_t k = 1; k <= 3; ++k) add_launch(k, all);
    capture::SpoolTimes times;
    times.times = {{102, 0, 20'000, 25'000}, {101, 0, 10'000, 13'000}, {999, 0, 1, 2}};
    all.push_back(times);
    capture::SpoolSamples samples;
    samples.context = 1;
    samples.total = 113;
    samples.dropped = 2;
    samples.functions = {{kCrc, "vector_add"}};
    samples.samples = {{0, 0, 0x120, {{0, 100}, {1, 60}}}, {0, 0, 0x130, {{2, 11}}}};
    all.push_back(samples);
    capture::SpoolEnd end;
    end.end_ns = 1'000'000;
    end.launches_seen = 4;
    end.launches_kept = 3;
    all.push_back(end);
    return all;
  }

  // The capture of one process that came to its end.
  Result<capture::Capture> assembled() const {
    write_spool(4711, records());
    const Result<capture::Assembled> made =
        capture::assemble_capture(spool(), capture(), {{"burin", "test"}}, {});
    if (!made) return made.error();
    return capture::Capture::open(capture());
  }

  template <typename T>
  static std::vector<std::uint8_t> bytes(const std::vector<T>& values) {
    std::vector<std::uint8_t> made(values.size() * sizeof(T));
    std::memcpy(made.data(), values.data(), made.size());
    return made;
  }
  const std::vector<float>& sum() const { return sum_; }
  const std::vector<std::uint8_t>& cubin() const { return cubin_; }

 private:
  void add_launch(std::uint32_t number, std::vector<capture::SpoolRecord>& all) const {
    capture::SpoolLaunch launch;
    launch.launch = number;
    launch.kernel = 1;
    launch.context = 1;
    launch.grid = {number == 3 ? 4u : 2u, 1, 1};
    launch.block = {128, 1, 1};
    launch.arguments.resize(28);
    const std::uint64_t pointers[] = {kA, kB, kSum};
    std::memcpy(launch.arguments.data(), pointers, 24);
    std::memcpy(launch.arguments.data() + 24, &kCount, 4);
    for (std::uint32_t k = 0; k < 3; ++k) {
      launch.allocations.push_back({8 * k, pointers[k], kBytes, capture::SpoolAllocation::kDevice});
    }
    launch.stack = 1;
    launch.correlation = 100 + number;
    launch.ranges = "step";
    all.push_back(launch);
    if (number != 2) return;
    before_[0] = bytes(a_);
    before_[1] = bytes(b_);
    before_[2] = std::vector<std::uint8_t>(kBytes, 0xee);
    after_ = bytes(sum_);
    for (std::uint32_t k = 0; k < 3; ++k) {
      all.push_back(capture::SpoolContent{k + 1, before_[k]});
      all.push_back(capture::SpoolMemory{number, 0, pointers[k], kBytes, {k + 1}});
    }
    all.push_back(capture::SpoolContent{4, after_});
    all.push_back(capture::SpoolMemory{number, 1, kSum, kBytes, {4}});
  }

  std::string folder_;
  std::vector<std::uint8_t> cubin_;
  std::vector<float> a_, b_, sum_;
  mutable std::vector<std::uint8_t> before_[3], after_;  // what records view
};

}  // namespace burin::test
