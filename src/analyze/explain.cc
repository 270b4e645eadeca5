#include "analyze/explain.h"

namespace burin::analyze {

Result<Explanation> explain(const read::Kernel& kernel, const launch::Launch& launch,
                            const machine::Machine& machine, const ExplainOptions& options) {
  // What can be refused without work is refused first.
  std::vector<WhatIf> what_ifs;
  for (const std::string& text : options.what_ifs) {
    Result<WhatIf> what_if = parse_what_if(text, machine);
    if (!what_if) return what_if.error().within("--what-if");
    what_ifs.push_back(std::move(*what_if));
  }
  const Result<std::unique_ptr<Study>> opened =
      Study::open(kernel, launch, machine, options.predict);
  if (!opened) return opened.error();
  const Study& study = **opened;
  Explanation why;
  why.prediction = study.base();

  read::InstructionSet executed;
  for (const timing::InstructionCost& cost : why.prediction.costs) {
    executed.push_back(cost.issued > 0 ? 1 : 0);
  }
  if (options.regions.empty()) {
    why.regions = find_regions(study.kernel(), executed);
  } else {
    Result<Regions> named = named_regions(study.kernel(), executed, options.regions);
    if (!named) return named.error();
    why.regions = std::move(*named);
  }
  const SensitivityOptions by{.step = options.step};
  why.limits = limits(study, by);
  if (options.split) split_over_regions(study, why.regions, by, why.limits.rows);
  why.roofline = roofline(study);
  why.path = critical_path(study.path());
  for (const WhatIf& what_if : what_ifs) {
    Result<timing::Prediction> prediction = predict_what_if(study, what_if);
    if (!prediction) return prediction.error().within("--what-if");
    why.what_ifs.push_back({what_if.text, std::move(*prediction)});
  }
  if (options.ladder) why.ladder = occupancy_ladder(study);
  return why;
}

}  // namespace burin::analyze
