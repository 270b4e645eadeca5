// `burin inspect --json`, image by image:
//
//   {"schema":"burin.inspect/1","file":…,"format":…,"images":[
//     {"arch":…,"relocatable":…,"toolkit":…,
//      "kernels":[{"name",…,"instructions":[…],"loops":[…],"blocks":[…]}],
//      "functions":[…]}],                      device functions, in the same form
//    "entries":[{"kind":"ptx",…}],             entries that are not cubins
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
  bool call_chains = false;  // adds "inlined_from" to each line
};

class InspectJson {
 public:
  InspectJson(Output& out, InspectJsonOptions options) : json_(out), options_(options) {}

  void begin(std::string_view path, const read::Container& container);

  // An image's functions are added between begin_image() and end_image(), kernels first. If
  // `kernel` is not null, its loops and blocks are added.
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
