#include "machine/load.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "machine/check.h"
#include "machine/embedded.h"
#include "machine/entries.h"
#include "machine/parse_json.h"

namespace burin::machine {
namespace {

using Value = nlohmann::json;

constexpr std::string_view kSchema = "burin.machine/1";

// A value in a message: shortened so that a hostile file cannot flood the terminal, and never a
// tree, whose depth is unbounded.
std::string shown(const Value& value) {
  constexpr std::size_t kMax = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = value.dump(-1, ' ', true, Value::error_handler_t::replace);
  if (text.size() > kMax) text = text.substr(0, kMax) + "…";
  return text;
}

// The first thing that does not fit ends the reading: `error` holds its sentence.
class Reader {
 public:
  explicit Reader(const Value& file) : file_(file) {}

  bool has(const char* key) const { return file_.contains(key); }

  std::string text(const char* key) {
    const Value* value = field(key);
    if (value == nullptr) return {};
    if (!value->is_string()) fail(fmt::format("its {} is {}, not a string", key, shown(*value)));
    return value->is_string() ? value->get<std::string>() : std::string();
  }

  void architecture(Machine& machine) {
    const std::string arch = text("architecture");
    if (const auto parsed = read::parse_architecture(arch); parsed) {
      machine.arch = *parsed;
    } else {
      fail(fmt::format("unknown architecture {}; write it as sm_90", shown(arch)));
    }
  }

  void policy(Machine& machine) {
    const std::string policy = text("policy");
    if (const auto parsed = parse_issue_policy(policy); parsed) {
      machine.issue.policy = *parsed;
    } else {
      fail(fmt::format("unknown policy {}; use {}, {}, {}, {} or {}", shown(policy),
                       name(IssuePolicy::kGreedyOldestBlock), name(IssuePolicy::kGreedyAny),
                       name(IssuePolicy::kGreedyYoungest), name(IssuePolicy::kGreedyOldest),
                       name(IssuePolicy::kRoundRobin)));
    }
  }

  void carve_outs(std::vector<double>& into) {
    const Value* value = field("carve_outs");
    if (value == nullptr) return;
    if (!value->is_array()) return fail("carve_outs is not a list of bytes");
    into.clear();
    for (const Value& size : *value) {
      if (!size.is_number()) return fail(fmt::format("a carve-out is {}", shown(size)));
      into.push_back(size.get<double>());
    }
  }

  void sources(Machine& machine) {
    const Value* value = field("sources");
    if (value == nullptr) return;
    if (!value->is_object()) return fail("sources is not an object of keys and sentences");
    for (const auto& [key, sentence] : value->items()) {
      if (!sentence.is_string()) return fail(fmt::format("source {} is not a string", shown(key)));
      if (machine.is_inherited(key)) {
        return fail(fmt::format("the source {} has a name of the base's sources", shown(key)));
      }
      machine.sources[key] = sentence.get<std::string>();
    }
  }

  void entries(Machine& machine) {
    const Value* value = field("entries");
    if (value == nullptr) return;
    if (!value->is_object()) return fail("entries is not an object");
    for (const auto& [name, entry] : value->items()) take(machine, name, entry);
  }

  bool failed() const { return error_.has_value(); }
  Error error() const { return {*error_}; }
  void fail(std::string sentence) {
    if (!error_) error_ = std::move(sentence);
  }

 private:
  const Value* field(const char* key) {
    const auto found = file_.find(key);
    if (found != file_.end()) return &*found;
    fail(fmt::format("{} is missing", key));
    return nullptr;
  }

  void take(Machine& machine, const std::string& name, const Value& value) {
    const auto known = machine_entries();
    const auto entry =
        std::ranges::find_if(known, [&](const MachineEntry& e) { return e.name == name; });
    if (entry == known.end()) return unknown(name);
    if (!value.is_object()) return fail(fmt::format("{} is {}, not an object", name, shown(value)));
    Machine::Origin origin;
    for (const auto& [key, part] : value.items()) {
      if (key == "value" && part.is_number()) {
        entry->in(machine) = part.get<double>();
      } else if (key == "source" && part.is_string()) {
        origin.source = part.get<std::string>();
      } else if (key == "spread" && part.is_number()) {
        origin.spread = part.get<double>();
      } else {
        return fail(fmt::format(
            "{} has {} {}: expected a number as value and spread and a string as source", name,
            shown(key), shown(part)));
      }
    }
    if (!value.contains("value")) return fail(fmt::format("{} has no value", name));
    if (!machine.sources.contains(origin.source) || machine.is_inherited(origin.source)) {
      return fail(origin.source.empty()
                      ? fmt::format("{} has no source", name)
                      : fmt::format("the source {} of {} is not listed in sources",
                                    shown(origin.source), name));
    }
    machine.origins[name] = origin;
  }

