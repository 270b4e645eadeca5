#include "report/advice/sarif.h"

#include <filesystem>

#include "advise/compare/advice_record.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

constexpr double kError = 1.5;
constexpr double kWarning = 1.1;
constexpr const char* kRootName = "%SRCROOT%";

// A path as a URI reference, with reserved characters escaped.
std::string as_uri(std::string_view path) {
  static constexpr std::string_view kPlain = "-._~/+@:,";
  std::string uri;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || kPlain.find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

void write_text(Json& json, std::string_view key, std::string_view text) {
  json.open(key, '{');
  json.field("text", text);
  json.close();
}

void write_location(Json& json, const std::string& root, const analyze::CodePlace& place,
                    std::string_view kernel) {
  json.open('{');
  if (!place.file.empty()) {
    json.open("physicalLocation", '{');
    json.open("artifactLocation", '{');
    json.field("uri", as_uri(path_below(root, std::string(place.file))));
    json.field("uriBaseId", kRootName);
    json.close();
    json.open("region", '{');
    json.field("startLine", std::max(place.line, 1u));
    json.close();
    json.close();
  }
  json.open("logicalLocations", '[');
  json.open('{');
  json.field("fullyQualifiedName", kernel);
  json.field("kind", "function");
  json.close();
  json.close();
  json.close();
}

}  // namespace

std::string_view sarif_level(double speedup) {
  return speedup >= kError ? "error" : speedup >= kWarning ? "warning" : "note";
}

std::string path_below(const std::string& root, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path whole = fs::path(path).lexically_normal();
  const fs::path below = fs::weakly_canonical(root, ignored);
  const fs::path relative = whole.is_absolute() ? whole.lexically_relative(below) : whole;
  if (!relative.empty() && *relative.begin() != ".." && relative != ".") {
    return relative.generic_string();
  }
  fs::path rest = whole.relative_path();
  while (!rest.empty()) {
    if (fs::exists(below / rest, ignored) && *rest.begin() != "..") return rest.generic_string();
    fs::path shorter;
    for (auto part = std::next(rest.begin()); part != rest.end(); ++part) shorter /= *part;
    rest = shorter;
  }
  return whole.filename().generic_string();
}

void Sarif::begin(std::span<const advise::Rule* const> rules, std::string_view version) {
  json_.open('{');
  json_.field("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  json_.field("version", "2.1.0");
  json_.open("runs", '[');
  json_.open('{');
  json_.open("tool", '{');
  json_.open("driver", '{');
  json_.field("name", "burin");
  json_.field("version", version);
  json_.open("rules", '[');
  for (const advise::Rule* rule : rules) {
    json_.open('{');
    json_.field("id", rule->id());
    write_text(json_, "shortDescription", rule->summary());
    write_text(json_, "help",
               fmt::format("{}. docs/advise.md explains what it matches, how its speedup is "
                           "estimated and how to fix it.",
                           rule->summary()));
    json_.close();
  }
  json_.close();
  json_.close();
  json_.close();
  json_.field("columnKind", "utf16CodeUnits");
  json_.open("results", '[');
}

void Sarif::add(const AdviseReport& report) {
  for (const advise::Finding& finding : report.advice.findings) add(report, finding);
}

void Sarif::add(const AdviseReport& report, const advise::Finding& finding) {
  const read::Kernel& kernel = report.given.kernel;
  const std::string& of = kernel.function->demangled;
  json_.open('{');
  json_.field("ruleId", finding.rule);
  json_.field("level", sarif_level(finding.speedup));
  write_text(json_, "message",
             fmt::format("Estimated speedup {:.2f}× in {}. {}{}{}", finding.speedup, of,
                         finding.text, finding.hint.empty() ? "" : " ", finding.hint));
  // A finding of the whole launch is placed at the kernel's first line: hosts drop results without
  // a place.
  analyze::CodePlace place;
  if (finding.where != read::kNoIndex) {
    place = analyze::code_place(kernel, finding.where);
  } else {
    const read::Place start = read::start_of(*kernel.image, *kernel.function);
    place.file = start.file;
    place.line = start.line;
  }
  json_.open("locations", '[');
  write_location(json_, root_, place, of);
  json_.close();
  if (finding.cause != read::kNoIndex && finding.cause != finding.where) {
    json_.open("relatedLocations", '[');
    write_location(json_, root_, analyze::code_place(kernel, finding.cause), of);
    json_.close();
  }
  json_.open("partialFingerprints", '{');
  json_.field("burinFinding/v1", advise::fingerprint(report.given.kernel, report.source, finding));
  json_.close();
  json_.open("properties", '{');
  json_.field("speedup", finding.speedup);
  json_.field("share", finding.share);
  json_.field("confidence", finding.confidence);
  json_.close();
  json_.close();
}

void Sarif::end() {
  json_.close();  // results
  json_.close();  // the run
  json_.close();  // runs
  json_.close();
}

}  // namespace burin::report
