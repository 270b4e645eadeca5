// `burin doctor`: what works on this computer, what is missing, and how to get it.
#include <string>
#include <vector>

#include "app/cli.h"
#include "report/computer/checkup.h"

namespace burin::app {
namespace {

Result<Exit> doctor(Context& context) {
  const std::vector<jobs::Check> checks = jobs::check_up();
  if (context.json) {
    report::write_checks_json(context.out, checks, BURIN_VERSION);
  } else {
    context.out.put(
        "burin " BURIN_VERSION
        "; inspect needs none of these; run needs nvcc and ptxas for source files only\n\n");
    report::write_checks(context.out, checks);
  }
  return Exit::kDone;
}

}  // namespace

void add_doctor(Commands& commands) {
  commands.add("doctor", "Checks what works on this computer and how to install what is missing",
               "  burin doctor\n"
               "  burin doctor --json | jq '.checks[] | select(.state != \"ok\")'",
               doctor);
}

}  // namespace burin::app
