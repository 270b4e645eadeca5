// burin from C++, without a GPU: what is in a binary, its code, how long a launch takes on an H200,
// and what to change. docs/install.md says how to build it against an installed burin.
#include <burin/burin.h>

#include <cstdio>

namespace api = burin::api;

namespace {

int fail(const burin::Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return static_cast<int>(error.exit);
}

}  // namespace

int main(int count, char** words) {
  const api::Launch launch{.file = count > 1 ? words[1] : "examples/transpose.sm_90.cubin",
                           .kernel = "transpose",
                           .grid = "256,256",
                           .block = "32,8",
                           .arguments = {"buf:256M:f32", "buf:256M:undef", "i32:8192"},
                           .machine = "h200"};
  const burin::Result<api::Binary> binary = api::Binary::open(launch.file);
  if (!binary) return fail(binary.error());
  for (const api::Kernel& kernel : binary->kernels()) {
    const auto code = binary->decode(kernel);
    if (!code) return fail(code.error());
    std::printf("%s: %u registers, %zu instructions, the first %s\n", kernel.demangled.c_str(),
                kernel.registers, code->size(), code->front().text.c_str());
  }

  const burin::Result<api::Advice> advice = api::advise(launch);
  if (!advice) return fail(advice.error());
  const api::Prediction& p = advice->prediction;
  std::printf("%.0f µs on %s (%.0f to %.0f), busiest: %s\n", p.time_us, p.machine.c_str(), p.low_us,
              p.high_us, p.busy.front().name.c_str());
  for (const api::Finding& finding : advice->findings) {
    std::printf("%.2f× %s at %s:%u\n", finding.speedup, finding.rule.c_str(), finding.file.c_str(),
                finding.line);
  }
}