  void unknown(const std::string& name) {
    std::vector<std::string> names;
    for (const MachineEntry& entry : machine_entries()) names.push_back(entry.name);
    const std::string meant = closest(name, names);
    fail(fmt::format("unknown entry {}{}", shown(name),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }

  const Value& file_;
  std::optional<std::string> error_;
};

const EmbeddedMachine* find_embedded(std::string_view name) {
  const auto all = embedded_machines();
  const auto found =
      std::ranges::find(all, std::string_view(lower_case(name)), &EmbeddedMachine::name);
  return found == all.end() ? nullptr : &*found;
}

// What a variant starts from: every entry is the base's, and its source says so.
Machine inherited(const Machine& base) {
  Machine machine = base;
  machine.base = base.name;
  machine.sources.clear();
  for (const auto& [key, sentence] : base.sources) {
    machine.sources[fmt::format("{}:{}", base.name, key)] =
        fmt::format("taken from {}: {}", base.name, sentence);
  }
  for (auto& [name, origin] : machine.origins) {
    origin.source = fmt::format("{}:{}", base.name, origin.source);
  }
  machine.sources["validation"] =
      fmt::format("not compared with times of this GPU; a variant of {}", base.name);
  return machine;
}

Result<Machine> parse_base(std::string_view name, const std::string& variant) {
  if (lower_case(name) == lower_case(variant)) {
    return Error{
        fmt::format("its base is {}, itself; name the machine that it varies", shown(name))};
  }
  const EmbeddedMachine* embedded = find_embedded(name);
  if (embedded == nullptr) {
    const std::vector<std::string> names = known_machines();
    return Error{fmt::format("its base {} is unknown; burin has {}", shown(name),
                             list_of(names, names.size()))};
  }
  const Result<Value> file = parse_json(embedded->text);
  if (file && file->contains("base")) {
    return Error{fmt::format("its base {} is a variant itself, of {}; start from that one",
                             shown(name), shown(file->at("base")))};
  }
  return parse_machine(embedded->text);
}

// The SM clock that a variant gives itself; none if it keeps the base's.
std::optional<double> clock_of(const Value& file) {
  const nlohmann::json::json_pointer place("/entries/sm.clock_mhz/value");
  if (!file.contains(place) || !file.at(place).is_number()) return std::nullopt;
  return file.at(place).get<double>();
}

}  // namespace

Result<Machine> parse_machine(std::string_view text) {
  const Result<Value> file = parse_json(text);
  if (!file) return file.error();
  if (!file->is_object()) return Error{"it is not a JSON object; a machine file is one"};
  Reader reader(*file);
  const std::string schema = reader.text("schema");
  if (!reader.failed() && schema != kSchema) {
    return Error{fmt::format("its schema is {}; this burin reads {}", shown(schema), kSchema)};
  }
  Machine machine;
  const std::string own_name = reader.text("name");
  const bool is_variant = reader.has("base");
  if (is_variant) {
    const std::string wanted = reader.text("base");
    if (reader.failed()) return reader.error();
    const Result<Machine> base = parse_base(wanted, own_name);
    if (!base) return base.error();
    machine = inherited(base->at_clock(clock_of(*file).value_or(base->sm.clock_mhz)));
  }
  machine.name = own_name;
  machine.title = reader.text("title");
  if (!is_variant || reader.has("architecture")) reader.architecture(machine);
  if (!is_variant || reader.has("policy")) reader.policy(machine);
  if (!is_variant || reader.has("carve_outs")) reader.carve_outs(machine.limit.carve_outs);
  reader.sources(machine);
  reader.entries(machine);
  if (reader.failed()) return reader.error();
  if (const MachineCheck check = check_machine(machine); !check.ok())
    return Error{check.sentence()};
  return machine;
}

std::vector<std::string> known_machines() {
  std::vector<std::string> names;
  for (const EmbeddedMachine& machine : embedded_machines()) names.emplace_back(machine.name);
  return names;
}

Result<Machine> load_machine(std::string_view name_or_path) {
  const std::string given(name_or_path);
  if (const EmbeddedMachine* embedded = find_embedded(name_or_path); embedded != nullptr) {
    const Result<Machine> parsed = parse_machine(embedded->text);
    return parsed ? parsed : parsed.error().within(given + " (built in)");
  }
  if (!name_or_path.ends_with(".json") && given.find('/') == given.npos) {
    const std::vector<std::string> names = known_machines();
    return Error{fmt::format(
        "unknown machine '{}': burin knows {}; pass a file of your own by path, NAME.json", given,
        list_of(names, names.size()))};
  }
  const Result<MappedFile> file = MappedFile::open(given);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  const Result<Machine> parsed =
      parse_machine({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return parsed ? parsed : parsed.error().within(given);
}

}  // namespace burin::machine
