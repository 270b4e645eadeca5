#include "coarsen/opencl/allowed.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace burin::coarsen {
namespace {

struct RefusedWord {
  std::string_view word;  // with '*' at its end: every word that begins so, where it is called
  std::string_view why;
};
constexpr std::string_view kWaits =
    "waits for the other work-items of the group, but copies of work-items run one after another";
constexpr std::string_view kCollective =
    "needs all work-items of the group at once, but copies of work-items run one after another";
constexpr std::string_view kLocal =
    "memory is shared by the work-items of a group, but copies of work-items run one after another";
constexpr std::string_view kSubGroup =
    "depends on the sub-group, which has other work-items after coarsening";
constexpr std::string_view kHardware = "goes past the id functions to the hardware";
constexpr std::string_view kEnqueue = "launches work whose ids are not known here";
constexpr RefusedWord kRefused[] = {
    {"barrier", kWaits},
    {"work_group_barrier", kWaits},
    {"wait_group_events", kWaits},
    {"async_work_group_*", kCollective},
    {"work_group_*", kCollective},
    {"local", kLocal},
    {"__local", kLocal},
    {"sub_group_*", kSubGroup},
    {"intel_sub_group_*", kSubGroup},
    {"get_sub_group_*", kSubGroup},
    {"get_num_sub_groups", kSubGroup},
    {"get_max_sub_group_size", kSubGroup},
    {"get_enqueued_num_sub_groups", kSubGroup},
    {"enqueue_kernel", kEnqueue},
    {"enqueue_marker", kEnqueue},
    {"asm", kHardware},
    {"__asm", kHardware},
    {"__asm__", kHardware},
    {"__builtin_amdgcn_*", kHardware},
    {"__nvvm_*", kHardware},
    {"__spirv_*", kHardware},
};

// An attribute, which kernel_head.h rescales.
constexpr std::string_view kAttribute = "work_group_size_hint";

// Why this word is refused; null if it is not.
const RefusedWord* refused(const OpenclOutline& outline, const OpenclToken& word, bool called) {
  for (const RefusedWord& entry : kRefused) {
    if (!entry.word.ends_with('*')) {
      if (word.text == entry.word) return &entry;
    } else if (called && word.text.starts_with(entry.word.substr(0, entry.word.size() - 1)) &&
               word.text != kAttribute && !outline.has_function(word.text)) {
      return &entry;
    }
  }
  return nullptr;
}

// Follows what a kernel mentions.
class OpenclReach {
 public:
  OpenclReach(const OpenclOutline& outline, const std::string& kernel)
      : outline_(outline), kernel_(kernel) {}

  Result<void> check() {
    reached_[kernel_] = "";
    std::vector<std::string> open = {kernel_};
    // A macro at file scope may stand for a function that the kernel calls.
    for (const OpenclToken* macro : outline_.file_scope_macros()) {
      if (reached_.emplace(macro->text, kernel_).second) open.push_back(macro->text);
    }
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (Result<void> fine = check_name(name); !fine) return fine;
      for (const OpenclToken* word : outline_.words_of(name)) {
        const bool known = outline_.names.contains(word->text);
        if (known && reached_.emplace(word->text, name).second) open.push_back(word->text);
      }
    }
    return {};
  }

 private:
  Result<void> check_name(const std::string& name) const {
    const OpenclOutline::Meaning& meaning = outline_.names.find(name)->second;
    for (const std::size_t i : meaning.functions) {
      const OpenclFunction& function = outline_.functions[i];
      if (function.is_kernel && name != kernel_) {
        return Error{
            fmt::format("kernel {} calls kernel {} ({}), whose ids would have to be its "
                        "own; put what they share into a function",
                        kernel_, name, place(function.name_at))};
      }
      if (Result<void> fine = check_tokens(name, outline_.tokens_of(function), nullptr); !fine) {
        return fine;
      }
    }
    for (const std::size_t i : meaning.types) {
      const OpenclType& type = outline_.types[i];
      const auto tokens =
          std::span(outline_.scan.tokens).subspan(type.first, type.end - type.first);
      if (Result<void> fine = check_tokens(name, tokens, nullptr); !fine) return fine;
    }
    for (const std::size_t i : meaning.macros) {
      const OpenclMacro& macro = outline_.macros[i];
      if (Result<void> fine = check_tokens(name, macro.tokens, &macro); !fine) return fine;
    }
    return {};
  }

