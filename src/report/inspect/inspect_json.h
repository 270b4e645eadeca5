// `burin inspect --json`, image by image:
//
//   {"schema":"burin.inspect/1","file":…,"format":…,"images":[
//     {"arch":…,"relocatable":…,"toolkit":…,
//      "kernels":[{"name",…,"instructions":[…],"loops":[…],"blocks":[…]}],
//      "functions":[…]}],                      device functions, in the same form
//    "entries":[{"kind":"ptx",…}],             what is no cubin
//    "problems":["…"]}                         what could not be read
//
// docs/inspect.md describes every field.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "read/binary/container.h"
#include "read/program/kernel.h"
#include "report/write/json.h"

namespace burin::report {

struct InspectJsonOptions {
  bool instructions = false;
  bool call_chains = false;  // "inlined_from" in each line
};

class InspectJson {
 public:
  InspectJson(Output& out, InspectJsonOptions options) : json_(out), options_(options) {}

  void begin(std::string_view path, const read::Container& container);

  // An image's functions come between these, kernels first. `kernel`, where given, adds the loops
  // and blocks.
  void begin_image(const read::Image& image, const read::Entry& entry);
  void add(const read::Image& image, const read::Function& function, const read::Kernel* kernel);
  void end_image();

  void end(std::span<const read::Entry* const> others, std::span<const std::string> problems);

 private:
  void write_instructions(const read::Image& image, const read::Function& function);
  void write_flow(const read::Kernel& kernel);

  Json json_;
  InspectJsonOptions options_;
  bool in_functions_ = false;  // the kernels of this image are done
};

}  // namespace burin::report
