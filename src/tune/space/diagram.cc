#include "tune/space/diagram.h"

#include <algorithm>

#include "base/format.h"
#include "tune/space/pending.h"
#include "tune/space/rule.h"
#include "tune/space/state_table.h"

namespace burin::tune {
namespace {

using formula::Scalar;

// The nodes of a layer: of each the indices of the parameters that undecided rules mention. They
// are those of one prefix; the others that lead to the node have the same continuations.
struct Frontier {
  std::vector<std::size_t> parameters;
  std::vector<std::uint16_t> indices;  // node × parameters
  std::size_t nodes = 0;
};

class DiagramBuilder {
 public:
  DiagramBuilder(std::span<const Parameter> parameters, const formula::Names& constants,
                 std::size_t max_words)
      : parameters_(parameters),
        constants_(constants),
        max_words_(max_words),
        scalars_(scalar_table(parameters)),
        point_(parameters.size(), 0),
        values_(parameters.size()) {
    for (const Parameter& parameter : parameters) names_.push_back(parameter.name);
  }

  Diagram build(std::span<const formula::Expression> restrictions) {
    diagram_.layers.resize(parameters_.size());
    deciding_.resize(parameters_.size());
    if (!add_rules(restrictions)) return std::move(diagram_);
    Frontier frontier;
    frontier.nodes = 1;
    for (std::size_t layer = 0; layer < parameters_.size() && frontier.nodes > 0; ++layer) {
      frontier = add_layer(layer, frontier);
      if (diagram_.failure) return std::move(diagram_);
    }
    diagram_.empty = frontier.nodes == 0;
    if (diagram_.empty) {
      for (Space::Layer& layer : diagram_.layers) layer.next.clear();
    } else {
      reduce(parameters_, diagram_.layers);
    }
    return std::move(diagram_);
  }

 private:
  // False if that settles it: no parameters are needed to see that nothing is valid.
  bool add_rules(std::span<const formula::Expression> restrictions) {
    for (const formula::Expression& restriction : restrictions) {
      Result<Rule> rule = Rule::make(restriction, parameters_, names_, constants_);
      if (!rule) return fail(rule.error());
      if (rule->parameters().empty()) {
        const Result<bool> holds = rule->holds(point_, values_);
        if (!holds) return fail(holds.error().within("restriction"));
        if (!*holds) {
          diagram_.empty = true;
          return false;
        }
      } else {
        rules_.push_back(std::move(*rule));
      }
    }
    for (Rule& rule : rules_) deciding_[rule.parameters().back()].push_back(&rule);
    return true;
  }

  bool fail(Error error) {
    diagram_.failure = Diagram::Failure{Diagram::Failure::Kind::kRestriction, std::move(error)};
    return false;
  }

  void choose(std::size_t parameter, std::size_t index) {
    point_[parameter] = static_cast<std::uint16_t>(index);
    values_[parameter] = scalars_[parameter][index];
  }

  // Whether all rules hold that the last chosen parameter decides.
  bool valid(std::size_t layer) {
    for (Rule* rule : deciding_[layer]) {
      const Result<bool> holds = rule->holds(point_, values_);
      if (!holds) {
        std::string where;
        for (const std::size_t i : rule->parameters()) {
          where += fmt::format("{}{}={}", where.empty() ? "" : ", ", names_[i],
                               formula::plain_text(parameters_[i].values[point_[i]]));
        }
        return fail({fmt::format("restriction: {}, with {}", holds.error().message, where)});
      }
      if (!*holds) return false;
    }
    return true;
  }

  Frontier add_layer(std::size_t layer, const Frontier& from) {
    std::vector<const Rule*> undecided;
    for (const Rule& rule : rules_) {
      if (rule.parameters().back() > layer) undecided.push_back(&rule);
    }
    PendingState pending(undecided, parameters_, names_, constants_, layer + 1);
    StateTable<std::uint64_t> table(pending.words());
    std::vector<std::uint64_t> key(pending.words(), 0);
    Frontier to;
    to.parameters = pending.parameters();

    const std::size_t width = parameters_[layer].values.size();
    std::vector<std::uint32_t>& next = diagram_.layers[layer].next;
    used_words_ += from.nodes * width;
    const std::size_t words_per_node = 2 * pending.words() + to.parameters.size() / 2 + 4;
    if (!within_limit(used_words_)) return to;
    next.assign(from.nodes * width, Space::kNone);
    for (std::size_t node = 0; node < from.nodes; ++node) {
      for (std::size_t i = 0; i < from.parameters.size(); ++i) {
        choose(from.parameters[i], from.indices[node * from.parameters.size() + i]);
      }
      pending.fill(false, point_, values_, key);
      for (std::size_t value = 0; value < width; ++value) {
        choose(layer, value);
        if (!valid(layer)) {
          if (diagram_.failure) return to;
          continue;
        }
        pending.fill(true, point_, values_, key);
        const auto [number, is_new] = table.number(key);
        next[node * width + value] = number;
        if (!is_new) continue;
        for (const std::size_t parameter : to.parameters) to.indices.push_back(point_[parameter]);
        if (!within_limit(used_words_ + table.size() * words_per_node)) return to;
      }
    }
    to.nodes = table.size();
    return to;
  }

  bool within_limit(std::size_t words) {
    if (words <= max_words_) return true;
    diagram_.failure = Diagram::Failure{
        Diagram::Failure::Kind::kSize,
        {fmt::format("the space of {} parameters is too large to be built in {} MB: restrictions "
                     "tie together parameters that stand far apart; list parameters that one "
                     "restriction mentions next to each other, or give them fewer values",
                     parameters_.size(), max_words_ / 250'000)}};
    return false;
  }

  std::span<const Parameter> parameters_;
  const formula::Names& constants_;
  std::size_t max_words_;
  std::vector<std::string> names_;
  ScalarTable scalars_;
  std::vector<Rule> rules_;
  std::vector<std::vector<Rule*>> deciding_;  // by their last parameter
  std::vector<std::uint16_t> point_;          // the current prefix: indices
  std::vector<Scalar> values_;                // and values
  std::size_t used_words_ = 0;
  Diagram diagram_;
};

}  // namespace

Diagram build_diagram(std::span<const Parameter> parameters,
                      std::span<const formula::Expression> restrictions,
                      const formula::Names& constants, std::size_t max_words) {
  return DiagramBuilder(parameters, constants, max_words).build(restrictions);
}

void reduce(std::span<const Parameter> parameters, std::vector<Space::Layer>& layers) {
  std::vector<std::uint32_t> new_numbers = {0};  // of the layer below
  for (std::size_t layer = layers.size(); layer-- > 0;) {
    const std::size_t width = parameters[layer].values.size();
    std::vector<std::uint32_t>& next = layers[layer].next;
    StateTable<std::uint32_t> table(width);
    std::vector<std::uint32_t> numbers(next.size() / width, Space::kNone);
    for (std::size_t node = 0; node < numbers.size(); ++node) {
      const std::span<std::uint32_t> row = std::span(next).subspan(node * width, width);
      bool alive = false;
      for (std::uint32_t& entry : row) {
        if (entry != Space::kNone) entry = new_numbers[entry];
        alive = alive || entry != Space::kNone;
      }
      if (alive) numbers[node] = table.number(row).first;
    }
    next = std::move(table.keys());
    next.shrink_to_fit();
    new_numbers = std::move(numbers);
  }
}

}  // namespace burin::tune
