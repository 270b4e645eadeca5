#include "tune/formats/export_winners.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "tune/formats/export_values.h"

namespace burin::tune {
namespace {

using formula::Value;

// Sorted: words that C++ or the header itself takes.
constexpr std::array<std::string_view, 42> kTakenWords = {
    "Config", "Entry",    "auto",     "bool",     "break",     "case",   "char",
    "class",  "const",    "continue", "default",  "delete",    "do",     "double",
    "else",   "enum",     "explicit", "extern",   "float",     "for",    "if",
    "inline", "int",      "long",     "mutable",  "namespace", "new",    "operator",
    "public", "register", "return",   "short",    "signed",    "static", "struct",
    "switch", "template", "this",     "unsigned", "using",     "void",   "while"};

bool is_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return false;
  return std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// The name with everything else than letters, digits and single underscores left out.
std::string identifier(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool keep = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (keep) {
      made += c;
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  while (made.ends_with('_')) made.pop_back();
  if (made.empty() || std::isdigit(static_cast<unsigned char>(made.front())) != 0)
    made = "p" + made;
  if (std::ranges::binary_search(kTakenWords, std::string_view(made))) made += '_';
  return made;
}

// Identifiers for all names, each different from the others.
std::vector<std::string> identifiers(std::span<const std::string> names) {
  std::vector<std::string> made;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const bool as_is =
        is_identifier(name) && !std::ranges::binary_search(kTakenWords, std::string_view(name));
    const std::string base = as_is ? name : identifier(name);
    std::string unique = base;
    for (int k = 2; !taken.insert(unique).second; ++k) unique = fmt::format("{}_{}", base, k);
    made.push_back(std::move(unique));
  }
  return made;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

enum class CppType : std::uint8_t { kBool, kInt, kLong, kDouble, kText };

std::string_view type_name(CppType type) {
  constexpr std::array<std::string_view, 5> kNames = {"bool", "int", "long long", "double",
                                                      "const char*"};
  return kNames[static_cast<std::size_t>(type)];
}

// The type that holds all of these values. Text and numbers together are text.
CppType type_of(std::span<const Value> values) {
  CppType type = CppType::kBool;
  for (const Value& value : values) {
    CppType needed = CppType::kBool;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      const bool is_int =
          *whole >= std::numeric_limits<int>::min() && *whole <= std::numeric_limits<int>::max();
      needed = is_int ? CppType::kInt : CppType::kLong;
    }
    if (std::holds_alternative<double>(value)) needed = CppType::kDouble;
    if (std::holds_alternative<std::string>(value)) needed = CppType::kText;
    type = std::max(type, needed);
  }
  return type;
}

std::string text_literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {  // "??=" would be a trigraph
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20 || code == 0x7f) {
      quoted += fmt::format("\\{:03o}", code);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string cpp_literal(const Value& value, CppType type) {
  if (type == CppType::kText) return text_literal(formula::plain_text(value));
  if (type == CppType::kBool) return std::get<bool>(value) ? "true" : "false";
  if (type == CppType::kDouble) {
    const double number = formula::number(value).value_or(0);
    if (std::isfinite(number)) return formula::plain_text(Value{number});
    return fmt::format("{}__builtin_{}()", std::signbit(number) ? "-" : "",
                       std::isnan(number) ? "nan(\"\")" : "huge_val");
  }
  const std::int64_t number = formula::integer(value).value_or(0);
  if (number == std::numeric_limits<std::int64_t>::min()) return "-9223372036854775807LL - 1";
  return fmt::format("{}{}", number, type == CppType::kLong ? "LL" : "");
}

std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20; }, ' ');
  if (text.ends_with('\\')) text += ' ';  // would continue the comment
  return text;
}

