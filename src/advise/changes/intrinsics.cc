// Replaces calls of CUDA's precise math functions by its fast ones, and 1 / sqrt(x) by rsqrt.
#include <algorithm>
#include <array>

#include "advise/changes/double_code.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {
namespace {

struct FastFunction {
  std::string_view precise;  // for floats
  std::string_view plain;    // overloaded: float only if its argument is
  std::string_view fast;
};
constexpr std::array<FastFunction, 8> kFast = {{{"expf", "exp", "__expf"},
                                                {"exp10f", "exp10", "__exp10f"},
                                                {"logf", "log", "__logf"},
                                                {"log2f", "log2", "__log2f"},
                                                {"log10f", "log10", "__log10f"},
                                                {"sinf", "sin", "__sinf"},
                                                {"cosf", "cos", "__cosf"},
                                                {"powf", "pow", "__powf"}}};

bool is_one(std::string_view text) {
  return text == "1" || text == "1.0f" || text == "1.f" || text == "1.0F";
}

// A user-defined, member or qualified name is not a call of CUDA's function.
bool calls_cuda(const ProposalInput& input, std::size_t token) {
  const CudaText& source = input.source;
  if (!source.is(source.next(token), "(")) return false;
  const std::string_view before = source.of(source.previous(token));
  if (before == "." || before == ":" || before == ">") return false;
  if (source.is_word(source.previous(token)) && before != "return") return false;
  const std::string_view name = source.of(token);
  return !source.is_macro(name) &&
         std::ranges::none_of(input.functions,
                              [&](const FunctionText& f) { return f.name == name; });
}

struct Edited {
  std::vector<TextEdit> edits;
  std::vector<std::string> names;
  std::uint32_t first = 0;
};

void add_call(const ProposalInput& input, std::size_t token, bool all_float, Edited& to) {
  const CudaText& source = input.source;
  const std::string_view name = source.of(token);
  const Token& at = source.tokens()[token];
  const auto note = [&](std::string_view fast) {
    if (std::ranges::find(to.names, fast) == to.names.end()) to.names.emplace_back(fast);
    if (to.first == 0) to.first = at.line;
  };
  for (const FastFunction& f : kFast) {
    if (name != f.precise && !(all_float && name == f.plain)) continue;
    to.edits.push_back({at.offset, at.length, std::string(f.fast)});
    note(f.fast);
    return;
  }
  // 1.0f / sqrtf(x): the reciprocal square root is one instruction.
  if (name != "sqrtf" && !(all_float && name == "sqrt")) return;
  const std::size_t slash = source.previous(token);
  const std::size_t one = source.is(slash, "/") ? source.previous(slash) : CudaText::kNone;
  if (one == CudaText::kNone || !is_one(source.of(one))) return;
  const std::string_view before = source.of(source.previous(one));
  if (before == "*" || before == "/" || before == "%") return;
  const std::size_t from = source.tokens()[one].offset;
  to.edits.push_back({from, at.offset + at.length - from, "rsqrtf"});
  note("rsqrtf");
}

}  // namespace

void propose_intrinsics(const ProposalInput& input, Proposals& all) {
  // An overloaded function takes floats if the whole kernel has no doubles.
  const bool all_float = lines_with_doubles(input).empty();
  Edited edited;
  for (const FunctionText& f : input.functions) {
    if (!input.is_part(f)) continue;
    for (std::size_t i = f.open_body; i < f.close_body; ++i) {
      const Token& token = input.source.tokens()[i];
      if (token.kind != Token::Kind::kWord || input.share(token.line, token.line) <= 0) continue;
      if (calls_cuda(input, i)) add_call(input, i, all_float, edited);
    }
  }
  if (edited.edits.empty()) return;
  all.changes.push_back(
      {.family = "intrinsics",
       .place = input.at(edited.first),
       .title = fmt::format("{} at {}", list_of(edited.names, 4), input.at(edited.first)),
       .condition = "These functions are less precise.",
       .rules = {"fast-math"},
       .rounds_differently = true,
       .edits = std::move(edited.edits)});
}

}  // namespace burin::advise
