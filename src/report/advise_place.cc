// Places in the code, and what tells findings apart.
#include "analyze/regions.h"
#include "base/format.h"
#include "base/sha256.h"
#include "read/isa/print.h"
#include "report/advise.h"
#include "report/names.h"

namespace burin {

std::string CodePlace::name() const {
  if (file.empty()) return fmt::format("0x{:04x}", offset);
  return fmt::format("{}:{}", file_name(file), line);
}

CodePlace code_place(const Kernel& kernel, std::uint32_t instruction) {
  CodePlace place;
  const SourceLine line = line_of(kernel, instruction);
  place.file = line.file;
  place.line = line.line;
  place.offset = kernel.instructions[instruction].offset;
  print(kernel.instructions[instruction], place.instruction);
  while (place.instruction.ends_with(' ') || place.instruction.ends_with(';')) {
    place.instruction.pop_back();
  }
  const auto chain = call_chain(*kernel.image, kernel.location_at(place.offset));
  if (chain.size() < 2) return place;
  for (const Location* at : chain) {
    place.inlined.push_back({path_of(*kernel.image, *at), at->line, at->function});
  }
  return place;
}

std::string fingerprint(const AdviseReport& report, const Finding& finding) {
  const Kernel& kernel = report.given.kernel;
  std::string text = finding.rule + '\n' + kernel.function->name + '\n';
  if (finding.where != kNoIndex) {
    const CodePlace place = code_place(kernel, finding.where);
    const std::string_view line = report.source.line(std::string(place.file), place.line);
    text += file_name(place.file);
    text += '\n';
    // Lines move, and so does code: what is written there is the last to change.
    text += line.empty() ? place.name() : std::string(line);
  }
  Sha256 hash;
  hash.add(text);
  return hash.hex().substr(0, 16);
}

std::string_view name(BlamedProfile::Source source) {
  return source == BlamedProfile::Source::kSamples ? "samples" : "emulated";
}

}  // namespace burin
