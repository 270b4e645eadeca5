// Runs a fuzz target on every file below the given paths, without libFuzzer: so any compiler can
// hold the corpora against today's code, with or without sanitizers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;  // ctest's SKIP_RETURN_CODE in CMakeLists.txt

std::vector<fs::path> files_below(const fs::path& path) {
  if (fs::is_regular_file(path)) return {path};
  std::vector<fs::path> files;
  if (!fs::is_directory(path)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Exactly as many bytes as the file has, on the heap: one byte too far is the sanitizer's.
std::vector<std::uint8_t> contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  bytes.shrink_to_fit();
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t replayed = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : files_below(argv[i])) {
      // Named before it runs, so that the last line before a crash says which input it was.
      std::printf("%s\n", path.c_str());
      std::fflush(stdout);
      const std::vector<std::uint8_t> input = contents(path);
      LLVMFuzzerTestOneInput(input.data(), input.size());
      ++replayed;
    }
  }
  if (replayed == 0) {
    std::printf("no inputs to replay: the corpus is empty\n");
    return kSkipped;
  }
  std::printf("%zu inputs replayed\n", replayed);
  return 0;
}
