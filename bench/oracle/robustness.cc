// Reads every GPU image of the files given and decodes every word; prints counts only.
//   bench_robustness FILE…
// One row per architecture and file: images, functions, words, share with a known opcode; then the
// time and the peak memory of the whole run. With --unknown, the opcodes of the unknown words.
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <map>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "read/binary/container.h"
#include "read/isa/decode.h"

using namespace burin;

namespace {

struct Count {
  std::uint64_t images = 0;
  std::uint64_t functions = 0;
  std::uint64_t words = 0;
  std::uint64_t known = 0;
};

struct Totals {
  std::map<read::Architecture, Count> by_arch;
  std::map<std::pair<std::uint16_t, unsigned>, std::uint64_t> unknown;  // sm, opcode bits
  std::uint64_t failed = 0;
};

void read_image(const read::Image& image, Totals& totals) {
  Count& count = totals.by_arch[image.arch];
  ++count.images;
  if (!read::can_decode(image.arch)) return;
  read::Instruction instruction;
  for (const read::Function& function : image.functions) {
    ++count.functions;
    for (std::uint32_t i = 0; i < function.code.size() / 16; ++i) {
      read::decode_at(function.code, i, image.arch, instruction);
      ++count.words;
      if (instruction.known()) {
        ++count.known;
      } else {
        ++totals.unknown[{image.arch.sm, instruction.low & 0xfff}];
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool show_unknown = false;
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--unknown") == 0) {
      show_unknown = true;
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    const auto file = MappedFile::open(argv[i]);
    const auto container =
        file ? read::open_container(file->bytes()) : Result<read::Container>(file.error());
    if (!container) {
      fmt::print("{}: {}\n", argv[i], container.error().message);
      continue;
    }
    Totals totals;
    for (const std::string& problem : container->problems) fmt::print("  {}\n", problem);
    for (const read::Entry& entry : container->entries) {
      if (entry.kind != read::Entry::Kind::kCubin) continue;
      const auto image = read::load(entry);
      if (!image) {
        if (totals.failed++ < 5) fmt::print("  {}\n", image.error().message);
        status = 1;
        continue;
      }
      read_image(*image, totals);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("{}: {}, {} failed, {:.1f} s\n", argv[i], human_bytes(file->bytes().size()),
               totals.failed, seconds.count());
    for (const auto& [arch, c] : totals.by_arch) {
      fmt::print(
          "  {:8} {:6} images {:8} functions {:11} words {:9.4f} % known\n", read::to_string(arch),
          c.images, c.functions, c.words,
          c.words == 0 ? 0.0 : 100.0 * static_cast<double>(c.known) / static_cast<double>(c.words));
    }
    if (show_unknown) {
      for (const auto& [key, n] : totals.unknown)
        fmt::print("    sm_{} opcode {:03x}: {}\n", key.first, key.second, n);
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {} (mapped file pages included)\n",
             human_bytes(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024));
  return status;
}
