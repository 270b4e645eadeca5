#include "capture/rebuilt_launch.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"
#include "read/binary/demangle.h"

namespace burin::capture {
namespace {

// No program's allocation lies above, and the emulator's own windows do.
constexpr std::uint64_t kMaxAddress = std::uint64_t{1} << 48;

std::uint64_t end_of(const launch::MemoryPiece& piece) {
  return piece.address + piece.bytes.size();
}

// As a user would write the argument; what it means to the kernel, nobody says.
std::string text_of(Bytes bytes, const CapturedAllocation* allocation) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min<std::size_t>(bytes.size(), 8));
  // A texture object is the number of what it reads, not its address.
  const bool is_pointer = allocation != nullptr && value >= allocation->address;
  if (is_pointer && bytes.size() == 8) {
    return fmt::format("buf:{}:at={:#x}", allocation->size, value);
  }
  if (bytes.size() == 8) return fmt::format("u64:{}", value);
  if (bytes.size() == 4) return fmt::format("u32:{}", value);
  std::string text = "hex:";
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// The argument that an offset in the parameter block lies in.
std::size_t argument_at(const read::Function& kernel, std::uint32_t offset) {
  const auto found = std::ranges::find_if(kernel.parameters, [&](const read::Parameter& p) {
    return p.offset <= offset && offset - p.offset < p.size;
  });
  return static_cast<std::size_t>(found - kernel.parameters.begin());
}

Result<std::vector<launch::Argument>> rebuild_arguments(const CapturedArguments& captured,
                                                        const read::Function& kernel) {
  std::vector<launch::Argument> arguments;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const read::Parameter& parameter = kernel.parameters[k];
    const auto bytes = slice(*captured.bytes, parameter.offset, parameter.size);
    if (!bytes) {
      return Error{
          fmt::format("argument {} is not in the capture: the kernel's parameters have {} bytes, "
                      "but only {} were recorded",
                      k, kernel.parameter_bytes, captured.bytes->size())};
    }
    const auto pointer = std::ranges::find(captured.allocations, parameter.offset,
                                           &CapturedAllocation::argument_offset);
    const CapturedAllocation* allocation =
        pointer == captured.allocations.end() ? nullptr : &*pointer;
    arguments.push_back(
        {text_of(*bytes, allocation), std::vector<std::uint8_t>(bytes->begin(), bytes->end())});
  }
  return arguments;
}

// An allocation that one or more arguments point into.
struct Range {
  std::uint64_t address = 0, end = 0;
  std::size_t argument = 0;  // the first of them

  std::string name(std::size_t arguments) const {
    return argument < arguments ? fmt::format("argument {}'s allocation", argument)
                                : fmt::format("the memory at {:#x}", address);
  }
};

// Those of the arguments, without repetition; where two overlap (a pool and a part of it), as one.
std::vector<Range> ranges_of(const CapturedArguments& captured, const read::Function& kernel) {
  std::vector<Range> ranges;
  for (const CapturedAllocation& a : captured.allocations) {
    if (a.size == 0 || a.address >= kMaxAddress) continue;
    ranges.push_back({a.address, a.address + std::min(a.size, launch::kMaxBufferBytes),
                      argument_at(kernel, a.argument_offset)});
  }
  std::ranges::stable_sort(ranges, {}, &Range::address);
  std::vector<Range> merged;
  for (const Range& range : ranges) {
    if (merged.empty() || range.address >= merged.back().end) {
      merged.push_back(range);
      continue;
    }
    merged.back().end = std::max(merged.back().end, range.end);
    merged.back().argument = std::min(merged.back().argument, range.argument);
  }
  return merged;
}

// Contents that no argument points into are ranges of their own.
void add_other_contents(const CapturedMemory& memory, std::size_t arguments,
                        std::vector<Range>& ranges) {
  std::vector<Range> others;
  for (const launch::MemoryPiece& piece : memory.before) {
    const bool inside = std::ranges::any_of(ranges, [&](const Range& r) {
      return r.address <= piece.address && piece.address < r.end;
    });
    if (inside) continue;
    if (!others.empty() && others.back().end == piece.address) {
      others.back().end = end_of(piece);
    } else {
      others.push_back({piece.address, end_of(piece), arguments});
    }
  }
  ranges.insert(ranges.end(), others.begin(), others.end());
  std::ranges::sort(ranges, {}, &Range::address);
}

