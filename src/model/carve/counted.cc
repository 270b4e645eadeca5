#include "model/carve/counted.h"

#include "model/opened_request.h"

namespace burin::model {
namespace {

struct Group {
  std::vector<const OpenedStep*> steps;
  double launches = 0;

  bool takes(const OpenedStep& step) const {
    const OpenedStep& first = *steps.front();
    return first.kernel.function == step.kernel.function && first.launch.grid == step.launch.grid &&
           first.launch.block == step.launch.block &&
           first.launch.shared_bytes == step.launch.shared_bytes;
  }
};

}  // namespace

Result<std::vector<LaunchCounts>> count_request(const measure::DeviceRequest& request,
                                                const machine::Machine& machine,
                                                const CountOptions& options) {
  const Result<OpenedRequest> opened = OpenedRequest::open(request, {.dependences = false});
  if (!opened) return opened.error();
  std::vector<Group> groups;
  for (const OpenedStep& step : opened->steps()) {
    Group* group = nullptr;
    for (Group& known : groups) {
      if (known.takes(step)) group = &known;
    }
    if (group == nullptr) group = &groups.emplace_back();
    group->steps.push_back(&step);
    group->launches += step.count;
  }
  std::vector<LaunchCounts> all;
  for (const Group& group : groups) {
    const OpenedStep& middle = *group.steps[group.steps.size() / 2];
    Result<LaunchCounts> counts = count_launch(middle.kernel, middle.launch, machine, options);
    if (!counts) return counts.error();
    counts->launches = group.launches;
    all.push_back(*counts);
  }
  return all;
}

}  // namespace burin::model
