#include "launch/argument.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"

namespace burin::launch {

namespace {

using Value = std::vector<std::uint8_t>;

template <typename T>
std::optional<Value> encode(std::string_view text) {
  std::optional<T> number;
  if constexpr (std::integral<T>) {
    number = parse_integer<T>(text);
  } else {
    number = parse_real<T>(text);
  }
  if (!number) return std::nullopt;
  Value bytes(sizeof(T));
  std::memcpy(bytes.data(), &*number, sizeof(T));
  return bytes;
}

std::optional<Value> encode_hex(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  Value bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    std::uint8_t byte;
    const auto [stop, wrong] = std::from_chars(&text[i], &text[i] + 2, byte, 16);
    if (wrong != std::errc{} || stop != &text[i] + 2) return std::nullopt;
    bytes.push_back(byte);
  }
  return bytes;
}

struct Type {
  std::string_view name;
  std::optional<Value> (*encode)(std::string_view);
  std::string_view expected;
};
constexpr Type kTypes[] = {
    {"i32", encode<std::int32_t>, "an integer from -2147483648 to 2147483647"},
    {"u32", encode<std::uint32_t>, "an integer from 0 to 4294967295"},
    {"i64", encode<std::int64_t>, "an integer from -9223372036854775808 to 9223372036854775807"},
    {"u64", encode<std::uint64_t>, "an integer from 0 to 18446744073709551615"},
    {"f32", encode<float>, "a number that fits in 32 bits, such as 1.5 or 1e-3"},
    {"f64", encode<double>, "a number that fits in 64 bits, such as 1.5 or 1e-3"},
    {"hex", encode_hex, "two hex digits per byte, in memory order"},
};

// Type names of C that users may write.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"int", "i32"},    {"unsigned", "u32"},  {"long", "i64"}, {"float", "f32"},
    {"double", "f64"}, {"pointer", "buf"},   {"ptr", "buf"},  {"buffer", "buf"},
    {"tensor", "map"}, {"tensormap", "map"},
};

struct FillName {
  std::string_view name;
  Fill kind;
  std::uint64_t most = 0;  // 0: takes no number, else the largest number
};
constexpr FillName kFills[] = {
    {"zero", Fill::kZero}, {"f16", Fill::kF16},
    {"f32", Fill::kF32},   {"f64", Fill::kF64},
    {"u8", Fill::kU8},     {"int", Fill::kInt, std::uint64_t{1} << 32},
    {"perm", Fill::kPerm}, {"rowptr", Fill::kRowptr, (std::uint64_t{1} << 31) - 1},
    {"file", Fill::kFile}, {"undef", Fill::kUndef},
};

// Argument types that users may write for a fill.
constexpr std::pair<std::string_view, std::string_view> kOtherFills[] = {
    {"i32", "int:N"}, {"u32", "int:N"}, {"int32", "int:N"}, {"i8", "u8"},
    {"half", "f16"},  {"float", "f32"}, {"double", "f64"},
};

Error usage(std::string message) {
  return {std::move(message), Exit::kUsage};
}

template <typename Table>
auto find(const Table& table, std::string_view name) {
  const auto entry = std::ranges::find(table, name, [](const auto& e) { return e.name; });
  return entry == std::end(table) ? nullptr : entry;
}

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

// "there is no fill zeros; did you mean zero?"
Error no_such(std::string_view what, std::string_view name, const std::vector<std::string>& names,
              std::string meant = "") {
  if (meant.empty()) meant = closest(name, names);
  if (!meant.empty()) {
    return usage(fmt::format("unknown {} {}; did you mean {}?", what, name, meant));
  }
  return usage(
      fmt::format("unknown {} {}; the {}s are {}", what, name, what, list_of(names, names.size())));
}

Error no_such_type(std::string_view name) {
  std::vector<std::string> names = names_of(kTypes);
  names.emplace_back("buf");
  names.emplace_back("map");
  for (const auto& [other, meant] : kOtherNames) {
    if (name == other) return no_such("type", name, names, std::string(meant));
  }
  return no_such("type", name, names);
}

