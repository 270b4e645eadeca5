// Any text is a TOML spec, a T1 spec or a refusal that names the file. A spec is complete: its
// space can be built, and its configurations are launches or have a reason why not.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tune/configuration.h"
#include "tune/formats/t1_spec.h"
#include "tune/formats/toml_spec.h"
#include "tune/space/build_space.h"

using namespace burin;

namespace {

constexpr std::uint64_t kMaxConfigurations = 10000;  // larger spaces take too long to build

bool reads_files(const tune::Spec& spec) {
  for (const tune::LaunchSpec& launch : spec.launches) {
    for (const formula::Template& argument : launch.arguments) {
      if (argument.text().find("file") != std::string::npos) return true;
    }
  }
  return false;
}

void check(const Result<tune::Spec>& spec) {
  if (!spec) {
    if (!spec.error().message.starts_with("folder/spec:")) std::abort();
    if (spec.error().exit != Exit::kInput) std::abort();
    return;
  }
  if (spec->launches.empty() || spec->tunables.empty() || spec->sizes.empty()) std::abort();
  for (const tune::LaunchSpec& launch : spec->launches) {
    if (launch.kernel.empty() || launch.block.empty() || launch.grid.empty()) std::abort();
  }
  const std::vector<formula::Expression> restrictions = tune::space_restrictions(*spec);
  std::uint64_t configurations = 1;
  for (const tune::Parameter& parameter : spec->tunables) {
    configurations *= parameter.values.size();
    if (configurations == 0 || configurations > kMaxConfigurations) return;
  }
  const Result<tune::Space> space =
      tune::build_space(spec->tunables, restrictions, spec->sizes.front(), spec->derived);
  if (!space) {
    if (space.error().message.empty()) std::abort();
    return;
  }
  if (reads_files(*spec)) return;
  const Result<tune::Configuration> made =
      tune::configure(*spec, spec->sizes.front(), *space, space->at(0));
  if (!made && made.error().message.empty()) std::abort();
  if (made && made->steps.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(tune::parse_toml_spec(text, "folder/spec"));
  const Result<tune::Spec> t1 = tune::parse_t1_spec(text, "folder/spec");
  check(t1);
  if (t1 && !tune::is_t1(text)) std::abort();
  return 0;
}
