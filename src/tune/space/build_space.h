// From tunable parameters and restrictions to the Space of valid configurations.
//
//   std::vector<Parameter> parameters = {{"bx", {16, 32, 64}}, {"by", {1, 2, 4}}};
//   std::vector<formula::Expression> restrictions = {*Expression::parse("bx * by <= limit")};
//   Result<Space> space = build_space(parameters, restrictions, {{"limit", 64}});
//
// The space is built parameter by parameter. A restriction is checked as soon as its last parameter
// has a value. Prefixes that leave the same values in the unfinished restrictions (bx * by, say, if
// the third factor is not chosen yet) share a node, so the work depends on how far the restrictions
// reach and not on the number of configurations. It is least if parameters that one restriction
// mentions stand close together.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "tune/space/space.h"

namespace burin::tune {

// Names defined by expressions over parameters, constants and the definitions before them.
using Definitions = std::span<const std::pair<std::string, formula::Expression>>;

// Errors: a parameter without values, with more than 65,536 or with one twice; two parameters of
// one name; a name in a restriction that nothing defines; a restriction that cannot be evaluated,
// with position and configuration; a space that would need more than 400 MB; a space without any
// configuration, which names a smallest set of restrictions that contradict each other.
Result<Space> build_space(std::vector<Parameter> parameters,
                          std::span<const formula::Expression> restrictions,
                          const formula::Names& constants = {}, Definitions definitions = {});

// A set of restrictions, by position, that no configuration satisfies together, although it
// satisfies any of them but one. Sets of two and three are preferred where trying them all is
// cheap. Empty if some configuration is valid, or if that cannot be found out.
std::vector<std::size_t> conflicting_restrictions(std::span<const Parameter> parameters,
                                                  std::span<const formula::Expression> restrictions,
                                                  const formula::Names& constants = {});

}  // namespace burin::tune
