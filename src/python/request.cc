#include "python/request.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace burin::python {
namespace {

namespace py = pybind11;

// Optional fields take the values of their type.
template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<std::optional<T>> {
  using Type = T;
};

template <typename T>
constexpr const char* kind_of() {
  using Value = typename ValueOf<T>::Type;
  if constexpr (std::is_same_v<Value, bool>) return "True or False";
  if constexpr (std::is_unsigned_v<Value>) return "a whole number, not negative";
  if constexpr (std::is_integral_v<Value>) return "a whole number";
  if constexpr (std::is_floating_point_v<Value>) return "a number";
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) return "a list of strings";
  return "a string";
}

// Sets `field` if the call has that argument and it is not None.
template <typename T>
void set(const py::dict& given, const char* name, T& field) {
  if (!given.contains(name)) return;
  const py::object value = given[name];
  if (value.is_none()) return;
  try {
    field = value.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error(std::string(name) + ": expected " + kind_of<T>() + ", not " +
                         std::string(py::str(py::repr(value))));
  }
}

// The arrays' bytes are copied: the job runs without Python's lock, and others may write to them.
void set_contents(const py::dict& given, jobs::LaunchRequest& request) {
  if (!given.contains("contents")) return;
  for (const auto& [argument, array] : given["contents"].cast<py::dict>()) {
    const py::buffer_info info = array.cast<py::buffer>().request();
    const auto* first = static_cast<const std::uint8_t*>(info.ptr);
    const auto size = static_cast<std::size_t>(info.size * info.itemsize);
    request.contents.emplace(
        argument.cast<std::size_t>(),
        std::make_shared<const std::vector<std::uint8_t>>(first, first + size));
  }
}

}  // namespace

jobs::LaunchRequest launch_request(const py::dict& given) {
  jobs::LaunchRequest request;
  set(given, "file", request.source.file);
  set(given, "kernel", request.source.kernel);
  set(given, "arch", request.source.arch);
  set(given, "flags", request.source.flags);
  set(given, "grid", request.grid);
  set(given, "block", request.block);
  set(given, "cluster", request.cluster);
  set(given, "shared_bytes", request.shared_bytes);
  set(given, "arguments", request.arguments);
  set(given, "settings", request.settings);
  set_contents(given, request);
  return request;
}

jobs::PredictRequest predict_request(const py::dict& given) {
  jobs::PredictRequest request;
  request.launch = launch_request(given);
  set(given, "machine", request.machine);
  set(given, "model", request.model);
  set(given, "warm", request.warm);
  set(given, "l2_hits", request.l2_hits);
  set(given, "trips", request.trips);
  set(given, "unknown_access", request.unknown_access);
  set(given, "max_instructions", request.most_instructions);
  set(given, "threads", request.threads);
  set(given, "device", request.device.device);
  return request;
}

jobs::ExplainRequest explain_request(const py::dict& given) {
  jobs::ExplainRequest request;
  request.predict = predict_request(given);
  set(given, "step", request.step);
  set(given, "regions", request.regions);
  set(given, "what_if", request.what_ifs);
  set(given, "seed", request.seed);
  set(given, "no_regions", request.no_regions);
  set(given, "ladder", request.ladder);
  return request;
}

jobs::AdviseRequest advise_request(const py::dict& given) {
  jobs::AdviseRequest request;
  request.predict = predict_request(given);
  set(given, "cubin", request.cubin);
  set(given, "top", request.top);
  set(given, "kernels", request.kernels);
  set(given, "rules", request.only);
  set(given, "without_rules", request.without);
  set(given, "samples_only", request.samples_only);
  set(given, "budget", request.budget);
  set(given, "try_changes", request.try_changes);
  set(given, "plan", request.plan);
  return request;
}

jobs::RunRequest run_request(const py::dict& given) {
  jobs::RunRequest request;
  request.launch = launch_request(given);
  set(given, "trips", request.trips);
  set(given, "unknown_access", request.unknown_access);
  set(given, "sectors", request.sectors);
  set(given, "threads", request.threads);
  set(given, "max_instructions", request.most_instructions);
  set(given, "check_shared", request.check_shared);
  return request;
}

jobs::ImagesRequest images_request(const py::dict& given) {
  jobs::ImagesRequest request;
  set(given, "file", request.file);
  set(given, "arch", request.arch);
  set(given, "kernel", request.kernel);
  set(given, "flags", request.flags);
  set(given, "instructions", request.needs_code);
  return request;
}

CaptureRequest capture_request(const py::dict& given) {
  CaptureRequest request;
  set(given, "file", request.file);
  set(given, "kernel", request.kernel);
  set(given, "compare", request.compare);
  set(given, "machine", request.machine);
  return request;
}

}  // namespace burin::python
