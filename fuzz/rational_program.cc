// Any bytes are a rational program or a refusal. A program prints as one that prints the same, and
// choosing by it ends in a shape that it has, or in none.
#include "formula/rational/rational_program.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "formula/rational/chooser.h"

using namespace burin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<formula::RationalProgram> program = formula::parse_rational_program(text);
  if (!program) {
    if (program.error().message.empty()) std::abort();
    return 0;
  }
  const std::string printed = formula::to_string(*program);
  const Result<formula::RationalProgram> again = formula::parse_rational_program(printed);
  if (!again || formula::to_string(*again) != printed) std::abort();
  const Result<formula::Chooser> chooser = formula::Chooser::prepare(*program);
  if (!chooser) std::abort();
  const std::vector<double> inputs(program->inputs.size(), 4);
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 40}) {
    const std::vector<std::int64_t> sizes(program->sizes.size(), n);
    for (int device = -1; device < static_cast<int>(program->devices.size()); ++device) {
      formula::Choice choice;
      if (!chooser->choose({.sizes = sizes, .device = device, .inputs = inputs}, choice)) continue;
      if (choice.shape >= program->shapes.size() || choice.ranked[0] != choice.shape) std::abort();
    }
  }
  if (const Result<formula::SizeReader> reader = formula::SizeReader::prepare(*program)) {
    std::vector<std::vector<std::uint8_t>> bytes;
    std::vector<const void*> arguments;
    for (const formula::Parameter& parameter : program->parameters) {
      if (parameter.bytes > 4096) return 0;
      arguments.push_back(bytes.emplace_back(parameter.bytes, 1).data());
    }
    std::vector<std::int64_t> sizes(reader->count());
    if (reader->read(arguments, {}, sizes)) {
      for (const std::int64_t value : sizes) {
        if (value < 1) std::abort();
      }
    }
  }
  return 0;
}
