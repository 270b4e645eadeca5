#include "tune/builder.h"

#include "launch/compare.h"

namespace burin::tune {
namespace {

constexpr double kFloatTolerance = 1e-4;

// The element type of a buffer that starts as zeros or garbage: that of the other buffers.
launch::ElementType type_of(const launch::Launch& launch, std::size_t argument) {
  const auto fill_type = [&](std::size_t i) -> std::optional<launch::ElementType> {
    const launch::Buffer* buffer = launch.arguments[i].buffer();
    return buffer == nullptr ? std::nullopt : launch::element_type_of(buffer->kind);
  };
  if (const auto own = fill_type(argument)) return *own;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto other = fill_type(i);
    if (other && launch::is_float(*other)) return *other;
  }
  return launch::ElementType::kU32;
}

}  // namespace

measure::ExpectedOutput expected_output(const measure::DeviceRequest& request, std::size_t step,
                                        std::size_t argument) {
  measure::ExpectedOutput output{.step = step, .argument = argument};
  output.type = type_of(request.steps[step].launch, argument);
  if (launch::is_float(output.type)) output.tolerance = kFloatTolerance;
  return output;
}

}  // namespace burin::tune
