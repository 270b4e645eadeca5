#include "read/ptx/parse.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "read/ptx/number.h"
#include "read/ptx/read_declaration.h"
#include "read/ptx/read_function.h"
#include "read/ptx/token_stream.h"

namespace burin::read::ptx {
namespace {

constexpr std::array<std::string_view, 4> kLinking = {"visible", "extern", "weak", "common"};

bool at_linking(const TokenStream& tokens) {
  return tokens.at(TokenKind::kDotWord) &&
         std::find(kLinking.begin(), kLinking.end(), tokens.dot_word()) != kLinking.end();
}

// `9.0`
bool set_version(TokenStream& tokens, const Token& value, Module& module) {
  const std::string_view text = tokens.text(value);
  const std::size_t dot = std::min(text.find('.'), text.size() - 1);
  const std::optional<std::uint64_t> major = unsigned_of(text.substr(0, dot));
  const std::optional<std::uint64_t> minor = unsigned_of(text.substr(dot + 1));
  constexpr std::uint64_t kMaxVersion = 1000;
  if (!major || !minor || *major > kMaxVersion || *minor > kMaxVersion) {
    return tokens.fail_at(value.position, quoted(text) + " is not a version such as 9.0");
  }
  module.version_major = static_cast<unsigned>(*major);
  module.version_minor = static_cast<unsigned>(*minor);
  return true;
}

bool set_address_size(TokenStream& tokens, const Token& value, Module& module) {
  const std::optional<std::uint64_t> bits = unsigned_of(tokens.text(value));
  if (bits != 32 && bits != 64) {
    return tokens.fail_at(value.position, "the address size is neither 32 nor 64");
  }
  module.address_size = static_cast<unsigned>(*bits);
  return true;
}

bool read_module_directive(TokenStream& tokens, Module& module) {
  const Token value = tokens.after_current();
  Directive& directive = std::get<Directive>(module.items.emplace_back(Directive{}));
  if (!read_directive(tokens, directive)) return false;
  if (directive.word == "version") return set_version(tokens, value, module);
  if (directive.word == "address_size") return set_address_size(tokens, value, module);
  if (directive.word == "target" && module.target.empty()) module.target = tokens.text(value);
  return true;
}

bool read_item(TokenStream& tokens, Module& module) {
  const Token first = tokens.current();
  if (first.kind == TokenKind::kDwarf) return read_module_directive(tokens, module);
  bool is_extern = false;
  for (; at_linking(tokens); tokens.advance()) is_extern |= tokens.at_dot_word("extern");
  if (tokens.at_dot_word("entry") || tokens.at_dot_word("func")) {
    return read_function(tokens, first, std::get<Function>(module.items.emplace_back(Function{})));
  }
  const bool is_linked = tokens.current().span.begin != first.span.begin;
  if (is_linked || (tokens.at(TokenKind::kDotWord) && is_space(tokens.dot_word()))) {
    std::vector<Declaration> declarations;
    if (!read_variables(tokens, first, is_extern, declarations)) return false;
    for (Declaration& declaration : declarations) module.items.emplace_back(std::move(declaration));
    return true;
  }
  if (!tokens.at(TokenKind::kDotWord)) return tokens.expected("a directive");
  return read_module_directive(tokens, module);
}

}  // namespace

Result<Module> parse(std::string text) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return Error{"the PTX has 4 GiB or more: burin reads less than that"};
  }
  const auto source = std::make_shared<Source>();
  source->text = std::move(text);
  Module module;
  module.text = std::shared_ptr<const std::string>(source, &source->text);
  TokenStream tokens(*source);
  if (!tokens.at_dot_word("version")) {
    tokens.expected(".version, with which PTX starts");
    return tokens.error();
  }
  while (!tokens.at(TokenKind::kEnd)) {
    if (!read_item(tokens, module)) return tokens.error();
  }
  return module;
}

}  // namespace burin::read::ptx
