#include "report/launch/launch_json.h"

namespace burin::report {

std::array<std::uint32_t, 3> axes(launch::Dims dims) {
  return {dims.x, dims.y, dims.z};
}

void write_launch(Json& json, const launch::Launch& launch) {
  json.open("launch", '{');
  json.field("grid", axes(launch.grid));
  json.field("block", axes(launch.block));
  if (launch.cluster) json.field("cluster", axes(*launch.cluster));
  json.field("dynamic_shared_bytes", launch.shared_bytes);
  json.open("arguments", '[');
  for (const launch::Argument& argument : launch.arguments) json.element(argument.text);
  json.close();
  json.close();
}

}  // namespace burin::report
