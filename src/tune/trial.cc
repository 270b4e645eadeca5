#include "tune/trial.h"

#include <array>
#include <utility>

namespace burin::tune {
namespace {

constexpr std::array<std::pair<Status, std::string_view>, 6> kStatusNames{{
    {Status::kOk, "ok"},
    {Status::kTimeout, "timeout"},
    {Status::kCompile, "compile"},
    {Status::kRuntime, "runtime"},
    {Status::kCorrectness, "correctness"},
    {Status::kConstraints, "constraints"},
}};

}  // namespace

std::string_view name(Status status) {
  for (const auto& [known, text] : kStatusNames) {
    if (known == status) return text;
  }
  return "";
}

std::optional<Status> parse_status(std::string_view text) {
  if (text == "correct") return Status::kOk;
  for (const auto& [status, known] : kStatusNames) {
    if (known == text) return status;
  }
  return std::nullopt;
}

}  // namespace burin::tune
