#include "toolchain/message.h"

#include <charconv>
#include <utility>

namespace burin::toolchain {
namespace {

constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 30;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), last, number);
  if (failed != std::errc() || end != last) return std::nullopt;
  return number;
}

// An enumeration whose last value is `last`.
template <typename Enum>
Enum to_enum(Unpacker& in, Enum last, bool& ok) {
  const std::uint64_t number = in.number();
  if (number > static_cast<std::uint64_t>(last)) ok = false;
  return ok ? static_cast<Enum>(number) : Enum{};
}

template <typename Enum>
std::uint64_t from_enum(Enum value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace

void Packer::add(std::string_view text) {
  packed_ += std::to_string(text.size());
  packed_ += ':';
  packed_ += text;
  packed_ += ',';
}

void Packer::add(Bytes bytes) {
  add(as_text(bytes));
}

void Packer::add_number(std::uint64_t number) {
  add(std::to_string(number));
}

void Packer::add_list(const std::vector<std::string>& list) {
  add_number(list.size());
  for (const std::string& text : list) add(text);
}

std::string_view Unpacker::text() {
  const std::size_t colon = rest_.find(':');
  const auto size =
      ok_ && colon != std::string_view::npos ? number_in(rest_.substr(0, colon)) : std::nullopt;
  // The text is followed by a comma.
  if (!size || *size >= rest_.size() - colon - 1 || rest_[colon + 1 + *size] != ',') {
    ok_ = false;
    return "";
  }
  const std::string_view text = rest_.substr(colon + 1, *size);
  rest_.remove_prefix(colon + 1 + *size + 1);
  return text;
}

std::uint64_t Unpacker::number() {
  const auto number = number_in(text());
  if (!number) ok_ = false;
  return number.value_or(0);
}

std::vector<std::string> Unpacker::list() {
  std::vector<std::string> list;
  const std::uint64_t size = number();
  for (std::uint64_t i = 0; i < size && ok_; ++i) list.emplace_back(text());
  return ok_ ? list : std::vector<std::string>{};
}

std::vector<std::uint8_t> Unpacker::bytes() {
  const std::string_view read = text();
  return {read.begin(), read.end()};
}

std::string pack(const CompileOrder& order) {
  const CompileRequest& request = order.request;
  Packer out;
  out.add_number(kMessageVersion);
  out.add(request.source);
  out.add_number(from_enum(request.language));
  out.add(request.arch);
  out.add_list(request.flags);
  out.add_number(static_cast<std::uint64_t>(request.limit_seconds * 1e6));
  out.add_list(request.defines);
  out.add_number(request.max_registers);
  out.add_number(from_enum(request.output));
  out.add_number(from_enum(request.compiler));
  out.add_list(request.name_expressions);
  out.add(order.cache_folder);
  out.add_number(order.cache_bytes);
  return out.take();
}

std::optional<CompileOrder> unpack_order(std::string_view packed) {
  Unpacker in(packed);
  if (in.number() != kMessageVersion) return std::nullopt;
  bool ok = true;
  CompileOrder order;
  CompileRequest& request = order.request;
  request.source = in.text();
  request.language = to_enum(in, CompileRequest::Language::kPtx, ok);
  request.arch = in.text();
  request.flags = in.list();
  request.limit_seconds = static_cast<double>(in.number()) / 1e6;
  request.defines = in.list();
  request.max_registers = static_cast<unsigned>(in.number());
  request.output = to_enum(in, CompileRequest::Output::kPtx, ok);
  request.compiler = to_enum(in, Compiler::kNvrtc, ok);
  request.name_expressions = in.list();
  order.cache_folder = in.text();
  order.cache_bytes = in.number();
  if (!ok || !in.at_end()) return std::nullopt;
  return order;
}

std::string pack(const CompileResult& result) {
  Packer out;
  out.add_number(result.ok() ? 1 : 0);
  if (!result) {
    out.add(result.error().message);
    out.add_number(from_enum(result.error().exit));
    out.add_number(result.timed_out() ? 1 : 0);
    return out.take();
  }
  out.add(Bytes(result->cubin));
  out.add(result->arch);
  out.add_number(result->cached ? 1 : 0);
  out.add(result->ptx);
  out.add_list(result->lowered_names);
  out.add_number(from_enum(result->compiler));
  out.add_number(static_cast<std::uint64_t>(result->seconds * 1e6));
  return out.take();
}

std::optional<CompileResult> unpack_result(std::string_view packed) {
  Unpacker in(packed);
  bool ok = true;
  if (in.number() == 0) {
    Error error{std::string(in.text())};
    error.exit = to_enum(in, Exit::kDevice, ok);
    const bool timed_out = in.number() != 0;
    if (!ok || !in.at_end()) return std::nullopt;
    return CompileResult(std::move(error), timed_out);
  }
  Compiled compiled;
  compiled.cubin = in.bytes();
  compiled.arch = in.text();
  compiled.cached = in.number() != 0;
  compiled.ptx = in.text();
  compiled.lowered_names = in.list();
  compiled.compiler = to_enum(in, Compiler::kNvrtc, ok);
  compiled.seconds = static_cast<double>(in.number()) / 1e6;
  if (!ok || !in.at_end()) return std::nullopt;
  return compiled;
}

std::string framed(std::string_view message) {
  return std::to_string(message.size()) + "\n" + std::string(message);
}

std::optional<std::size_t> frame_length(std::string_view line) {
  const auto length = number_in(line);
  if (!length || *length > kMaxFrameBytes) return std::nullopt;
  return *length;
}

}  // namespace burin::toolchain
