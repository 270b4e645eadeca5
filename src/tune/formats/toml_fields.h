// The fields of a TOML document: values, expressions and lists of them, each Error with its line.
//
//   TomlFields fields("gemm.toml");
//   fields.only(table, "launch", {"grid", "block"});
//   std::vector<Expression> grid = fields.expressions_of(table.get("grid"), "launch.grid");
//   if (fields.error()) return *fields.error();   // gemm.toml:7: launch.grid: column 9: …
//
// The first error is kept; what is read after it is of no consequence.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "formula/template.h"
#include "tune/formats/toml.h"

namespace burin::tune {

class TomlFields {
 public:
  explicit TomlFields(std::string path) : path_(std::move(path)) {}

  const std::optional<Error>& error() const { return error_; }
  const std::string& path() const { return path_; }

  void fail(const toml::node* at, const std::string& field, const std::string& problem);

  // An Error of check_spec() starts with the name of the field.
  Error with_line(const Error& error) const;

  // Fails for fields that are not known.
  void only(const toml::table& table, const std::string& field,
            std::initializer_list<std::string_view> known);
  const toml::table* table(const toml::table& parent, std::string_view key,
                           const std::string& field);
  // In the order of the file, which TOML's own tables do not keep.
  using Entry = std::pair<std::string, const toml::node*>;
  static std::vector<Entry> in_order(const toml::table& table);

  std::string text_of(const toml::node& node, const std::string& field);
  std::optional<formula::Value> value_of(const toml::node& node, const std::string& field);
  std::optional<formula::Expression> expression_of(const toml::node& node,
                                                   const std::string& field);
  std::optional<formula::Template> template_of(const toml::node& node, const std::string& field);
  std::string file_path(const std::string& name) const;

  // Calls `read` for each element of an array, or for the node itself if it is none.
  void each(const toml::node& node, const std::string& field,
            const std::function<void(const toml::node&)>& read);
  std::vector<formula::Expression> expressions_of(const toml::node* node, const std::string& field);
  std::vector<formula::Template> templates_of(const toml::node* node, const std::string& field);

  // For with_line().
  void keep_line(const std::string& field, const toml::node& node) {
    lines_[field] = node.source().begin.line;
  }

 private:
  std::string path_;
  std::map<std::string, unsigned> lines_;  // of fields, by their full names
  std::optional<Error> error_;
};

}  // namespace burin::tune
