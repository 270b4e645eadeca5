// The valid configurations of a set of tunable parameters.
//
//   Space space = …;                     // build_space() from restrictions, or of_points()
//   Point point = space.at(random.below(space.size()));
//   space.value(point, 2)                the value of the third parameter: 16
//   space.neighbours(point, Neighbourhood::kAdjacent)
//
// A point holds the index of each parameter's value. The valid points are stored as a decision
// diagram: one layer for each parameter, in which prefixes with the same valid continuations share
// a node. Counting, indexing and uniform sampling therefore never enumerate the space; a space of
// 10^15 points is as good as one of a thousand if its restrictions concern a few parameters each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formula/value.h"

namespace burin::tune {

struct Parameter {
  std::string name;
  std::vector<formula::Value> values;
};

using Point = std::vector<std::uint16_t>;

// Which valid points are neighbours of a valid point. A neighbour differs in one parameter:
enum class Neighbourhood : std::uint8_t {
  // kAdjacent: by the nearest value above or below, in the parameter's order, that gives a valid
  // point. Values that restrictions exclude are stepped over.
  kAdjacent,
  // kAnyValue: by any other value that gives a valid point.
  kAnyValue,
};

class Space {
 public:
  // One layer of the diagram: the nodes after `layer` parameters have been chosen. A node has an
  // entry for each value of the next parameter: the node of the next layer, or kNone.
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Layer {
    std::vector<std::uint32_t> next;  // node × values: node of the next layer
  };

  Space() = default;
  // The first layer has one node. After the last layer there is one end node, number 0. Nodes
  // without a valid continuation must have been removed.
  Space(std::vector<Parameter> parameters, std::vector<Layer> layers);

  // Exactly the given points; repeated ones count once.
  static Space of_points(std::vector<Parameter> parameters, std::vector<Point> points);

  std::span<const Parameter> parameters() const { return parameters_; }
  std::size_t dimensions() const { return parameters_.size(); }
  const formula::Value& value(const Point& point, std::size_t parameter) const {
    return parameters_[parameter].values[point[parameter]];
  }

  std::uint64_t size() const { return size_; }  // valid points; saturates at 2^64 - 1
  double product() const;                       // points without restrictions

  bool contains(const Point& point) const;
  Point at(std::uint64_t index) const;               // in lexicographic order; index < size()
  std::uint64_t index_of(const Point& point) const;  // the point must be valid

  // Valid neighbours, parameter by parameter.
  std::vector<Point> neighbours(const Point& point, Neighbourhood kind) const;

  // Parameters that have more than one value in valid points, so that a search can change them.
  std::vector<std::size_t> free_parameters() const;

 private:
  std::size_t values_of(std::size_t parameter) const {
    return parameters_[parameter].values.size();
  }
  std::uint32_t child(std::size_t layer, std::uint32_t node, std::size_t value) const {
    return layers_[layer].next[node * values_of(layer) + value];
  }

  std::vector<Parameter> parameters_;
  std::vector<Layer> layers_;
  std::vector<std::vector<std::uint64_t>> counts_;  // layer, node: valid continuations
  std::uint64_t size_ = 0;
};

// "block_size_x=32, tile=4"
std::string describe(const Space& space, const Point& point);

}  // namespace burin::tune