// Writes what the launch changed over what it found.
void overlay(std::vector<launch::MemoryPiece>& pieces,
             const std::vector<launch::MemoryPiece>& changes) {
  for (const launch::MemoryPiece& change : changes) {
    for (launch::MemoryPiece& piece : pieces) {
      const std::uint64_t from = std::max(piece.address, change.address);
      const std::uint64_t end = std::min(end_of(piece), end_of(change));
      if (from >= end) continue;
      std::memcpy(piece.bytes.data() + (from - piece.address),
                  change.bytes.data() + (from - change.address), end - from);
    }
  }
}

// The range's memory before the launch: what was recorded, and between it what is not known.
void place(const Range& range, std::size_t arguments, const CapturedMemory& memory,
           std::vector<launch::PlacedBuffer>& to) {
  const std::string name = range.name(arguments);
  std::uint64_t at = range.address;
  const auto unknown_until = [&](std::uint64_t end) {
    if (at < end)
      to.push_back({name, at, launch::Buffer{.size = end - at, .kind = launch::Fill::kNone}});
  };
  const std::vector<launch::MemoryPiece>& pieces = memory.before;
  for (std::size_t k = 0; k < pieces.size();) {
    const std::uint64_t begin = pieces[k].address;
    if (begin < at || begin >= range.end) {
      ++k;
      continue;
    }
    unknown_until(begin);
    // Pages that follow on one another are one buffer.
    std::vector<std::uint8_t> bytes;
    for (at = begin; k < pieces.size() && pieces[k].address == at && at < range.end; ++k) {
      bytes.insert(bytes.end(), pieces[k].bytes.begin(), pieces[k].bytes.end());
      at = end_of(pieces[k]);
    }
    launch::Buffer buffer{.size = bytes.size(), .kind = launch::Fill::kBytes};
    buffer.bytes = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    to.push_back({name, begin, std::move(buffer)});
  }
  unknown_until(range.end);
}

launch::ExpectedMemory expected_of(const Range& range, const CapturedMemory& memory) {
  launch::ExpectedMemory expected{.argument = range.argument, .pieces = {}};
  for (const launch::MemoryPiece& piece : memory.before) {
    if (range.address <= piece.address && piece.address < range.end) {
      expected.pieces.push_back(piece);
    }
  }
  overlay(expected.pieces, memory.after);
  return expected;
}

// A file may say anything.
bool is_possible(const launch::Texture& texture) {
  constexpr std::uint64_t kMaxRows = 1 << 20;
  return texture.texel_bytes != 0 && texture.texel_bytes <= 16 && texture.address < kMaxAddress &&
         texture.width <= launch::kMaxBufferBytes && texture.height <= kMaxRows &&
         texture.pitch <= launch::kMaxBufferBytes &&
         launch::size_of(texture) <= launch::kMaxBufferBytes;
}

// What lies outside the launch's memory cannot be read: only its addresses are known, as those of
// an array.
Result<std::vector<launch::Texture>> rebuild_textures(const Capture& capture,
                                                      const CapturedLaunch& launch,
                                                      const std::vector<Range>& ranges) {
  Result<std::vector<launch::Texture>> textures = capture.textures(launch);
  if (!textures) return textures;
  std::erase_if(*textures, [](const launch::Texture& t) { return !is_possible(t); });
  for (launch::Texture& texture : *textures) {
    const std::uint64_t end = texture.address + launch::size_of(texture);
    const bool is_inside = std::ranges::any_of(
        ranges, [&](const Range& r) { return r.address <= texture.address && end <= r.end; });
    if (!is_inside) texture.is_array = true;
  }
  return textures;
}

}  // namespace

