#include "toolchain/compile.h"

#include <algorithm>
#include <string_view>

#include "toolchain/compilers.h"

namespace burin::toolchain {

std::string default_arch(Bytes ptx) {
  const std::string_view text(reinterpret_cast<const char*>(ptx.data()), ptx.size());
  static constexpr std::string_view kTarget = ".target sm_";
  const std::size_t at = text.find(kTarget);
  if (at == std::string_view::npos) return kDefaultArch;
  const std::string_view digits = text.substr(at + kTarget.size());
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  unsigned number = 0;
  for (const char digit : digits.substr(0, end)) {
    if (number <= 999) number = 10 * number + static_cast<unsigned>(digit - '0');
  }
  const bool bound = end < digits.size() && (digits[end] == 'a' || digits[end] == 'f');
  if (number <= 90 && !bound) return kDefaultArch;
  return "sm_" + std::string(digits.substr(0, end + (bound ? 1 : 0)));
}

CompileResult compile(const CompileRequest& request, const CompileCache& cache) {
  return compile_with(NvrtcPlace::kFork, request, cache);
}

}  // namespace burin::toolchain
