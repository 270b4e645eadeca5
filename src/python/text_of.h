// What a report writes, as one text.
//
//   text_of([&](report::Output& out) { report::write_explanation(out, report); });
#pragma once

#include <string>
#include <string_view>

#include "report/write/json.h"
#include "report/write/output.h"

namespace burin::python {

template <typename Write>
std::string text_of(Write write) {
  std::string text;
  report::Output out([&](std::string_view part) {
    text += part;
    return true;
  });
  write(out);
  out.flush();
  return text;
}

template <typename Write>
std::string json_of(Write write) {
  return text_of([&](report::Output& out) {
    report::Json json(out);
    write(json);
  });
}

}  // namespace burin::python
