#include "coarsen/opencl/kernel_head.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/format.h"

namespace burin::coarsen {
namespace {

const std::set<std::string> kGroupSizes = {"reqd_work_group_size", "__reqd_work_group_size__",
                                           "work_group_size_hint", "__work_group_size_hint__"};

class OpenclHeadReader {
 public:
  OpenclHeadReader(const OpenclOutline& outline, std::string_view source,
                   const OpenclFunction& kernel, const OpenclCoarsening& coarsening)
      : outline_(outline), source_(source), kernel_(kernel), coarsening_(coarsening) {}

  Result<OpenclKernelHead> read() {
    OpenclKernelHead head{.first = first_token()};
    if (outline_.has_directive(head.first, kernel_.body)) {
      return error(head.first, "a directive in front of the kernel's body; move it elsewhere");
    }
    if (Result<void> fine = check_macros(head.first); !fine) return fine.error();
    Result<std::vector<std::string>> parameters = read_parameters();
    if (!parameters) return parameters.error();
    head.parameters = std::move(*parameters);
    Result<std::string> text = rescaled(head.first);
    if (!text) return text.error();
    head.text = std::move(*text);
    while (!head.text.empty() &&
           std::string_view(" \t\r\n").find(head.text.back()) != std::string_view::npos) {
      head.text.pop_back();
    }
    return head;
  }

 private:
  const OpenclToken& at(std::size_t i) const { return outline_.scan.tokens[i]; }

  Error error(std::size_t token, std::string_view what) const {
    return {
        fmt::format("kernel {}: {}: {}", kernel_.name, outline_.scan.place(at(token).begin), what)};
  }

  // A macro that stands in front of the kernel without a ';' is not part of it.
  std::size_t first_token() const {
    const std::set<std::string> kernel_macros = outline_.mentioning({"__kernel", "kernel"});
    for (std::size_t i = kernel_.first; i < kernel_.name_at; ++i) {
      const std::string& word = at(i).text;
      if (word == "__kernel" || word == "kernel" || word == "__attribute__" ||
          (outline_.has_macro(word) && kernel_macros.contains(word))) {
        return i;
      }
    }
    return kernel_.first;
  }

  Result<void> check_macros(std::size_t first) const {
    const std::set<std::string> hiding = outline_.mentioning(kGroupSizes);
    for (std::size_t i = first; i < kernel_.body; ++i) {
      if (i != kernel_.name_at && at(i).is_word() && outline_.has_macro(at(i).text) &&
          hiding.contains(at(i).text)) {
        return error(i, fmt::format("the macro {} hides the size of the work-group; write it out",
                                    at(i).text));
      }
    }
    return {};
  }

  // The index after an attribute that begins at `i`; `i` if none does.
  std::size_t after_attribute(std::size_t i) const {
    const bool attribute = at(i).text == "__attribute__" || at(i).text == "__attribute";
    return attribute && at(i + 1).is("(") ? outline_.partner[i + 1] + 1 : i;
  }

  Result<std::vector<std::string>> read_parameters() const {
    std::vector<std::string> names;
    std::size_t begin = kernel_.open + 1;
    if (begin == kernel_.close) return names;
    if (begin + 1 == kernel_.close && at(begin).text == "void") return names;
    while (begin <= kernel_.close) {
      std::optional<std::size_t> name;
      std::size_t words = 0;
      std::size_t i = begin;
      for (; i < kernel_.close && !at(i).is(","); ++i) {
        if (const std::size_t after = after_attribute(i); after != i) {
          i = after - 1;
          continue;
        }
        if (at(i).is_word() && ++words > 1) name = i;
        if (at(i).is("(") && at(i + 1).is("*")) {  // a pointer to an array: int (*name)[4]
          for (std::size_t k = i; k < outline_.partner[i]; ++k) {
            if (at(k).is_word()) name = k;
          }
          i = outline_.partner[i];
          words = 0;  // what follows is no name
        } else if (at(i).is("(") || at(i).is("[")) {
          i = outline_.partner[i];
        }
      }
      if (!name || outline_.has_macro(at(*name).text)) {
        return error(
            std::min(begin, kernel_.close),
            fmt::format("the name of parameter {} cannot be seen; write it out", names.size() + 1));
      }
      names.push_back(at(*name).text);
      begin = i + 1;
    }
    return names;
  }

  // The head's text with the group sizes of its attributes divided by the factors.
  Result<std::string> rescaled(std::size_t first) const {
    std::string text;
    std::size_t copied = at(first).begin;
    for (std::size_t i = first; i < kernel_.body; ++i) {
      if (!at(i).is_word() || !kGroupSizes.contains(at(i).text) || !at(i + 1).is("(")) continue;
      const std::size_t close = outline_.partner[i + 1];
      text += source_.substr(copied, at(i + 1).end - copied);
      copied = at(close).begin;
      const bool required = at(i).text.find("reqd") != std::string::npos;
      std::size_t begin = i + 2;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::size_t end = begin;
        while (end < close && !at(end).is(",")) {
          end = at(end).is("(") ? outline_.partner[end] + 1 : end + 1;
        }
        if (end == begin || (axis < 2) != (end < close)) {
          return error(i, fmt::format("{} does not have three sizes", at(i).text));
        }
        Result<std::string> size = size_text(begin, end, axis, required);
        if (!size) return size.error();
        text += (axis == 0 ? "" : ", ") + *size;
        begin = end + 1;
      }
      i = close;
    }
    text += source_.substr(copied, at(kernel_.body).begin - copied);
    return text;
  }

  Result<std::string> size_text(std::size_t begin, std::size_t end, std::size_t axis,
                                bool required) const {
    const std::string written(source_.substr(at(begin).begin, at(end - 1).end - at(begin).begin));
    const std::uint32_t factor = coarsening_.thread_factor[axis];
    const std::optional<std::uint64_t> number =
        end == begin + 1 ? literal(at(begin).text) : std::nullopt;
    if (number && required && *number != coarsening_.local_size[axis]) {
      return error(begin, fmt::format("the kernel requires {} work-items along {} in a work-group, "
                                      "but the launch has {}",
                                      *number, "xyz"[axis], coarsening_.local_size[axis]));
    }
    if (factor == 1) return written;
    if (number) return fmt::format("{}", std::max<std::uint64_t>(*number / factor, 1));
    return fmt::format("({}) / {}", written, factor);
  }

  static std::optional<std::uint64_t> literal(std::string text) {
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) {
      text.pop_back();
    }
    if (text.empty() || text.size() > 9) return std::nullopt;
    if (text[0] == '0' && text.size() > 1) return std::nullopt;  // octal and hexadecimal
    std::uint64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
  }

  const OpenclOutline& outline_;
  std::string_view source_;
  const OpenclFunction& kernel_;
  const OpenclCoarsening& coarsening_;
};

}  // namespace

Result<OpenclKernelHead> read_kernel_head(const OpenclOutline& outline, std::string_view source,
                                          const OpenclFunction& kernel,
                                          const OpenclCoarsening& coarsening) {
  return OpenclHeadReader(outline, source, kernel, coarsening).read();
}

}  // namespace burin::coarsen
