// Rules of the user's own, from a shared library.
//
//   // mine.cc, built with: c++ -std=c++20 -shared -fPIC -I burin/src mine.cc -o libmine.so
//   using burin::advise::Rule;
//   extern "C" void burin_rules(int version, void* to, void (*add)(void* to, const Rule*)) {
//     static const Mine rule;
//     if (version == burin::advise::kRulesVersion) add(to, &rule);
//   }
//
// examples/rules/ has a whole one.
#pragma once

#include <string>
#include <vector>

#include "advise/case/rule.h"
#include "base/result.h"

namespace burin::advise {

// Of what a rule sees and returns (Rule, Case, Match); a library for another one adds nothing.
inline constexpr int kRulesVersion = 2;
using RulesEntry = void (*)(int version, void* to, void (*add)(void* to, const Rule* rule));

// The rules of a library, which stays loaded. An Error where it cannot be opened, has no
// burin_rules, adds no rule, or one whose id is empty or taken.
Result<std::vector<const Rule*>> load_rules(const std::string& path);

}  // namespace burin::advise
