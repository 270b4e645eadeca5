#include "emulate/execute/device_print.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdio>

namespace burin::emulate {

namespace {

constexpr int kMaxWidth = 4096;

// %[flags][width][.precision][size]type
struct Spec {
  std::string flags;
  std::optional<int> width;
  std::optional<int> precision;
  bool wide = false;  // l, ll, z, t, j: 8 bytes
  char type = 0;
};

class Printing {
 public:
  Printing(std::string_view format, const PrintArguments& arguments)
      : rest_(format), arguments_(arguments) {}

  Printed run() {
    while (!rest_.empty()) {
      const std::size_t percent = rest_.find('%');
      printed_.text += rest_.substr(0, percent);
      if (percent == std::string_view::npos) break;
      rest_.remove_prefix(percent + 1);
      const std::string_view begin = rest_;
      const Spec spec = take_spec();
      if (spec.type == '%') {
        printed_.text += '%';
      } else if (spec.type == 0 || !print(spec)) {  // as it stands
        printed_.text += '%';
        printed_.text += begin.substr(0, begin.size() - rest_.size());
      }
    }
    return std::move(printed_);
  }

 private:
  bool next_is(std::string_view any) const {
    return !rest_.empty() && any.find(rest_[0]) != std::string_view::npos;
  }
  char take() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }
  std::optional<int> take_number() {
    if (next_is("*")) {
      take();
      const std::optional<std::uint64_t> given = argument(4);
      return given ? std::clamp(static_cast<int>(*given), -kMaxWidth, kMaxWidth) : 0;
    }
    std::optional<int> number;
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) != 0) {
      number = std::min(kMaxWidth, 10 * number.value_or(0) + (take() - '0'));
    }
    return number;
  }
  Spec take_spec() {
    Spec spec;
    while (next_is("-+ #0")) spec.flags += take();
    spec.width = take_number();
    if (next_is(".")) {
      take();
      spec.precision = std::max(0, take_number().value_or(0));
    }
    while (next_is("hlzjtL")) spec.wide = take() != 'h' || spec.wide;
    if (!rest_.empty()) spec.type = take();
    return spec;
  }
  std::optional<std::uint64_t> argument(unsigned bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const unsigned at = offset_;
    offset_ += bytes;
    ++printed_.arguments;
    return arguments_.value(at, bytes);
  }

  template <typename Value>
  void put(const Spec& spec, std::string_view size, Value value) {
    std::string format = "%" + spec.flags;
    if (spec.width) format += std::to_string(*spec.width);
    if (spec.precision) format += "." + std::to_string(*spec.precision);
    format += size;
    format += spec.type;
    std::array<char, 2 * kMaxWidth> text{};
    // The types of format and value agree: print() chose both.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int size_printed = std::snprintf(text.data(), text.size(), format.c_str(), value);
#pragma GCC diagnostic pop
    if (size_printed > 0) {
      printed_.text.append(text.data(),
                           std::min(text.size() - 1, static_cast<std::size_t>(size_printed)));
    }
  }
  // False if there is no such type.
  bool print(const Spec& spec) {
    static constexpr std::string_view kSigned = "di";
    static constexpr std::string_view kUnsigned = "ouxX";
    static constexpr std::string_view kReal = "eEfFgGaA";
    const auto is = [&](std::string_view types) { return types.find(spec.type) != types.npos; };
    if (!is(kSigned) && !is(kUnsigned) && !is(kReal) && !is("csp")) return false;
    const bool eight = is(kReal) || is("sp") || (spec.wide && spec.type != 'c');
    const std::optional<std::uint64_t> value = argument(eight ? 8 : 4);
    const std::optional<std::string> string =
        value && spec.type == 's' ? arguments_.string(*value) : std::nullopt;
    if (!value || (spec.type == 's' && !string)) {
      printed_.text += "Unknown";
    } else if (spec.type == 's') {
      put(spec, "", string->c_str());
    } else if (spec.type == 'p') {
      put(spec, "", reinterpret_cast<const void*>(*value));
    } else if (spec.type == 'c') {
      put(spec, "", static_cast<int>(*value));
    } else if (is(kReal)) {
      put(spec, "", std::bit_cast<double>(*value));
    } else if (is(kSigned)) {
      put(spec, "ll",
          eight ? static_cast<long long>(*value)
                : static_cast<long long>(static_cast<std::int32_t>(*value)));
    } else {
      put(spec, "ll", static_cast<unsigned long long>(*value));
    }
    return true;
  }

  std::string_view rest_;
  const PrintArguments& arguments_;
  unsigned offset_ = 0;
  Printed printed_;
};

}  // namespace

Printed format_print(std::string_view format, const PrintArguments& arguments) {
  return Printing(format, arguments).run();
}

}  // namespace burin::emulate
