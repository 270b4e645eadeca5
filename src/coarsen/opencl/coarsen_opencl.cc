#include "coarsen/opencl/coarsen_opencl.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "coarsen/opencl/allowed.h"
#include "coarsen/opencl/copies.h"
#include "coarsen/opencl/kernel_head.h"
#include "coarsen/opencl/outline.h"

namespace burin::coarsen {
namespace {

struct OpenclEdit {
  std::size_t begin = 0;
  std::size_t end = 0;  // the bytes from begin to end are replaced
  std::string text{};
};

std::string edited(std::string_view source, std::vector<OpenclEdit> edits) {
  std::ranges::sort(edits, {}, &OpenclEdit::begin);
  std::string text;
  std::size_t at = 0;
  for (const OpenclEdit& edit : edits) {
    text += source.substr(at, edit.begin - at);
    text += edit.text;
    at = edit.end;
  }
  return text += source.substr(at);
}

// "burin", or "burin2" and so on if a word of the source begins so.
std::string free_prefix(const OpenclOutline& outline) {
  const auto taken = [&](const std::string& prefix) {
    const auto begins = [&](const OpenclToken& token) { return token.text.starts_with(prefix); };
    return std::ranges::any_of(outline.scan.tokens, begins) ||
           std::ranges::any_of(outline.macros, [&](const OpenclMacro& macro) {
             return macro.name.starts_with(prefix) || std::ranges::any_of(macro.tokens, begins);
           });
  };
  std::string prefix = "burin";
  for (unsigned n = 2; taken(prefix); ++n) prefix = fmt::format("burin{}", n);
  return prefix;
}

class OpenclCoarsener {
 public:
  OpenclCoarsener(const std::string& source, const std::string& kernel,
                  const OpenclCoarsening& coarsening, const OpenclOutline& outline)
      : source_(source),
        kernel_(kernel),
        coarsening_(coarsening),
        outline_(outline),
        prefix_(free_prefix(outline)),
        ids_(built_in_ids(outline)) {}

  Result<CoarsenedOpencl> coarsen() {
    if (Result<void> fine = check_names(); !fine) return fine.error();
    find_users();
    if (Result<void> fine = check_file_scope(); !fine) return fine.error();
    for (const OpenclFunction& function : outline_.functions) {
      if (Result<void> done = edit_function(function); !done) return done.error();
    }
    for (const OpenclMacro& macro : outline_.macros) {
      if (Result<void> done = edit_macro(macro); !done) return done.error();
    }
    CoarsenedOpencl coarsened = coarsened_launch(coarsening_);
    coarsened.text = fmt::format("{}#line 1\n{}", ids_text(prefix_, kernel_, ids_, coarsening_),
                                 edited(source_, std::move(edits_)));
    return coarsened;
  }

 private:
  const OpenclToken& at(std::size_t i) const { return outline_.scan.tokens[i]; }
  std::string place(std::size_t token) const { return outline_.scan.place(at(token).begin); }

  Result<void> check_names() const {
    for (const std::string& id : ids_) {
      if (!outline_.names.contains(id)) continue;
      return Error{fmt::format("the source defines {} itself; give it another name", id)};
    }
    for (const OpenclDirective& directive : outline_.scan.directives) {
      if (directive.name != "undef" || directive.tokens.empty()) continue;
      if (!ids_.contains(directive.tokens[0].text)) continue;
      return Error{fmt::format("{}: #undef {} would remove the coarsened kernel's own; delete it",
                               outline_.scan.place(directive.begin), directive.tokens[0].text)};
    }
    for (const OpenclFunction& function : outline_.functions) {
      if (!function.is_defined || !outline_.has_macro(function.name)) continue;
      return Error{fmt::format("{}: the macro {} writes the head of a function; write it out",
                               place(function.name_at), function.name)};
    }
    return {};
  }

  // Who needs the ids: functions and macros that use them, or that could, by words made with ##.
  void find_users() {
    using_ids_ = outline_.mentioning(ids_);
    std::set<std::string> words = ids_;
    for (const OpenclMacro& macro : outline_.macros) {
      if (macro.pastes) words.insert(macro.name);
    }
    needing_ids_ = outline_.mentioning(words);
    for (const std::string& name : needing_ids_) {
      if (outline_.has_function(name) && !outline_.has_macro(name)) passed_to_.insert(name);
    }
    for (const OpenclFunction& function : outline_.functions) {
      if (function.is_kernel) passed_to_.erase(function.name);
    }
  }

  // A macro that stands for whole functions hides them.
  Result<void> check_file_scope() const {
    for (const OpenclToken* macro : outline_.file_scope_macros()) {
      if (!using_ids_.contains(macro->text)) continue;
      return Error{fmt::format("{}: the macro {} makes functions that use ids; write them out",
                               outline_.scan.place(macro->begin), macro->text)};
    }
    return {};
  }

