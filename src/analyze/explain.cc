#include "analyze/explain.h"

namespace burin::analyze {

Result<Regions> regions_of(const read::Kernel& kernel, const timing::Prediction& prediction,
                           const std::vector<RegionLines>& named) {
  read::InstructionSet executed;
  for (const timing::InstructionCost& cost : prediction.costs) {
    executed.push_back(cost.issued > 0 ? 1 : 0);
  }
  if (named.empty()) return find_regions(kernel, executed);
  return named_regions(kernel, executed, named);
}

Result<Explanation> explain(const read::Kernel& kernel, const launch::Launch& launch,
                            const machine::Machine& machine, const ExplainOptions& options) {
  // Check the arguments before the expensive part.
  std::vector<WhatIf> what_ifs;
  for (const std::string& text : options.what_ifs) {
    Result<WhatIf> what_if = parse_what_if(text, machine);
    if (!what_if) return what_if.error().within("--what-if");
    what_ifs.push_back(std::move(*what_if));
  }
  if (options.predict.model == timing::PredictOptions::Model::kSaake) {
    return explain_saake(kernel, launch, machine, options, what_ifs);
  }
  const Result<std::unique_ptr<Study>> opened =
      Study::open(kernel, launch, machine, options.predict);
  if (!opened) return opened.error();
  const Study& study = **opened;
  Explanation why;
  why.prediction = study.base();

  Result<Regions> regions = regions_of(study.kernel(), why.prediction, options.regions);
  if (!regions) return regions.error();
  why.regions = std::move(*regions);
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
