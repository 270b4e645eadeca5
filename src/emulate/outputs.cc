#include "emulate/outputs.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"

namespace burin::emulate {
namespace {

// Calls `visit(offset, bytes, known)` for the buffer's parts in order.
template <typename Visit>
Result<void> for_each_part(const Run& run, std::size_t argument, Visit visit) {
  std::uint64_t offset = 0;
  return run.memory->for_each_chunk(run.buffers[argument],
                                    [&](Bytes bytes, bool known) -> Result<void> {
                                      Result<void> done = visit(offset, bytes, known);
                                      offset += bytes.size();
                                      return done;
                                    });
}

// Looks at `count` bytes from `address` on one by one: `visit(offset, known)`.
template <typename Visit>
void for_each_byte(const GlobalMemory& memory, std::uint64_t address, std::uint64_t count,
                   Visit visit) {
  for (std::uint64_t at = 0; at < count; at += 16) {
    const auto size = static_cast<unsigned>(std::min<std::uint64_t>(16, count - at));
    Datum datum;
    if (memory.read(address + at, size, datum) != MemoryStatus::kDone) datum.unknown = 0xffff;
    for (unsigned i = 0; i < size; ++i) visit(at + i, (datum.unknown >> i & 1) == 0);
  }
}

// How many bytes of a part of the buffer are Unknown.
std::uint64_t count_unknown(const Run& run, std::size_t argument, std::uint64_t offset,
                            Bytes part) {
  std::uint64_t count = 0;
  for_each_byte(*run.memory, run.buffers[argument] + offset, part.size(),
                [&](std::uint64_t, bool known) { count += known ? 0 : 1; });
  return count;
}

}  // namespace

Result<Expectation> open_expected(const launch::Launch& launch,
                                  const launch::ExpectedFile& wanted) {
  const Result<const launch::Buffer*> buffer = launch::buffer_at(launch, wanted.argument);
  if (!buffer) return buffer.error();
  const std::optional<launch::ElementType> filled = launch::element_type_of((*buffer)->kind);
  const std::optional<launch::ElementType> type = wanted.type ? wanted.type : filled;
  if (wanted.tolerance && !(type && launch::is_float(*type))) {
    return Error{fmt::format("a tolerance needs an element type and the fill of argument {} has "
                             "none: write {}={}:f32:{}",
                             wanted.argument, wanted.argument, wanted.path, *wanted.tolerance),
                 Exit::kUsage};
  }
  Result<MappedFile> file = MappedFile::open(wanted.path);
  if (!file) return file.error();
  if (file->bytes().size() != (*buffer)->size) {
    return Error{fmt::format("{} has {}, but argument {} has {}", wanted.path,
                             count_of(file->bytes().size(), "byte"), wanted.argument,
                             count_of((*buffer)->size, "byte"))};
  }
  return Expectation{wanted.argument, type.value_or(launch::ElementType::kU32), wanted.tolerance,
                     std::move(*file)};
}

Result<WrittenOutput> write_output(const Run& run, const launch::OutputFile& wanted) {
  WrittenOutput written{wanted.argument, wanted.path};
  Result<NewFile> file = NewFile::create(wanted.path);
  if (!file) return file.error();
  const Result<void> done = for_each_part(
      run, wanted.argument, [&](std::uint64_t offset, Bytes bytes, bool known) -> Result<void> {
        written.bytes += bytes.size();
        if (!known) written.unknown_bytes += count_unknown(run, wanted.argument, offset, bytes);
        return file->write(bytes);
      });
  if (!done) return done.error();
  if (const Result<void> finished = file->finish(); !finished) return finished.error();
  return written;
}

Result<ReadOutput> read_output(const Run& run, std::size_t argument) {
  ReadOutput output;
  const Result<void> done = for_each_part(
      run, argument, [&](std::uint64_t offset, Bytes bytes, bool known) -> Result<void> {
        if (!known) output.unknown_bytes += count_unknown(run, argument, offset, bytes);
        output.bytes.insert(output.bytes.end(), bytes.begin(), bytes.end());
        return {};
      });
  if (!done) return done.error();
  return output;
}

Result<CheckedOutput> check_output(const Run& run, const Expectation& wanted) {
  CheckedOutput checked{wanted.argument, wanted.file.path(), wanted.type, wanted.tolerance, {}};
  launch::Comparer comparer(wanted.type, wanted.tolerance);
  const std::uint64_t address = run.buffers[wanted.argument];
  std::vector<std::uint8_t> masked;
  const Result<void> done = for_each_part(
      run, wanted.argument, [&](std::uint64_t offset, Bytes bytes, bool known) -> Result<void> {
        const Bytes expected = wanted.file.bytes().subspan(offset, bytes.size());
        if (known) {
          comparer.add(bytes, expected);
          return {};
        }
        // Unknown elements are counted as such, and not also as differences.
        masked.assign(expected.begin(), expected.end());
        for_each_byte(*run.memory, address + offset, bytes.size(),
                      [&](std::uint64_t at, bool byte_known) {
                        if (byte_known) {
                          masked[at] = bytes[at];
                        } else {
                          ++checked.unknown_bytes;
                        }
                      });
        comparer.add(masked, expected);
        return {};
      });
  if (!done) return done.error();
  checked.comparison = comparer.result();
  return checked;
}

Result<CheckedOutput> check_output(const Run& run, const Run& reference, std::size_t argument,
                                   launch::ElementType type, std::optional<double> tolerance) {
  CheckedOutput checked{argument, "the reference", type, tolerance, {}};
  std::vector<std::uint8_t> expected;
  bool all_known = true;
  const Result<void> read = for_each_part(
      reference, argument, [&](std::uint64_t, Bytes bytes, bool whole) -> Result<void> {
        all_known = all_known && whole;
        expected.insert(expected.end(), bytes.begin(), bytes.end());
        return {};
      });
  if (!read) return read.error();
  launch::Comparer comparer(type, tolerance);
  std::vector<bool> known(expected.size(), true);
  const auto note = [&](const Run& of, bool first) {
    for_each_byte(*of.memory, of.buffers[argument], expected.size(),
                  [&](std::uint64_t at, bool is_known) {
                    if (first) known[at] = is_known;
                    if (!first && known[at] != is_known) ++checked.unknown_bytes;
                  });
  };
  const Result<void> done = for_each_part(
      run, argument, [&](std::uint64_t offset, Bytes bytes, bool whole) -> Result<void> {
        all_known = all_known && whole;
        comparer.add(bytes, Bytes(expected).subspan(offset, bytes.size()));
        return {};
      });
  if (!done) return done.error();
  if (!all_known) {
    note(reference, true);
    note(run, false);
  }
  checked.comparison = comparer.result();
  return checked;
}

CheckedOutput check_memory(const Run& run, const launch::ExpectedMemory& wanted,
                           const std::string& path) {
  constexpr std::size_t kChunk = 4096;
  CheckedOutput checked{wanted.argument, path, launch::ElementType::kU32, std::nullopt, {}};
  launch::Comparer comparer(checked.type);
  std::array<std::uint8_t, kChunk> got;
  for (const launch::MemoryPiece& piece : wanted.pieces) {
    for (std::size_t at = 0; at < piece.bytes.size(); at += kChunk) {
      const Bytes expected =
          Bytes(piece.bytes).subspan(at, std::min(kChunk, piece.bytes.size() - at));
      for (std::size_t k = 0; k < expected.size(); k += 16) {
        const auto size = static_cast<unsigned>(std::min<std::size_t>(16, expected.size() - k));
        Datum datum;
        if (run.memory->read(piece.address + at + k, size, datum) != MemoryStatus::kDone) {
          datum.unknown = 0xffff;
        }
        for (unsigned i = 0; i < size; ++i) {
          const bool is_unknown = (datum.unknown >> i & 1) != 0;
          checked.unknown_bytes += is_unknown ? 1 : 0;
          got[k + i] = is_unknown ? expected[k + i] : datum.bytes[i];
        }
      }
      comparer.add(Bytes(got).first(expected.size()), expected);
    }
  }
  checked.comparison = comparer.result();
  return checked;
}

std::string describe(const CheckedOutput& checked) {
  const launch::Comparison& c = checked.comparison;
  std::string text;
  if (!c.equal()) {
    text = fmt::format(
        "argument {} differs from {} in {} of {} elements ({}); first at element {}: {} instead of "
        "{}",
        checked.argument, checked.path, with_commas(c.different), with_commas(c.elements),
        launch::name(checked.type), c.first, c.got, c.expected);
    if (launch::is_float(checked.type))
      text += fmt::format(", largest error {:.6g}", c.largest_error);
  }
  if (checked.unknown_bytes > 0) {
    if (text.empty()) {
      text = fmt::format("argument {} cannot be compared with {}", checked.argument, checked.path);
    }
    text += fmt::format("{} {} of its bytes are Unknown", c.equal() ? ":" : ";",
                        with_commas(checked.unknown_bytes));
  }
  return text;
}

}  // namespace burin::emulate
