#include "tune/formats/t1_fields.h"

#include "base/format.h"
#include "base/text.h"

namespace burin::tune {

using formula::Expression;
using formula::Template;
using formula::Value;

const T1Json* member_of(const T1Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

void T1Fields::fail(const std::string& field, const std::string& problem) {
  if (!error_) error_ = Error{fmt::format("{}: {}: {}", path_, field, problem), Exit::kInput};
}

const T1Json& T1Fields::object(const T1Json& parent, const std::string& field,
                               std::string_view key) {
  static const T1Json kEmpty = T1Json::object();
  const T1Json* found = member_of(parent, key);
  if (found != nullptr && found->is_object()) return *found;
  fail(field, found == nullptr ? "the field is missing" : "an object is needed");
  return kEmpty;
}

const T1Json& T1Fields::array(const T1Json& parent, const std::string& field,
                              std::string_view key) {
  static const T1Json kEmpty = T1Json::array();
  const T1Json* found = member_of(parent, key);
  if (found == nullptr) return kEmpty;
  if (!found->is_array()) fail(field, "a list is needed");
  return found->is_array() ? *found : kEmpty;
}

std::string T1Fields::text(const T1Json& parent, const std::string& field, std::string_view key,
                           bool needed) {
  const T1Json* found = member_of(parent, key);
  if (found != nullptr && found->is_string()) return found->get<std::string>();
  if (found != nullptr) fail(field, "a text is needed");
  if (needed) fail(field, "the field is missing");
  return "";
}

std::optional<Value> T1Fields::value(const T1Json& json, const std::string& field) {
  if (json.is_boolean()) return Value{json.get<bool>()};
  if (json.is_string()) return Value{json.get<std::string>()};
  if (json.is_number_unsigned() && json.get<std::uint64_t>() >> 63 != 0) {
    return Value{json.get<double>()};
  }
  if (json.is_number_integer()) return Value{json.get<std::int64_t>()};
  if (json.is_number_float()) return Value{json.get<double>()};
  fail(field, "a number, a boolean or a text is needed");
  return std::nullopt;
}

Expression T1Fields::expression(const T1Json& json, const std::string& field) {
  const std::optional<Value> found = value(json, field);
  if (!found) return {};
  const auto* written = std::get_if<std::string>(&*found);
  return parse(written != nullptr ? *written : formula::to_string(*found), field);
}

Expression T1Fields::parse(const std::string& text, const std::string& field) {
  Result<Expression> parsed = Expression::parse(text);
  if (!parsed) {
    fail(field, parsed.error());
    return {};
  }
  if (Result<void> checked = parsed->check_names(known); !checked) fail(field, checked.error());
  return std::move(*parsed);
}

Template T1Fields::text_template(const std::string& text, const std::string& field) {
  Result<Template> parsed = Template::parse(text);
  if (!parsed) {
    fail(field, parsed.error());
    return *Template::parse("");
  }
  if (Result<void> checked = parsed->check_names(known); !checked) fail(field, checked.error());
  return std::move(*parsed);
}

std::vector<Expression> T1Fields::expressions(const T1Json& json, const std::string& field) {
  std::vector<Expression> found;
  if (json.is_array()) {
    for (const T1Json& element : json) found.push_back(expression(element, field));
    return found;
  }
  if (json.is_string()) {
    const std::string written = json.get<std::string>();
    const std::size_t begin = written.find_first_not_of(' ');
    const std::size_t end = written.find_last_not_of(' ');
    if (begin != std::string::npos && written[begin] == '[' && written[end] == ']') {
      for (const std::string_view part :
           split(std::string_view(written).substr(begin + 1, end - begin - 1), ',')) {
        found.push_back(parse(std::string(part), field));
      }
      return found;
    }
  }
  found.push_back(expression(json, field));
  return found;
}

std::string T1Fields::file_path(const std::string& name) const {
  if (name.empty() || name.starts_with('/')) return name;
  return path_.substr(0, path_.find_last_of('/') + 1) + name;
}

}  // namespace burin::tune
