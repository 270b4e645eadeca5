// A text with expressions in braces: the arguments, compiler options and template instances of a
// tuning spec.
//
//   Result<Template> size = Template::parse("buf:{4*n*n}:f32");
//   size->fill({{"n", 1024}})      "buf:4194304:f32"
//
// Two braces stand for one: "{{" is "{".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"

namespace burin::formula {

class Template {
 public:
  // An Error names the column of the whole text.
  static Result<Template> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool is_constant() const { return expressions_.empty(); }
  std::vector<std::string> names() const;
  Result<void> check_names(std::span<const std::string> known) const;

  Result<std::string> fill(const Names& names) const;

 private:
  std::string text_;
  std::vector<std::string> pieces_;  // one more than there are expressions
  std::vector<Expression> expressions_;
};

}  // namespace burin::formula