  Result<void> check_tokens(const std::string& name, std::span<const OpenclToken> tokens,
                            const OpenclMacro* macro) const {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const OpenclToken& token = tokens[i];
      if (!token.is_word() || token.after_dot) continue;
      if (macro != nullptr && macro->parameters.contains(token.text)) continue;
      const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
      const RefusedWord* entry = refused(outline_, token, called);
      if (entry == nullptr) continue;
      const std::string where = macro == nullptr || macro->define.has_value()
                                    ? outline_.scan.place(token.begin)
                                    : "in the build options";
      return Error{fmt::format("kernel {}: {}: {} {}{}", kernel_, where, token.text, entry->why,
                               way_to(name))};
    }
    return {};
  }

  // " (used through tile and LOAD)"; "" for the kernel itself.
  std::string way_to(const std::string& name) const {
    std::vector<std::string> way;
    for (std::string at = name; at != kernel_; at = reached_.find(at)->second) way.push_back(at);
    if (way.empty()) return "";
    std::ranges::reverse(way);
    return fmt::format(" (used through {})", list_of(way, 4));
  }

  std::string place(std::size_t token) const {
    return outline_.scan.place(outline_.scan.tokens[token].begin);
  }

  const OpenclOutline& outline_;
  const std::string& kernel_;
  std::map<std::string, std::string> reached_;  // a name, and the one that mentions it
};

// A variable in the constant address space can be in a kernel, but not in a function.
Result<void> check_constants(const OpenclOutline& outline, const OpenclFunction& kernel) {
  const std::vector<OpenclToken>& tokens = outline.scan.tokens;
  for (std::size_t i = kernel.body; i < kernel.end; ++i) {
    if (!tokens[i].is_word() || (tokens[i].text != "constant" && tokens[i].text != "__constant")) {
      continue;
    }
    std::size_t next = i + 1;
    while (tokens[next].is_word()) ++next;
    if (tokens[next].is("*")) continue;  // a pointer to it
    return Error{
        fmt::format("kernel {}: {}: the {} variable cannot stay inside a kernel that "
                    "becomes a function; move it to file scope",
                    kernel.name, outline.scan.place(tokens[i].begin), tokens[i].text)};
  }
  return {};
}

// Nobody else may call the kernel: it would get the coarsened one.
Result<void> check_callers(const OpenclOutline& outline, const std::string& kernel,
                           const OpenclFunction& function) {
  const std::vector<OpenclToken>& tokens = outline.scan.tokens;
  for (std::size_t i = function.first; i < function.end; ++i) {
    if (i == function.name_at || tokens[i].text != kernel || tokens[i].after_dot) continue;
    if (!tokens[i + 1].is("(")) continue;
    return Error{
        fmt::format("kernel {} is called by {} ({}), which would call the coarsened "
                    "kernel; put what they share into a function",
                    kernel, function.name, outline.scan.place(tokens[i].begin))};
  }
  return {};
}

}  // namespace

std::set<std::string> built_in_ids(const OpenclOutline& outline) {
  std::set<std::string> ids;
  for (const OpenclIdFunction& function : kOpenclIdFunctions) {
    if (function.since_2_0 && outline.names.contains(function.name)) continue;
    ids.emplace(function.name);
  }
  return ids;
}

Result<void> check_kernel(const OpenclOutline& outline, const std::string& kernel) {
  if (Result<void> fine = OpenclReach(outline, kernel).check(); !fine) return fine;
  for (const OpenclFunction& function : outline.functions) {
    if (Result<void> fine = check_callers(outline, kernel, function); !fine) return fine;
    if (function.name != kernel) continue;
    if (Result<void> fine = check_constants(outline, function); !fine) return fine;
  }
  for (const OpenclMacro& macro : outline.macros) {
    const auto call = std::ranges::find_if(
        macro.tokens, [&](const OpenclToken& token) { return token.text == kernel; });
    if (call == macro.tokens.end() || macro.parameters.contains(kernel)) continue;
    return Error{
        fmt::format("kernel {} is named by the macro {}, which could call it; remove the "
                    "macro",
                    kernel, macro.name)};
  }
  return {};
}

}  // namespace burin::coarsen
