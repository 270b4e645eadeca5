#include "jobs/fit/choose_shape.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "base/new_file.h"
#include "base/text.h"
#include "formula/rational/names.h"
#include "jobs/input/output_file.h"
#include "launch/number.h"
#include "launch/one_value.h"
#include "machine/load.h"
#include "model/fit/hardware.h"

namespace burin::jobs {
namespace {

using formula::Chooser;
using formula::RationalProgram;

// The program's sizes in its order, from NAME=NUMBER.
Result<std::vector<std::int64_t>> given_sizes(const RationalProgram& program,
                                              const std::vector<std::string>& texts) {
  if (Result<void> fine = launch::check_one_value_each(texts); !fine) {
    return fine.error().within("--set");
  }
  std::vector<std::string> names;
  for (const formula::NamedExpression& size : program.sizes) names.push_back(size.name);
  std::vector<std::int64_t> values(names.size(), 0);
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    const auto value = equals == text.size()
                           ? std::nullopt
                           : launch::parse_integer<std::int64_t>(text.substr(equals + 1));
    if (!value || *value < 1) {
      return Error{
          fmt::format("--set: expected NAME=NUMBER with a positive number, not '{}'", text),
          Exit::kUsage};
    }
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      return Error{fmt::format("--set: the program has no size '{}'; it has {}", name,
                               list_of(names, names.size())),
                   Exit::kUsage};
    }
    values[static_cast<std::size_t>(found - names.begin())] = *value;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (values[i] == 0) {
      return Error{
          fmt::format("the size {} is missing: give it with --set {}=NUMBER", names[i], names[i]),
          Exit::kUsage};
    }
  }
  return values;
}

// The device of the program that is meant, or the values of another one.
struct Meant {
  int device = -1;
  std::string name{};
  std::vector<double> inputs{};
};

Result<Meant> meant_device(const Chooser& chooser, const std::string& wanted) {
  const RationalProgram& program = chooser.program();
  if (wanted.empty()) {
    if (!program.devices.empty()) return Meant{0, program.devices[0].name, {}};
    if (program.inputs.empty()) return Meant{-1, "any GPU", {}};
    return Error{"the program has no device of its own: name the GPU with --machine", Exit::kUsage};
  }
  for (std::size_t i = 0; i < program.devices.size(); ++i) {
    if (program.devices[i].name == wanted) return Meant{static_cast<int>(i), wanted, {}};
  }
  const Result<machine::Machine> machine = machine::load_machine(wanted);
  if (!machine) return machine.error().within("--machine");
  const int device = chooser.device(machine->name, machine->arch.sm / 10u, machine->arch.sm % 10u);
  if (device >= 0) return Meant{device, program.devices[static_cast<std::size_t>(device)].name, {}};
  Meant meant{-1, machine->name, {}};
  for (const std::string& input : program.inputs) {
    const std::optional<double> value = model::hardware_value(*machine, input);
    if (!value) {
      return Error{fmt::format("the program reads \"{}\", which machine files do not have", input)};
    }
    meant.inputs.push_back(*value);
  }
  return meant;
}

Result<void> write_cpp(const ChooseRequest& request, const RationalProgram& program) {
  if (!formula::is_identifier(request.cpp_namespace)) {
    return Error{fmt::format("--namespace: '{}' is not a name", request.cpp_namespace),
                 Exit::kUsage};
  }
  const Result<void> fine = check_output(
      {.option = "--emit-cpp", .path = request.emit_cpp, .content = FileContent::kText},
      {request.file}, request.force);
  if (!fine) return fine;
  const std::string text = formula::to_cpp(program, request.cpp_namespace);
  Result<NewFile> file = NewFile::create(request.emit_cpp);
  if (!file) return file.error();
  const Bytes bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

}  // namespace

Result<RationalProgram> read_rational_program(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  Result<RationalProgram> program =
      formula::parse_rational_program({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!program) return program.error().within(path);
  return program;
}

Result<ChosenShape> choose_shape(const ChooseRequest& request) {
  Result<RationalProgram> program = read_rational_program(request.file);
  if (!program) return program.error();
  ChosenShape chosen;
  chosen.kernel = program->kernel;
  if (!request.emit_cpp.empty()) {
    if (Result<void> done = write_cpp(request, *program); !done) return done.error();
    chosen.cpp = request.emit_cpp;
    if (request.sizes.empty()) return chosen;
  }
  const Result<Chooser> chooser = Chooser::prepare(std::move(*program));
  if (!chooser) return chooser.error().within(request.file);
  const Result<std::vector<std::int64_t>> sizes = given_sizes(chooser->program(), request.sizes);
  if (!sizes) return sizes.error();
  const Result<Meant> meant = meant_device(*chooser, request.machine);
  if (!meant) return meant.error();
  const formula::Question question{
      .sizes = *sizes, .device = meant->device, .inputs = meant->inputs};
  if (!chooser->choose(question, chosen.choice)) {
    return Error{fmt::format(
        "{}: the program has no shape for these sizes: its constraints allow none, or a formula "
        "has no value",
        request.file)};
  }
  chosen.has_choice = true;
  chosen.device = meant->name;
  if (meant->device >= 0) {
    chosen.validated =
        chooser->program().devices[static_cast<std::size_t>(meant->device)].validated;
  }
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    chosen.sizes.emplace_back(chooser->program().sizes[i].name, (*sizes)[i]);
  }
  for (std::uint32_t i = 0; i < chosen.choice.ranked_count; ++i) {
    formula::Choice one;
    if (!chooser->apply(question, chosen.choice.ranked[i], one)) continue;
    chosen.ranked.push_back({one.block, one.predicted_us});
  }
  return chosen;
}

}  // namespace burin::jobs
