#include "read/binary/toolkit_note.h"

#include <algorithm>
#include <string_view>

namespace burin::read {
namespace {

constexpr std::uint32_t kTypeToolkit = 2000;

// The word that follows `key` in `text`: word_after("-m 64 -arch sm_90a", "-arch ") is "sm_90a".
std::string_view word_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find_first_of(" ,\t"));
}

// Six words, then texts; words 1 to 5 are where the object's name, the tool's name, its version,
// its build and its options start.
ToolkitNote read_description(Bytes description) {
  constexpr std::uint64_t kTexts = 24;
  Cursor in(description);
  in.skip(4 + 4);  // version, object
  const std::uint32_t tool = in.u32(), version = in.u32();
  in.skip(4);  // build
  const std::uint32_t options = in.u32();
  ToolkitNote note;
  if (!in.ok()) return note;
  const Bytes texts = description.subspan(kTexts);
  note.toolkit = std::string(string_at(texts, tool));
  if (const std::string_view release = word_after(string_at(texts, version), "release ");
      !note.toolkit.empty() && !release.empty())
    note.toolkit.append(" ").append(release);
  note.arch = parse_architecture(word_after(string_at(texts, options), "-arch "));
  return note;
}

}  // namespace

ToolkitNote read_toolkit_note(const Elf& cubin) {
  const ElfSection* section = cubin.find(".note.nv.tkinfo");
  Cursor in(section != nullptr ? section->contents : Bytes{});
  // A linked cubin has the linker's note first, then the compiler's: one is enough.
  while (!in.at_end()) {
    const std::uint32_t name_bytes = in.u32(), description_bytes = in.u32(), type = in.u32();
    in.skip(name_bytes);
    in.align(4);
    const Bytes description = in.bytes(description_bytes);
    in.align(4);
    if (in.ok() && type == kTypeToolkit) return read_description(description);
  }
  return {};
}

Architecture cubin_architecture(const Elf& cubin, const ToolkitNote& note) {
  constexpr std::uint8_t kNewGeneration = 8;  // from CUDA 13 on; both occur side by side
  Architecture arch;
  arch.sm = cubin.abi_version >= kNewGeneration ? cubin.flags >> 8 & 0xff : cubin.flags & 0xff;
  if (note.arch && note.arch->sm == arch.sm) arch.variant = note.arch->variant;
  return arch;
}

}  // namespace burin::read
