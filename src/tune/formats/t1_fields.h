// Reads the fields of a T1 file: each with its full name, for errors, and with the type it must
// have.
//
//   T1Fields in("add.json");
//   in.known = {"n"};
//   in.text(kernel, "KernelSpecification.KernelName", "KernelName");
//   in.expression(kernel["SharedMemory"], "KernelSpecification.SharedMemory");
//   if (in.error()) return *in.error();    // add.json: KernelSpecification.SharedMemory: …
//
// The first error is kept; what follows it is of no consequence.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "formula/template.h"

namespace burin::tune {

using T1Json = nlohmann::json;

// nullptr if the field is missing or null.
const T1Json* member_of(const T1Json& object, std::string_view key);

class T1Fields {
 public:
  explicit T1Fields(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  std::vector<std::string> known{};  // names that expressions may use

  void fail(const std::string& field, const std::string& problem);
  void fail(const std::string& field, const Error& error) { fail(field, error.message); }
  const std::optional<Error>& error() const { return error_; }

  // The member `key` of `parent`, with the full name `field`. A missing object or needed text is an
  // error; a missing list is empty, and so is whatever comes with an error.
  const T1Json& object(const T1Json& parent, const std::string& field, std::string_view key);
  const T1Json& array(const T1Json& parent, const std::string& field, std::string_view key);
  std::string text(const T1Json& parent, const std::string& field, std::string_view key,
                   bool needed = true);

  std::optional<formula::Value> value(const T1Json& json, const std::string& field);

  // A number, or a text that is an expression of known names.
  formula::Expression expression(const T1Json& json, const std::string& field);
  formula::Expression parse(const std::string& text, const std::string& field);
  formula::Template text_template(const std::string& text, const std::string& field);
  // "a", ["a", 2] or the text "[a, 2]".
  std::vector<formula::Expression> expressions(const T1Json& json, const std::string& field);

  std::string file_path(const std::string& name) const;  // relative to the folder of the T1 file

 private:
  std::string path_;
  std::optional<Error> error_{};
};

}  // namespace burin::tune