Error no_such_fill(std::string_view name) {
  for (const auto& [other, meant] : kOtherFills) {
    if (name == other) return no_such("fill", name, names_of(kFills), std::string(meant));
  }
  return no_such("fill", name, names_of(kFills));
}

// Removes and returns the text before the first colon; `text` keeps what follows the colon.
std::string_view next_part(std::string_view& text) {
  const std::size_t colon = text.find(':');
  const std::string_view part = text.substr(0, colon);
  text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  return part;
}

Result<void> open_file(Buffer& buffer, std::string_view path) {
  Result<MappedFile> file = MappedFile::open(std::string(path));
  if (!file) return file.error();
  if (file->bytes().size() != buffer.size) {
    return Error{fmt::format("{} has {}, but the buffer has {}; use the same size", path,
                             count_of(file->bytes().size(), "byte"), buffer.size)};
  }
  buffer.file = std::make_shared<const MappedFile>(std::move(*file));
  return {};
}

Result<void> check_size(const Buffer& buffer, std::string_view fill) {
  const unsigned element = element_bytes(buffer.kind);
  const std::uint64_t count = buffer.size / element;
  if (buffer.size % element != 0) {
    return usage(fmt::format("the fill {} needs a multiple of {} bytes, not {}", fill, element,
                             buffer.size));
  }
  if (buffer.kind == Fill::kPerm && count > std::uint64_t{1} << 32) {
    return usage("a permutation of 32-bit indices has at most 16G bytes");
  }
  // count <= 2^38 and limit < 2^31, so this can overflow only where the quotient says so.
  if (buffer.kind == Fill::kRowptr && count - 1 > ((std::uint64_t{1} << 31) - 1) / buffer.limit) {
    return usage(
        fmt::format("{} rows of {} entries exceed the 32-bit row pointer limit of 2147483647",
                    count - 1, buffer.limit));
  }
  return {};
}

// `text` is FILL, with its colon-separated number or path.
Result<void> parse_fill(Buffer& buffer, std::string_view text) {
  const std::string_view name = next_part(text);
  const FillName* fill = find(kFills, name);
  if (fill == nullptr) return no_such_fill(name);
  buffer.kind = fill->kind;
  if (fill->kind == Fill::kFile) {
    if (text.empty()) return usage("file needs a path: file:PATH");
    return open_file(buffer, text);
  }
  if (fill->most != 0) {
    const std::optional<std::uint64_t> number = parse_integer<std::uint64_t>(text);
    if (!number || *number == 0 || *number > fill->most) {
      return usage(fmt::format("expected {}:N with N an integer from 1 to {}", name, fill->most));
    }
    buffer.limit = *number;
  } else if (!text.empty()) {
    return usage(fmt::format("the fill {} takes no parameter except :seed=K", name));
  }
  return check_size(buffer, name);
}

// `text` is the text after "buf:".
Result<Buffer> parse_buffer(std::string_view text, std::size_t position) {
  static constexpr std::string_view kSeed = ":seed=";
  Buffer buffer;
  buffer.seed = position;
  const std::size_t seed_at = text.rfind(kSeed);
  const bool has_seed = seed_at != std::string_view::npos;
  if (has_seed) {
    const auto seed = parse_integer<std::uint64_t>(text.substr(seed_at + kSeed.size()));
    if (!seed) return usage("expected an integer from 0 to 2^64 - 1 after seed=, and nothing else");
    buffer.seed = *seed;
    text = text.substr(0, seed_at);
  }
  if (text.ends_with(':')) return usage("expected something after the last colon");
  const std::string_view bytes = next_part(text);
  const std::optional<std::uint64_t> size = parse_bytes(bytes);
  if (!size) return usage("expected a size in bytes after buf:, such as 4096, 64K, 16M or 2G");
  if (*size == 0) return usage("a buffer needs at least one byte; for a null pointer write u64:0");
  if (*size > kMaxBufferBytes) return usage("a buffer has at most 1024G bytes");
  buffer.size = *size;
  if (text.empty()) {
    if (has_seed) return usage("a seed needs a fill, such as f32:seed=1");
    return buffer;
  }
  const Result<void> filled = parse_fill(buffer, text);
  if (!filled) return filled.error();
  return buffer;
}