// Everything that the parts of the header share.
class HeaderWriter {
 public:
  explicit HeaderWriter(const WinningConfigs& winners) : winners_(winners) {
    std::vector<std::string> names;
    for (const Parameter& parameter : winners.parameters) {
      names.push_back(parameter.name);
      types_.push_back(type_of(parameter.values));
    }
    members_ = identifiers(names);
    names.clear();
    if (!winners.winners.empty()) {
      for (const auto& [name, value] : winners.winners.front().problem_size) {
        std::vector<Value> values;
        for (const WinningConfig& winner : winners.winners) {
          if (const auto found = winner.problem_size.find(name);
              found != winner.problem_size.end()) {
            values.push_back(found->second);
          }
        }
        size_names_.push_back(name);
        // A caller has 64-bit sizes, whatever was tuned.
        const CppType type = type_of(values);
        size_types_.push_back(type == CppType::kInt ? CppType::kLong : type);
      }
    }
    // "device" and "config" are members of the same struct.
    names = {"device", "config", "time_us"};
    names.insert(names.end(), size_names_.begin(), size_names_.end());
    sizes_ = identifiers(names);
    sizes_.erase(sizes_.begin(), sizes_.begin() + 3);
    space_ = identifier(lower_case(winners.kernel)) + "_tuned";
    macro_ = upper_case(space_);
    names.clear();
    for (const WinningConfig& winner : winners.winners) names.push_back(entry_name(winner));
    entries_ = identifiers(names);
  }

  std::string write() const {
    std::string text = fmt::format(
        "// The tuned configurations of the kernel {}. Written by {}: DO NOT EDIT.\n"
        "//\n"
        "// Entries, by number:\n",
        one_line(winners_.kernel), one_line(winners_.made_by));
    for (std::size_t k = 0; k < winners_.winners.size(); ++k) {
      text += fmt::format("//   {}: {}\n", k, describe_entry(winners_.winners[k]));
    }
    text += fmt::format(
        "//\n"
        "// In the kernel's source, define {} as one of these numbers before including this\n"
        "// file: it then defines the tunable parameters as macros, and nothing else.\n",
        macro_);
    text += fmt::format("#if defined({})\n\n{}\n#elif !defined({}_H)\n#define {}_H\n\n{}\n#endif\n",
                        macro_, macros(), macro_, macro_, declarations());
    return text;
  }

 private:
  static std::string entry_name(const WinningConfig& winner) {
    std::string name = lower_case(winner.device);
    for (const auto& [size, value] : winner.problem_size) {
      name += ' ' + size + ' ' + formula::plain_text(value);
    }
    return identifier(name);
  }

  static std::string describe_entry(const WinningConfig& winner) {
    std::string text = winner.device;
    for (const auto& [name, value] : winner.problem_size) {
      text += fmt::format(", {}={}", name, formula::plain_text(value));
    }
    text += fmt::format(": {} µs", winner.time_us);
    if (winner.confidence) {
      text += fmt::format(", best within 1 % with probability {:.2f}", *winner.confidence);
    }
    return one_line(text);
  }

  const Value& value(const WinningConfig& winner, std::size_t parameter) const {
    return winners_.parameters[parameter].values[winner.point[parameter]];
  }

  std::string macros() const {
    std::string text;
    for (std::size_t k = 0; k < winners_.winners.size(); ++k) {
      text += fmt::format("#{} {} == {}  // {}\n", k == 0 ? "if" : "elif", macro_, k,
                          describe_entry(winners_.winners[k]));
      for (std::size_t p = 0; p < members_.size(); ++p) {
        const std::string& name = winners_.parameters[p].name;
        if (!is_identifier(name)) continue;  // a compiler option: no kernel can use its name
        // Named twice, as on the command line, it must not be an error.
        text += fmt::format("#undef {}\n#define {} {}\n", name, name,
                            one_line(formula::plain_text(value(winners_.winners[k], p))));
      }
    }
    if (text.empty()) return "#error \"nothing was tuned\"\n";
    return text +
           fmt::format("#else\n#error \"{} is not the number of an entry\"\n#endif\n", macro_);
  }

