#include "tune/space/space.h"

#include <algorithm>
#include <limits>

#include "base/format.h"

namespace burin::tune {
namespace {

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint64_t>::max();

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > kMaxCount - b ? kMaxCount : a + b;
}

}  // namespace

Space::Space(std::vector<Parameter> parameters, std::vector<Layer> layers)
    : parameters_(std::move(parameters)), layers_(std::move(layers)) {
  counts_.resize(layers_.size() + 1);
  counts_.back() = {1};
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    const std::size_t width = values_of(layer);
    counts_[layer].assign(width == 0 ? 0 : layers_[layer].next.size() / width, 0);
    for (std::size_t entry = 0; entry < layers_[layer].next.size(); ++entry) {
      const std::uint32_t node = layers_[layer].next[entry];
      if (node == kNone) continue;
      std::uint64_t& count = counts_[layer][entry / width];
      count = saturating_add(count, counts_[layer + 1][node]);
    }
  }
  size_ = counts_.front().empty() ? 0 : counts_.front().front();
}

Space Space::of_points(std::vector<Parameter> parameters, std::vector<Point> points) {
  std::ranges::sort(points);
  const auto repeated = std::ranges::unique(points);
  points.erase(repeated.begin(), repeated.end());

  // Points in order: each one adds nodes after the prefix it shares with the one before.
  std::vector<Layer> layers(parameters.size());
  std::vector<std::uint32_t> path(parameters.size(), 0);  // node of the current point by layer
  const auto add_node = [&](std::size_t layer) {
    std::vector<std::uint32_t>& next = layers[layer].next;
    const std::size_t width = parameters[layer].values.size();
    path[layer] = static_cast<std::uint32_t>(next.size() / width);
    next.resize(next.size() + width, kNone);
  };
  const Point* before = nullptr;
  for (const Point& point : points) {
    std::size_t shared = 0;
    if (before != nullptr) {
      while (shared < point.size() && point[shared] == (*before)[shared]) ++shared;
    } else if (!layers.empty()) {
      add_node(0);
    }
    for (std::size_t layer = shared; layer < point.size(); ++layer) {
      const bool last = layer + 1 == point.size();
      if (!last) add_node(layer + 1);
      layers[layer].next[path[layer] * parameters[layer].values.size() + point[layer]] =
          last ? 0 : path[layer + 1];
    }
    before = &point;
  }
  return Space(std::move(parameters), std::move(layers));
}

double Space::product() const {
  double product = 1;
  for (const Parameter& parameter : parameters_) {
    product *= static_cast<double>(parameter.values.size());
  }
  return product;
}

bool Space::contains(const Point& point) const {
  if (size_ == 0 || point.size() != dimensions()) return false;
  std::uint32_t node = 0;
  for (std::size_t layer = 0; layer < point.size(); ++layer) {
    if (point[layer] >= values_of(layer)) return false;
    node = child(layer, node, point[layer]);
    if (node == kNone) return false;
  }
  return true;
}

Point Space::at(std::uint64_t index) const {
  Point point(dimensions());
  std::uint32_t node = 0;
  for (std::size_t layer = 0; layer < dimensions(); ++layer) {
    for (std::size_t value = 0; value < values_of(layer); ++value) {
      const std::uint32_t next = child(layer, node, value);
      if (next == kNone) continue;
      const std::uint64_t count = counts_[layer + 1][next];
      point[layer] = static_cast<std::uint16_t>(value);
      if (index < count) {
        node = next;
        break;
      }
      index -= count;
    }
  }
  return point;
}

std::uint64_t Space::index_of(const Point& point) const {
  std::uint64_t index = 0;
  std::uint32_t node = 0;
  for (std::size_t layer = 0; layer < dimensions(); ++layer) {
    for (std::size_t value = 0; value < point[layer]; ++value) {
      const std::uint32_t next = child(layer, node, value);
      if (next != kNone) index = saturating_add(index, counts_[layer + 1][next]);
    }
    node = child(layer, node, point[layer]);
  }
  return index;
}

std::vector<Point> Space::neighbours(const Point& point, Neighbourhood kind) const {
  std::vector<Point> neighbours;
  Point other = point;
  const auto add_if_valid = [&](std::size_t parameter, std::size_t value) {
    other[parameter] = static_cast<std::uint16_t>(value);
    const bool valid = contains(other);
    if (valid) neighbours.push_back(other);
    other[parameter] = point[parameter];
    return valid;
  };
  for (std::size_t parameter = 0; parameter < dimensions(); ++parameter) {
    const std::size_t here = point[parameter];
    const std::size_t count = values_of(parameter);
    if (kind == Neighbourhood::kAnyValue) {
      for (std::size_t value = 0; value < count; ++value) {
        if (value != here) add_if_valid(parameter, value);
      }
      continue;
    }
    for (std::size_t value = here; value-- > 0;) {
      if (add_if_valid(parameter, value)) break;
    }
    for (std::size_t value = here + 1; value < count; ++value) {
      if (add_if_valid(parameter, value)) break;
    }
  }
  return neighbours;
}

std::vector<std::size_t> Space::free_parameters() const {
  std::vector<std::size_t> free;
  for (std::size_t layer = 0; layer < dimensions(); ++layer) {
    const std::size_t width = values_of(layer);
    std::vector<bool> used(width, false);
    for (std::size_t entry = 0; entry < layers_[layer].next.size(); ++entry) {
      if (layers_[layer].next[entry] != kNone) used[entry % width] = true;
    }
    if (std::ranges::count(used, true) > 1) free.push_back(layer);
  }
  return free;
}

std::string describe(const Space& space, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}={}", space.parameters()[i].name,
                        formula::plain_text(space.value(point, i)));
  }
  return text;
}

}  // namespace burin::tune
