// What a point of the space means for compiler and device: macros, options, launches.
//
//   Result<Configuration> made = configure(spec, size, space, point);
//   made->defines          {"block_size_x=32", "tile=4"}
//   made->steps[0].launch  grid 32, block 32,8, arguments
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "tune/spec.h"

namespace burin::tune {

// One launch, or several equal ones in a row.
struct ConfiguredStep {
  std::string kernel;  // as the spec names it; the instance, if there is one
  launch::Launch launch{};
  std::vector<std::string> arguments{};  // texts of launch.arguments, for other processes
  std::uint64_t repeat = 1;
};

struct Configuration {
  formula::Names names{};                           // sizes, tunables, derived names
  std::vector<std::string> defines{};               // NAME=VALUE, of tunables
  std::map<std::uint32_t, std::int64_t> unrolls{};  // factors of the tunables unroll@LINE
  std::vector<std::string> options{};
  std::uint32_t max_registers = 0;  // 0: no limit
  std::vector<ConfiguredStep> steps{};
  std::vector<std::string> settings{};
};

// An Error says what of the configuration cannot be: a grid of 0 blocks, a block of 2048 threads,
// an expression that divides by zero, a malformed argument.
Result<Configuration> configure(const Spec& spec, const formula::Names& size, const Space& space,
                                const Point& point);

// The launch of the reference kernel, with the arguments of the first launch.
Result<ConfiguredStep> configure_reference(const Spec& spec, const Configuration& configuration);

// The objective of a configuration that took `time_us`, negated if it is to be maximised.
Result<double> objective_of(const Spec& spec, const formula::Names& names, double time_us,
                            const std::map<std::string, double>& figures);

// The value that users see: not negated.
inline double shown_objective(const Spec& spec, double objective) {
  return spec.objective.maximise ? -objective : objective;
}

}  // namespace burin::tune
