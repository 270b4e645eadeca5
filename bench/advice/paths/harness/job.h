// One kernel with its versions, as paths.py passes it: a text file with one item per line.
//
//   value i32 8192                                  a scalar argument
//   buffer 268435456 f32 0 1                        a buffer: bytes, fill, N of the fill, seed
//   output 1 f32 1e-05 0                            argument, type, tolerance, share that may
//   differ expected build/advice_paths/transpose.expected.so cubin naive
//   build/advice_paths/transpose.naive.cubin transpose 375 500 1 16 16 1 0
//                                                   version, file, kernel, grid, block, dynamic
//                                                   shared memory
//   library reference build/advice_paths/transpose.reference.so
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace paths {

struct Argument {
  bool is_buffer = false;
  uint64_t value = 0;  // of a scalar, in its low bytes
  size_t bytes = 0;    // of a buffer
  std::string fill;
  uint64_t fill_n = 0, seed = 0;
};

struct Output {
  size_t argument = 0;
  std::string type;
  double tolerance = 0, may_differ = 0;
};

struct Version {
  std::string name, file;
  std::string kernel;  // empty: the file is a library with `launch`
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared_bytes = 0;
};

struct Job {
  std::vector<Argument> arguments;
  std::vector<Output> outputs;
  std::string expected;
  std::vector<Version> versions;
};

inline bool read_scalar(std::istream& in, Argument& argument) {
  std::string type, text;
  in >> type >> text;
  const auto store = [&](auto value) { std::memcpy(&argument.value, &value, sizeof value); };
  if (type == "f32")
    store(std::stof(text));
  else if (type == "f64")
    store(std::stod(text));
  else if (type == "i32" || type == "u32")
    store(static_cast<uint32_t>(std::stoll(text, nullptr, 0)));
  else if (type == "i64")
    store(std::stoll(text, nullptr, 0));
  else if (type == "u64")
    store(std::stoull(text, nullptr, 0));
  else
    return false;
  return true;
}

// An empty text, or the line that is not understood.
inline std::string read_job(const char* path, Job& job) {
  std::ifstream file(path);
  if (!file) return std::string("cannot read ") + path;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string item;
    in >> item;
    bool known = true;
    if (item == "value") {
      known = read_scalar(in, job.arguments.emplace_back());
    } else if (item == "buffer") {
      Argument& buffer = job.arguments.emplace_back();
      buffer.is_buffer = true;
      in >> buffer.bytes >> buffer.fill >> buffer.fill_n >> buffer.seed;
    } else if (item == "output") {
      Output& output = job.outputs.emplace_back();
      in >> output.argument >> output.type >> output.tolerance >> output.may_differ;
    } else if (item == "expected") {
      in >> job.expected;
    } else if (item == "cubin") {
      Version& version = job.versions.emplace_back();
      in >> version.name >> version.file >> version.kernel;
      for (unsigned& axis : version.grid) in >> axis;
      for (unsigned& axis : version.block) in >> axis;
      in >> version.shared_bytes;
    } else if (item == "library") {
      Version& version = job.versions.emplace_back();
      in >> version.name >> version.file;
    } else {
      known = false;
    }
    if (!known || !in) return "not understood: " + line;
  }
  return "";
}

}  // namespace paths
