#include "mcp/compiler_flags.h"

#include <algorithm>
#include <array>

namespace burin::mcp {
namespace {

using namespace std::string_view_literals;

constexpr std::array kWhole = {"-g"sv,
                               "-G"sv,
                               "-lineinfo"sv,
                               "--generate-line-info"sv,
                               "-use_fast_math"sv,
                               "--use_fast_math"sv,
                               "-extended-lambda"sv,
                               "--extended-lambda"sv,
                               "-expt-relaxed-constexpr"sv,
                               "--expt-relaxed-constexpr"sv,
                               "-restrict"sv,
                               "--restrict"sv,
                               "-rdc=true"sv,
                               "-rdc=false"sv};

constexpr std::array kBeginnings = {"-D"sv,
                                    "-U"sv,
                                    "-I"sv,
                                    "-O"sv,
                                    "-std="sv,
                                    "--std="sv,
                                    "-arch="sv,
                                    "--gpu-architecture="sv,
                                    "-maxrregcount="sv,
                                    "--maxrregcount="sv,
                                    "-fmad="sv,
                                    "--fmad="sv,
                                    "-ftz="sv,
                                    "--ftz="sv,
                                    "-prec-div="sv,
                                    "--prec-div="sv,
                                    "-prec-sqrt="sv,
                                    "--prec-sqrt="sv,
                                    "-Xptxas=-O"sv,
                                    "-Xptxas=-dlcm="sv,
                                    "-Xptxas=-dscm="sv};

// nvcc passes its flags on through a shell, and splits -Xptxas at commas.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         "_-+.:/="sv.find(c) != std::string_view::npos;
}

}  // namespace

bool is_harmless_flag(std::string_view flag) {
  if (std::ranges::find(kWhole, flag) != kWhole.end()) return true;
  const bool known = std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
    return flag.size() > beginning.size() && flag.starts_with(beginning);
  });
  return known && std::ranges::all_of(flag, is_plain);
}

}  // namespace burin::mcp