  Result<void> edit_function(const OpenclFunction& function) {
    if (passed_to_.contains(function.name)) add_parameter(function);
    if (!function.is_defined) return {};
    if (function.name == kernel_) {
      if (Result<void> done = make_body(function); !done) return done;
    } else if (function.is_kernel && needing_ids_.contains(function.name)) {
      insert(at(function.body).end, own_ids_text(prefix_));
    }
    return pass_ids(
        std::span(outline_.scan.tokens).subspan(function.body, function.end - function.body + 1),
        {});
  }

  Result<void> edit_macro(const OpenclMacro& macro) {
    const std::size_t edits = edits_.size();
    if (Result<void> done = pass_ids(macro.tokens, macro.parameters); !done) return done;
    if (macro.define || edits == edits_.size()) return {};
    return Error{
        fmt::format("the build option -D{} calls a function that uses ids; define the "
                    "macro in the source",
                    macro.name)};
  }

  void insert(std::size_t at, std::string text) {
    edits_.push_back({.begin = at, .end = at, .text = std::move(text)});
  }

  // Puts the ids in front of the parameters of a definition or a prototype.
  void add_parameter(const OpenclFunction& function) {
    const std::size_t first = function.open + 1;
    const bool none = first == function.close;
    const bool is_void = first + 1 == function.close && at(first).text == "void";
    edits_.push_back({.begin = at(function.open).end,
                      .end = is_void ? at(first).end : at(function.open).end,
                      .text = ids_parameter(prefix_) + (none || is_void ? "" : ", ")});
  }

  // Puts the ids in front of the arguments of every call of a function that takes them.
  Result<void> pass_ids(std::span<const OpenclToken> tokens,
                        const std::set<std::string>& parameters) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is_word() || tokens[i].after_dot || parameters.contains(tokens[i].text)) {
        continue;
      }
      const bool pasted =
          (i > 0 && tokens[i - 1].is("##")) || (i + 1 < tokens.size() && tokens[i + 1].is("##"));
      if (pasted || !passed_to_.contains(tokens[i].text)) continue;
      if (i + 2 >= tokens.size() || !tokens[i + 1].is("(")) {
        return Error{
            fmt::format("{}: {} is a function that uses ids, but is not called here; give "
                        "the other thing another name, or write the call out",
                        outline_.scan.place(tokens[i].begin), tokens[i].text)};
      }
      insert(tokens[i + 1].end, prefix_ + (tokens[i + 2].is(")") ? "" : ", "));
    }
    return {};
  }

  // As many newlines as the source has between two bytes.
  std::string newlines(std::size_t begin, std::size_t end) const {
    const std::string_view text = std::string_view(source_).substr(begin, end - begin);
    return std::string(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
  }

  // Makes the kernel a function, and puts a kernel after it that calls it for each copy.
  Result<void> make_body(const OpenclFunction& function) {
    const Result<OpenclKernelHead> head =
        read_kernel_head(outline_, source_, function, coarsening_);
    if (!head) return head.error();
    const std::string body = fmt::format("{}_body_{}", prefix_, kernel_);
    const std::size_t begin = at(head->first).begin;
    const std::size_t open = at(function.open).begin;
    edits_.push_back({begin, open, newlines(begin, open) + "void " + body});
    add_parameter(function);
    const std::size_t close = at(function.close).end;
    const std::size_t brace = at(function.body).begin;
    edits_.push_back({close, brace, newlines(close, brace) + " "});
    const std::size_t end = at(function.end).end;
    insert(end, fmt::format("\n{}#line {}\n", loops_text(prefix_, *head, body, coarsening_),
                            outline_.scan.line(end - 1)));
    return {};
  }

  const std::string& source_;
  const std::string& kernel_;
  const OpenclCoarsening& coarsening_;
  const OpenclOutline& outline_;
  const std::string prefix_;
  const std::set<std::string> ids_;
  std::set<std::string> using_ids_;    // names that mention an id function
  std::set<std::string> needing_ids_;  // and those that use ##, which may hide one
  std::set<std::string> passed_to_;    // functions that get the ids as a parameter
  std::vector<OpenclEdit> edits_;
};

}  // namespace

Result<CoarsenedOpencl> coarsen_opencl(const std::string& source, const std::string& kernel,
                                       const OpenclCoarsening& coarsening) {
  if (Result<void> fine = check_opencl_factors(coarsening); !fine) return fine.error();
  const Result<OpenclOutline> outline = outline_opencl(source, coarsening.options);
  if (!outline) return outline.error();
  std::vector<std::string> kernels;
  bool found = false;
  for (const OpenclFunction& function : outline->functions) {
    if (!function.is_kernel || !function.is_defined) continue;
    found = found || function.name == kernel;
    if (std::ranges::find(kernels, function.name) == kernels.end()) {
      kernels.push_back(function.name);
    }
  }
  if (!found) {
    return Error{kernels.empty() ? fmt::format("there is no kernel in the source")
                                 : fmt::format("there is no kernel {}; the source has {}", kernel,
                                               list_of(kernels, 10))};
  }
  if (Result<void> fine = check_kernel(*outline, kernel); !fine) return fine.error();
  return OpenclCoarsener(source, kernel, coarsening, *outline).coarsen();
}

}  // namespace burin::coarsen
