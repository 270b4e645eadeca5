// The module burin._burin: one function per command, over plain dicts and bytes. The package around
// it (python/burin) gives them the shape that users see. Python's lock is released while a job
// runs.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/answers.h"
#include "python/request.h"

namespace burin::python {
namespace {

namespace py = pybind11;

// Raises burin.Error with the sentence and the exit status that the command line would end with.
[[noreturn]] void raise(const Error& error) {
  const py::object type = py::module_::import("burin.errors").attr("Error");
  const py::object raised = type(error.message, static_cast<int>(error.exit));
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw py::error_already_set();
}

// Runs the job without Python's lock. What a library below throws (no memory) is pybind11's to
// translate.
template <typename Job>
auto unlocked(Job job) {
  auto result = [&] {
    const py::gil_scoped_release release;
    return job();
  }();
  if (!result) raise(result.error());
  return std::move(*result);
}

py::tuple tuple_of(const Answer& answer) {
  return py::make_tuple(answer.json, answer.text, answer.warnings);
}

py::tuple run_tuple(const RunAnswer& answer) {
  py::dict buffers;
  for (const auto& [argument, output] : answer.buffers) {
    const py::bytes bytes(reinterpret_cast<const char*>(output.bytes.data()), output.bytes.size());
    buffers[py::int_(argument)] = py::make_tuple(bytes, output.unknown_bytes);
  }
  return py::make_tuple(answer.json, answer.text, answer.warnings, buffers, answer.passed);
}

void define(py::module_& module) {
  module.def("predict", [](const py::dict& given) {
    return tuple_of(unlocked([request = predict_request(given)] { return predict(request); }));
  });
  module.def("explain", [](const py::dict& given) {
    return tuple_of(unlocked([request = explain_request(given)] { return explain(request); }));
  });
  module.def("advise", [](const py::dict& given) {
    return tuple_of(unlocked([request = advise_request(given)] { return advise(request); }));
  });
  module.def("run", [](const py::dict& given) {
    const auto returned = given["returned"].cast<std::vector<std::size_t>>();
    return run_tuple(
        unlocked([&, request = run_request(given)] { return run(request, returned); }));
  });
  module.def("inspect", [](const py::dict& given) {
    const jobs::ImagesRequest request = images_request(given);
    return tuple_of(unlocked([&] { return inspect(request, request.needs_code); }));
  });
  module.def("capture", [](const py::dict& given) {
    return tuple_of(unlocked([request = capture_request(given)] { return capture(request); }));
  });
  module.def("machines", [](const std::string& name) {
    return tuple_of(unlocked([&] { return machines(name); }));
  });
  module.def("is_capture", &is_capture);
}

}  // namespace
}  // namespace burin::python

PYBIND11_MODULE(_burin, module) {
  module.attr("__version__") = BURIN_VERSION;
  burin::python::define(module);
}
