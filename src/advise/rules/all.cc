#include "advise/rules/all.h"

namespace burin::advise {

std::span<const Rule* const> rules() {
  static const Rule* const kRules[] = {
#define BURIN_RULE(name) name(),
#include "advise/rules/all.def"
#undef BURIN_RULE
  };
  return kRules;
}

}  // namespace burin::advise