Result<RebuiltLaunch> rebuild_launch(const Capture& capture, const CapturedLaunch& launch,
                                     const read::Function& kernel) {
  const Result<CapturedArguments> captured = capture.arguments(launch.id);
  if (!captured) return captured.error();
  if (!captured->bytes) {
    return Error{
        fmt::format("{}: the arguments of launch {} were not recorded", capture.path(), launch.id)};
  }
  Result<std::vector<launch::Argument>> arguments = rebuild_arguments(*captured, kernel);
  if (!arguments) {
    return arguments.error().within(fmt::format("{}: launch {}", capture.path(), launch.id));
  }
  RebuiltLaunch rebuilt;
  rebuilt.launch.grid = launch.grid;
  rebuilt.launch.block = launch.block;
  rebuilt.launch.cluster = launch.cluster;
  rebuilt.launch.shared_bytes = launch.shared_bytes;
  rebuilt.launch.arguments = std::move(*arguments);

  const std::size_t count = rebuilt.launch.arguments.size();
  std::vector<Range> ranges = ranges_of(*captured, kernel);
  CapturedMemory memory;
  if (launch.has_memory) {
    Result<CapturedMemory> recorded = capture.memory(launch.id);
    if (!recorded) return recorded.error();
    memory = std::move(*recorded);
    const auto is_outside = [](const launch::MemoryPiece& p) { return p.address >= kMaxAddress; };
    std::erase_if(memory.before, is_outside);
    std::erase_if(memory.after, is_outside);
    add_other_contents(memory, count, ranges);
  } else if (!ranges.empty()) {
    rebuilt.notes.push_back(
        "the capture has no memory contents for this launch, so they are Unknown; record with "
        "--memory");
  }
  // Where the recorder gave up, what it has from before the launch is no sign of what came after.
  const bool is_whole = std::ranges::none_of(
      capture.problems(), [&](const CapturedProblem& p) { return p.launch == launch.id; });
  if (launch.has_memory && !is_whole) {
    rebuilt.notes.emplace_back("its memory after the launch was not fully recorded");
  }
  Result<std::vector<launch::Texture>> textures = rebuild_textures(capture, launch, ranges);
  if (!textures) return textures.error();
  rebuilt.launch.textures = std::move(*textures);
  for (const Range& range : ranges) {
    place(range, count, memory, rebuilt.launch.memory);
    if (!launch.has_memory || !is_whole) continue;
    launch::ExpectedMemory expected = expected_of(range, memory);
    if (!expected.pieces.empty()) rebuilt.expected.push_back(std::move(expected));
  }
  return rebuilt;
}

CaptureName parse_capture_name(const std::string& text) {
  std::error_code ignored;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(text, ignored)) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<const CapturedLaunch*> find_launch(const Capture& capture, const std::string& which) {
  const std::vector<CapturedLaunch>& launches = capture.launches();
  const std::string lists = "; `burin inspect " + capture.path() + "` lists them";
  if (launches.empty()) return Error{capture.path() + ": contains no launches"};
  if (which.empty()) {
    if (launches.size() == 1) return &launches.front();
    return Error{fmt::format("{}: contains {} launches; select one, such as {}:1{}", capture.path(),
                             launches.size(), capture.path(), lists)};
  }
  if (const auto number = launch::parse_integer<std::uint64_t>(which)) {
    if (*number != 0 && *number <= launches.size()) return &launches[*number - 1];
    return Error{fmt::format("{}: has no launch {}; launches are numbered 1 to {}{}",
                             capture.path(), which, launches.size(), lists)};
  }
  const std::size_t hash = which.rfind('#');
  const auto wanted = hash == std::string::npos
                          ? std::optional<std::uint64_t>(1)
                          : launch::parse_integer<std::uint64_t>(which.substr(hash + 1));
  const std::string name = which.substr(0, wanted ? hash : std::string::npos);
  std::vector<bool> fits;
  for (const CapturedKernel& kernel : capture.kernels()) {
    fits.push_back(kernel.name.find(name) != std::string::npos ||
                   read::demangle(kernel.name).find(name) != std::string::npos);
  }
  std::uint64_t met = 0;
  for (const CapturedLaunch& launch : launches) {
    if (fits[launch.kernel - 1] && ++met == wanted.value_or(1)) return &launch;
  }
  if (met == 0) {
    return Error{fmt::format("{}: no launch of a kernel named {}{}", capture.path(), name, lists)};
  }
  return Error{fmt::format("{}: {} has {} launches, no launch {}{}", capture.path(), name, met,
                           *wanted, lists)};
}

}  // namespace burin::capture
