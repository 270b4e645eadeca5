#include "tune/formats/toml_fields.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace burin::tune {

void TomlFields::fail(const toml::node* at, const std::string& field, const std::string& problem) {
  if (error_) return;
  const auto line = at->source().begin.line;
  error_ = Error{line == 0 ? fmt::format("{}: {}: {}", path_, field, problem)
                           : fmt::format("{}:{}: {}: {}", path_, line, field, problem),
                 Exit::kInput};
}

Error TomlFields::with_line(const Error& error) const {
  const auto known = lines_.find(error.message.substr(0, error.message.find(':')));
  return error.within(known == lines_.end() ? path_ : fmt::format("{}:{}", path_, known->second));
}

void TomlFields::only(const toml::table& table, const std::string& field,
                      std::initializer_list<std::string_view> known) {
  for (const auto& [name, node] : in_order(table)) {
    const std::string full = field.empty() ? name : field + "." + name;
    keep_line(full, *node);
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string like = closest(name, names);
    fail(node, full,
         like.empty() ? fmt::format("there is no such field; known are {}", list_of(names, 20))
                      : fmt::format("there is no such field; did you mean {}?", like));
  }
}

const toml::table* TomlFields::table(const toml::table& parent, std::string_view key,
                                     const std::string& field) {
  const toml::node* node = parent.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) fail(node, field, "a table is needed");
  return node->as_table();
}

std::vector<TomlFields::Entry> TomlFields::in_order(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  std::ranges::stable_sort(entries, {}, [](const auto& entry) {
    const toml::source_position at = entry.first->source().begin;
    return std::pair(at.line, at.column);
  });
  std::vector<Entry> named;
  for (const auto& [key, node] : entries) named.emplace_back(std::string(key->str()), node);
  return named;
}

std::string TomlFields::text_of(const toml::node& node, const std::string& field) {
  const auto* text = node.as_string();
  if (text == nullptr) {
    fail(&node, field, "a text in quotes is needed");
    return "";
  }
  return text->get();
}

std::optional<formula::Value> TomlFields::value_of(const toml::node& node,
                                                   const std::string& field) {
  if (const auto* flag = node.as_boolean()) return formula::Value{flag->get()};
  if (const auto* whole = node.as_integer()) return formula::Value{std::int64_t{whole->get()}};
  if (const auto* real = node.as_floating_point()) return formula::Value{real->get()};
  if (const auto* text = node.as_string()) return formula::Value{text->get()};
  fail(&node, field, "a number, a boolean or a text is needed");
  return std::nullopt;
}

// A number counts as the expression that writes it: grid = [64, 1].
std::optional<formula::Expression> TomlFields::expression_of(const toml::node& node,
                                                             const std::string& field) {
  const std::optional<formula::Value> value = value_of(node, field);
  if (!value) return std::nullopt;
  Result<formula::Expression> expression = formula::Expression::parse(
      node.is_string() ? formula::plain_text(*value) : formula::to_string(*value));
  if (!expression) {
    fail(&node, field, expression.error().message);
    return std::nullopt;
  }
  return std::move(*expression);
}

std::optional<formula::Template> TomlFields::template_of(const toml::node& node,
                                                         const std::string& field) {
  Result<formula::Template> text = formula::Template::parse(text_of(node, field));
  if (!text) {
    fail(&node, field, text.error().message);
    return std::nullopt;
  }
  return std::move(*text);
}

std::string TomlFields::file_path(const std::string& name) const {
  if (name.starts_with('/')) return name;
  return path_.substr(0, path_.find_last_of('/') + 1) + name;
}

void TomlFields::each(const toml::node& node, const std::string& field,
                      const std::function<void(const toml::node&)>& read) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return read(node);
  if (array->empty()) return fail(&node, field, "the list is empty");
  for (const toml::node& element : *array) read(element);
}

std::vector<formula::Expression> TomlFields::expressions_of(const toml::node* node,
                                                            const std::string& field) {
  std::vector<formula::Expression> expressions;
  if (node == nullptr) return expressions;
  each(*node, field, [&](const toml::node& element) {
    if (auto expression = expression_of(element, field)) {
      expressions.push_back(std::move(*expression));
    }
  });
  return expressions;
}

std::vector<formula::Template> TomlFields::templates_of(const toml::node* node,
                                                        const std::string& field) {
  std::vector<formula::Template> texts;
  if (node == nullptr) return texts;
  each(*node, field, [&](const toml::node& element) {
    if (auto text = template_of(element, field)) texts.push_back(std::move(*text));
  });
  return texts;
}

}  // namespace burin::tune
