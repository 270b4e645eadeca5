// Loads the user's own rules from a shared library.
//
//   // mine.cc, built with: c++ -std=c++20 -shared -fPIC -I burin/src mine.cc -o libmine.so
//   extern "C" void burin_rules(int version, void* to,
//                               void (*add)(void* to, const burin::advise::Rule*)) {
//     static const Mine rule;
//     if (version == burin::advise::kRulesVersion) add(to, &rule);
//   }
//
// examples/rules/ contains a complete example.
#pragma once

#include <string>
#include <vector>

#include "advise/case/rule.h"
#include "base/result.h"

namespace burin::advise {

// Version of the rule interface (Rule, Case, Match); a library built for another version adds
// nothing.
inline constexpr int kRulesVersion = 2;
using RulesEntry = void (*)(int version, void* to, void (*add)(void* to, const Rule* rule));

// Loads the rules of a library; the library stays loaded. Returns an Error if the library cannot be
// opened, has no burin_rules, adds no rule, or adds a rule whose id is empty or already taken.
Result<std::vector<const Rule*>> load_rules(const std::string& path);

}  // namespace burin::advise