// `text` is the text after "local:".
Result<LocalMemory> parse_local_memory(std::string_view text) {
  const std::optional<std::uint64_t> bytes = parse_bytes(text);
  if (!bytes || *bytes == 0) {
    return usage("expected the bytes of a work-group after local:, such as 1024 or 16K");
  }
  return LocalMemory{*bytes};
}

// `text` is the text after "@".
Result<BufferReference> parse_reference(std::string_view text) {
  const std::optional<std::uint32_t> number = parse_integer<std::uint32_t>(text);
  if (!number) return usage("expected the number of an argument of the first launch, such as @0");
  return BufferReference{*number};
}

Result<decltype(Argument::value)> parse_value(std::string_view text, std::size_t position) {
  using Parsed = decltype(Argument::value);
  if (text.starts_with('@')) {
    const Result<BufferReference> reference = parse_reference(text.substr(1));
    if (!reference) return reference.error();
    return Parsed(*reference);
  }
  if (text.find(':') == std::string_view::npos) {
    return usage("expected TYPE:VALUE, such as i32:5, f32:1.5 or buf:64K:zero");
  }
  const std::string_view name = next_part(text);
  if (name == "buf") {
    Result<Buffer> buffer = parse_buffer(text, position);
    if (!buffer) return buffer.error();
    return Parsed(std::move(*buffer));
  }
  if (name == "map") {
    const Result<TensorMap> map = parse_tensor_map(text);
    if (!map) return map.error();
    return Parsed(*map);
  }
  if (name == "local") {
    const Result<LocalMemory> memory = parse_local_memory(text);
    if (!memory) return memory.error();
    return Parsed(*memory);
  }
  const Type* type = find(kTypes, name);
  if (type == nullptr) return no_such_type(name);
  std::optional<Value> value = type->encode(text);
  if (!value) return usage(fmt::format("expected {}", type->expected));
  return Parsed(std::move(*value));
}

Error within_argument(const Error& error, std::string_view text, std::size_t position) {
  static constexpr std::size_t kMaxShown = 60;  // a long hex: would bury the sentence
  return error.within(fmt::format("argument {} '{}{}'", position, text.substr(0, kMaxShown),
                                  text.size() > kMaxShown ? "…" : ""));
}

Result<std::vector<Argument>> parse_all(std::span<const std::string> texts,
                                        Result<Argument> (*parse)(std::string_view, std::size_t)) {
  std::vector<Argument> arguments;
  for (const std::string& text : texts) {
    Result<Argument> argument = parse(text, arguments.size());
    if (!argument) return argument.error();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

}  // namespace

std::size_t Argument::size() const {
  if (const auto* bytes = std::get_if<Value>(&value)) return bytes->size();
  return tensor_map() != nullptr ? kTensorMapBytes : 8;
}

Result<Argument> parse_step_argument(std::string_view text, std::size_t position) {
  auto value = parse_value(text, position);
  if (!value) return within_argument(value.error(), text, position);
  return Argument{std::string(text), std::move(*value)};
}

Result<Argument> parse_argument(std::string_view text, std::size_t position) {
  Result<Argument> argument = parse_step_argument(text, position);
  if (!argument) return argument;
  if (argument->reference() != nullptr) {
    return within_argument(
        usage("only a later launch of a configuration of several can name a buffer of the first"),
        text, position);
  }
  if (argument->local_memory() != nullptr) {
    return within_argument(usage("only OpenCL kernels take local memory as an argument; the shared "
                                 "memory of a CUDA kernel is --smem"),
                           text, position);
  }
  return argument;
}

Result<std::vector<Argument>> parse_arguments(std::span<const std::string> texts) {
  return parse_all(texts, parse_argument);
}

Result<std::vector<Argument>> parse_step_arguments(std::span<const std::string> texts) {
  return parse_all(texts, parse_step_argument);
}

}  // namespace burin::launch
