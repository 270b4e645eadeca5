#include "advise/compare/advice_record.h"

#include <nlohmann/json.hpp>

#include "advise/compare/kernel_facts.h"
#include "analyze/code/code_place.h"
#include "base/format.h"
#include "base/sha256.h"
#include "machine/parse_json.h"
#include "read/program/names.h"

namespace burin::advise {
namespace {

using Document = nlohmann::json;

constexpr std::string_view kSchema = "burin.advise/1";

Error damaged(const std::string& what) {
  return Error{"is not output of `burin advise --json`: " + what};
}

// The number at `key`, nothing where there is none.
std::optional<double> number_at(const Document& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string text_at(const Document& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<RecordedFinding> read_finding(const Document& object) {
  RecordedFinding finding{.rule = text_at(object, "rule")};
  const std::optional<double> speedup = number_at(object, "speedup");
  if (finding.rule.empty() || !speedup) {
    return damaged("a finding lacks its rule or its speedup");
  }
  finding.speedup = *speedup;
  finding.fingerprint = text_at(object, "fingerprint");
  const auto where = object.find("where");
  if (where != object.end() && where->is_object()) {
    finding.file = file_name(text_at(*where, "file"));
    const double line = number_at(*where, "line").value_or(0);
    if (line > 0 && line < 1e9) finding.line = static_cast<std::uint32_t>(line);
  }
  return finding;
}

Result<AdviceRecord> read_record(const Document& object) {
  if (!object.is_object() || text_at(object, "schema") != kSchema) {
    return damaged(fmt::format("its schema is not {}", kSchema));
  }
  AdviceRecord record{.kernel = text_at(object, "kernel")};
  if (record.kernel.empty()) return damaged("the kernel name is missing");
  const auto callers = object.find("callers");
  if (callers != object.end() && callers->is_array() && callers->size() == 1) {
    if (callers->front().is_object()) record.caller = text_at(callers->front(), "place");
  }
  if (const auto time = number_at(object, "time_us")) record.measures["time"] = *time;
  for (const auto& [section, to] :
       {std::pair("resources", &record.measures), std::pair("stalls", &record.stalls)}) {
    const auto found = object.find(section);
    if (found == object.end() || !found->is_object()) continue;
    for (const auto& [key, value] : found->items()) {
      if (value.is_number()) (*to)[key] = value.get<double>();
    }
  }
  const auto findings = object.find("findings");
  if (findings == object.end() || !findings->is_array()) return damaged("the findings are missing");
  for (const Document& each : *findings) {
    if (!each.is_object()) return damaged("a finding is not an object");
    Result<RecordedFinding> finding = read_finding(each);
    if (!finding) return finding.error();
    record.findings.push_back(std::move(*finding));
  }
  return record;
}

}  // namespace

std::string fingerprint(const read::Kernel& kernel, read::SourceText& source,
                        const Finding& finding) {
  std::string text = finding.rule + '\n' + kernel.function->name + '\n';
  if (finding.where != read::kNoIndex) {
    const analyze::CodePlace place = analyze::code_place(kernel, finding.where);
    const std::string_view line = source.line(std::string(place.file), place.line);
    text += file_name(place.file);
    text += '\n';
    // Line numbers and code offsets change; the text of the line is the most stable key.
    text += line.empty() ? place.name() : std::string(line);
  }
  Sha256 hash;
  hash.add(text);
  return hash.hex().substr(0, 16);
}

AdviceRecord record_of(const Case& c, const Advice& advice, read::SourceText& source) {
  AdviceRecord record{.kernel = c.kernel.function->name};
  if (c.time_us) record.measures["time"] = *c.time_us;
  record.measures["registers"] = static_cast<double>(c.needs.registers);
  record.measures["shared"] = static_cast<double>(c.needs.shared);
  record.measures["local"] = c.kernel.function->local_bytes;
  record.measures["spills"] = static_cast<double>(spills_of(c.kernel));
  record.measures["occupancy"] = static_cast<double>(c.occupancy.warps) / c.machine.limit.warps;
  for (const BlamedStall& stall : c.blamed.stalls) {
    if (c.blamed.total <= 0) break;
    record.stalls[std::string(launch::name(stall.stall))] += stall.cycles.sum() / c.blamed.total;
  }
  for (const Finding& finding : advice.findings) {
    RecordedFinding made{.rule = finding.rule, .speedup = finding.speedup};
    if (finding.where != read::kNoIndex) {
      const analyze::CodePlace place = analyze::code_place(c.kernel, finding.where);
      made.file = file_name(place.file);
      made.line = place.line;
    }
    made.fingerprint = fingerprint(c.kernel, source, finding);
    record.findings.push_back(std::move(made));
  }
  return record;
}

Result<std::vector<AdviceRecord>> read_records(std::string_view json) {
  const Result<Document> parsed = machine::parse_json(json);
  if (!parsed) return parsed.error();
  const Document& document = *parsed;
  std::vector<AdviceRecord> records;
  const auto read = [&](const Document& each) -> Result<void> {
    Result<AdviceRecord> record = read_record(each);
    if (!record) return record.error();
    records.push_back(std::move(*record));
    return {};
  };
  if (!document.is_array()) {
    if (Result<void> done = read(document); !done) return done.error();
    return records;
  }
  for (const Document& each : document) {
    if (Result<void> done = read(each); !done) return done.error();
  }
  return records;
}

}  // namespace burin::advise