  std::string declarations() const {
    std::string text = fmt::format("namespace {} {{\n\nstruct Config {{\n", space_);
    for (std::size_t p = 0; p < members_.size(); ++p) {
      text += fmt::format("  {} {};\n", type_name(types_[p]), members_[p]);
    }
    text += "};\n\nstruct Entry {\n  const char* device;\n";
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      text += fmt::format("  {} {};\n", type_name(size_types_[s]), sizes_[s]);
    }
    text += fmt::format(
        "  Config config;\n  double time_us;\n}};\n\ninline constexpr int kEntries "
        "= {};\n",
        winners_.winners.size());
    if (winners_.winners.empty()) return text + closing();
    text += "inline constexpr Entry kTable[] = {\n";
    for (const WinningConfig& winner : winners_.winners) text += "    " + row(winner) + ",\n";
    text += "};\n\n" + find_function();
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      text += fmt::format("\nnamespace {} {{\n", entries_[k]);
      for (std::size_t p = 0; p < members_.size(); ++p) {
        text += fmt::format("inline constexpr {} {} = {};\n", type_name(types_[p]), members_[p],
                            cpp_literal(value(winners_.winners[k], p), types_[p]));
      }
      text += fmt::format("}}  // namespace {}\n", entries_[k]);
    }
    return text + closing();
  }

  std::string closing() const { return fmt::format("\n}}  // namespace {}\n", space_); }

  std::string row(const WinningConfig& winner) const {
    std::vector<std::string> cells = {text_literal(winner.device)}, config;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const auto size = winner.problem_size.find(size_names_[s]);
      cells.push_back(
          size == winner.problem_size.end() ? "{}" : cpp_literal(size->second, size_types_[s]));
    }
    for (std::size_t p = 0; p < members_.size(); ++p) {
      config.push_back(cpp_literal(value(winner, p), types_[p]));
    }
    cells.push_back(fmt::format("{{{}}}", fmt::join(config, ", ")));
    cells.push_back(formula::plain_text(Value{winner.time_us}));
    return fmt::format("{{{}}}", fmt::join(cells, ", "));
  }

  std::string find_function() const {
    std::string parameters = "const char* device", matches = "same_text(entry_.device, device)";
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      parameters += fmt::format(", {} {}", type_name(size_types_[s]), sizes_[s]);
      matches += size_types_[s] == CppType::kText
                     ? fmt::format(" && same_text(entry_.{0}, {0})", sizes_[s])
                     : fmt::format(" && entry_.{0} == {0}", sizes_[s]);
    }
    return fmt::format(
        "constexpr bool same_text(const char* a, const char* b) {{\n"
        "  for (; *a != 0 && *a == *b; ++a) ++b;\n"
        "  return *a == *b;\n"
        "}}\n\n"
        "// The entry of exactly this device and problem size; null if there is none.\n"
        "constexpr const Entry* find({}) {{\n"
        "  for (const Entry& entry_ : kTable) {{\n"
        "    if ({}) return &entry_;\n"
        "  }}\n"
        "  return nullptr;\n"
        "}}\n",
        parameters, matches);
  }

  const WinningConfigs& winners_;
  std::vector<CppType> types_, size_types_;
  std::vector<std::string> members_, size_names_, sizes_, entries_;
  std::string space_, macro_;
};

}  // namespace

std::string winners_header(const WinningConfigs& winners) {
  return HeaderWriter(winners).write();
}

std::string winners_json(const WinningConfigs& winners) {
  OrderedJson tuned = OrderedJson::array();
  for (const WinningConfig& winner : winners.winners) {
    OrderedJson sizes = OrderedJson::object(), config = OrderedJson::object();
    for (const auto& [name, value] : winner.problem_size) sizes[name] = json_value(value);
    for (std::size_t k = 0; k < winner.point.size(); ++k) {
      const Parameter& parameter = winners.parameters[k];
      config[parameter.name] = json_value(parameter.values[winner.point[k]]);
    }
    OrderedJson entry = {{"device", winner.device},
                         {"problem_size", std::move(sizes)},
                         {"config", std::move(config)},
                         {"time_us", winner.time_us}};
    if (winner.confidence) entry["confidence"] = *winner.confidence;
    tuned.push_back(std::move(entry));
  }
  return json_text({{"schema", "burin.tuned/1"},
                    {"kernel", winners.kernel},
                    {"made_by", winners.made_by},
                    {"tuned", std::move(tuned)}},
                   2) +
         '\n';
}

}  // namespace burin::tune
