// Builds the decision diagram of a Space, layer by layer.
//
//   Diagram diagram = build_diagram(parameters, restrictions, {}, kMaxDiagramWords);
//   if (!diagram.failure) Space space(parameters, diagram.layers);
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "formula/expression.h"
#include "tune/space/space.h"

namespace burin::tune {

struct Diagram {
  struct Failure {
    enum class Kind { kRestriction, kSize };  // one cannot be evaluated; too many nodes
    Kind kind = Kind::kRestriction;
    Error error;
  };
  std::vector<Space::Layer> layers;
  bool empty = false;  // no configuration is valid; the layers have no nodes
  std::optional<Failure> failure;
};

inline constexpr std::size_t kMaxDiagramWords = 100'000'000;  // of 4 bytes: 400 MB

// The parameters and names have been checked (build_space.h). The restrictions must all hold.
Diagram build_diagram(std::span<const Parameter> parameters,
                      std::span<const formula::Expression> restrictions,
                      const formula::Names& constants, std::size_t max_words);

// Removes nodes without a valid continuation and merges equal ones, from the last layer up.
void reduce(std::span<const Parameter> parameters, std::vector<Space::Layer>& layers);

}  // namespace burin::tune
