#include "report/fit/choose.h"

#include <cmath>
#include <string>

#include "base/format.h"
#include "base/numbers.h"

namespace burin::report {
namespace {

std::string shape_words(const formula::Shape& shape) {
  return fmt::format("{} × {} × {}", shape[0], shape[1], shape[2]);
}

}  // namespace

void write_chosen(Output& out, const jobs::ChosenShape& chosen) {
  if (chosen.has_choice) {
    std::string sizes;
    for (const auto& [name, value] : chosen.sizes) sizes += fmt::format(" {}={}", name, value);
    out.put(chosen.kernel == "-" ? "kernel" : chosen.kernel, sizes, " on ", chosen.device, ":\n");
    out.put("  block     ", shape_words(chosen.choice.block), '\n');
    if (chosen.choice.has_grid) out.put("  grid      ", shape_words(chosen.choice.grid), '\n');
    if (chosen.choice.shared_bytes > 0) {
      out.put("  shared    ", chosen.choice.shared_bytes, " bytes, dynamic\n");
    }
    if (std::isfinite(chosen.choice.predicted_us)) {
      out.put("  predicted ", time_text(chosen.choice.predicted_us), '\n');
    }
    out.put("  grade     ", formula::name_of(chosen.choice.grade));
    if (!chosen.validated.empty()) out.put(", validated: ", chosen.validated);
    out.put('\n');
    for (std::size_t i = 1; i < chosen.ranked.size(); ++i) {
      const jobs::RankedShape& shape = chosen.ranked[i];
      out.put(i == 1 ? "  next      " : "            ", shape_words(shape.block));
      if (std::isfinite(shape.predicted_us)) out.put("  ", time_text(shape.predicted_us));
      out.put('\n');
    }
  }
  if (!chosen.cpp.empty()) out.put("written     ", chosen.cpp, '\n');
}

void write_chosen_json(Json& json, const jobs::ChosenShape& chosen) {
  json.open('{');
  json.field("schema", "burin.choose/1");
  json.field("kernel", chosen.kernel);
  if (chosen.has_choice) {
    json.field("device", chosen.device);
    json.open("sizes", '{');
    for (const auto& [name, value] : chosen.sizes) json.field(name, value);
    json.close();
    json.field("block", chosen.choice.block);
    if (chosen.choice.has_grid) {
      json.field("grid", chosen.choice.grid);
    } else {
      json.field("grid", nullptr);
    }
    json.field("shared_bytes", chosen.choice.shared_bytes);
    json.field("predicted_us", chosen.choice.predicted_us);
    json.field("grade", formula::name_of(chosen.choice.grade));
    json.open("ranked", '[');
    for (const jobs::RankedShape& shape : chosen.ranked) {
      json.open('{');
      json.field("block", shape.block);
      json.field("predicted_us", shape.predicted_us);
      json.close();
    }
    json.close();
  }
  if (!chosen.cpp.empty()) json.field("cpp", chosen.cpp);
  json.close();
}

}  // namespace burin::report
