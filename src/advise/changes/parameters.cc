#include "advise/changes/parameters.h"

namespace burin::advise {
namespace {

ParameterText parameter_at(const CudaText& source, std::size_t first, std::size_t last) {
  ParameterText p{.first = first, .last = last};
  for (std::size_t i = first; i <= last; ++i) {
    const std::string_view text = source.of(i);
    if (source.tokens()[i].kind == Token::Kind::kDirective) p.is_plain = false;
    if (source.is_word(i) && source.is_macro(text)) p.is_plain = false;
    if (text == "const" && p.star == CudaText::kNone) p.is_const = true;
    if (text == "volatile" || text == "(" || text == "&" || text == "=") p.is_plain = false;
    if (text == "__restrict__" || text == "__restrict") p.is_restrict = true;
    if (source.is_word(i) && text != "const" && p.star == CudaText::kNone) p.pointee = text;
    if (text != "*") continue;
    if (p.star != CudaText::kNone) p.is_plain = false;
    p.star = i;
  }
  if (!source.is_word(last) || last == first) p.is_plain = false;
  if (p.star == CudaText::kNone) p.pointee.clear();
  return p;
}

}  // namespace

std::vector<ParameterText> parameters_of(const CudaText& source, const FunctionText& function) {
  std::vector<ParameterText> all;
  std::size_t first = function.open_parameters + 1;
  int angles = 0;
  for (std::size_t i = first; i <= function.close_parameters; ++i) {
    const std::string_view text = source.of(i);
    if (text == "<") ++angles;
    if (text == ">") --angles;
    if ((text == "(" || text == "[") && source.partner(i) != CudaText::kNone) i = source.partner(i);
    if (i != function.close_parameters && !(text == "," && angles == 0)) continue;
    if (i > first) all.push_back(parameter_at(source, first, i - 1));
    first = i + 1;
  }
  return all;
}

}  // namespace burin::advise
