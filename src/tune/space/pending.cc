#include "tune/space/pending.h"

#include <algorithm>
#include <bit>

#include "formula/node.h"

namespace burin::tune {
namespace {

constexpr unsigned kKindBits = 4;
constexpr std::uint64_t kNoValueKind = 15;

// The largest parts of a tree whose names all have values, and of which one is a parameter.
class KnownParts {
 public:
  KnownParts(std::span<const std::string> names, std::size_t chosen)
      : names_(names), chosen_(chosen) {}

  // Adds those below `node`, unless `node` itself is known: then the caller may be too.
  bool collect(const formula::Node& node, std::vector<const formula::Node*>& parts) {
    if (node.op == formula::Op::kName) return position(node) < chosen_ || !is_parameter(node);
    std::vector<const formula::Node*> known;
    std::vector<const formula::Node*> below;
    for (const formula::Node& operand : node.operands) {
      if (collect(operand, below)) known.push_back(&operand);
    }
    // A list has no value of its own.
    if (known.size() == node.operands.size() && node.op != formula::Op::kList) return true;
    for (const formula::Node* part : known) {
      if (mentions_parameter(*part)) below.push_back(part);
    }
    parts.insert(parts.end(), below.begin(), below.end());
    return false;
  }

  bool mentions_parameter(const formula::Node& node) const {
    if (node.op == formula::Op::kName) return is_parameter(node);
    return std::ranges::any_of(
        node.operands, [&](const formula::Node& operand) { return mentions_parameter(operand); });
  }

 private:
  std::size_t position(const formula::Node& node) const {
    return static_cast<std::size_t>(std::ranges::find(names_, node.name) - names_.begin());
  }
  bool is_parameter(const formula::Node& node) const { return position(node) < names_.size(); }

  std::span<const std::string> names_;
  std::size_t chosen_;
};

bool is_within(const std::vector<std::size_t>& inner, const std::vector<std::size_t>& outer) {
  return std::ranges::includes(outer, inner);
}

}  // namespace

PendingState::PendingState(std::span<const Rule* const> undecided, std::span<const Parameter> all,
                           std::span<const std::string> names, const formula::Names& constants,
                           std::size_t chosen) {
  struct Part {
    formula::Expression expression;
    std::vector<std::size_t> parameters;
  };
  std::map<std::string, Part> parts;  // by normal form: each once
  for (const Rule* rule : undecided) {
    for (const std::size_t parameter : rule->parameters()) {
      if (parameter < chosen) parameters_.push_back(parameter);
    }
    std::vector<const formula::Node*> found;
    KnownParts(names, chosen).collect(rule->expression().root(), found);
    for (const formula::Node* node : found) {
      formula::Expression expression = rule->expression().part(*node);
      std::vector<std::size_t> parameters = mentioned(expression, names);
      parts.emplace(formula::to_string(*node), Part{std::move(expression), std::move(parameters)});
    }
  }
  std::ranges::sort(parameters_);
  const auto repeated = std::ranges::unique(parameters_);
  parameters_.erase(repeated.begin(), repeated.end());

  // A part of parameters that are in the key by themselves adds nothing to it.
  std::vector<std::size_t> alone;
  for (const auto& [text, part] : parts) {
    if (part.expression.root().op == formula::Op::kName) alone.push_back(part.parameters.front());
  }
  std::ranges::sort(alone);
  std::erase_if(parts, [&](const auto& entry) {
    return entry.second.expression.root().op != formula::Op::kName &&
           is_within(entry.second.parameters, alone);
  });
  if (parts.size() >= parameters_.size()) {  // the parameters' values say as much
    for (const std::size_t parameter : parameters_) add_index(parameter, all, chosen);
    return;
  }
  for (auto& [text, part] : parts) {
    const bool last = part.parameters.back() + 1 == chosen;
    if (part.expression.root().op == formula::Op::kName) {
      add_index(part.parameters.front(), all, chosen);
    } else {
      terms_.push_back({place(64, last), place(kKindBits, last), std::move(part.parameters),
                        *part.expression.evaluator(names, constants)});
    }
  }
}

PendingState::Field PendingState::place(unsigned bits, bool last) {
  std::size_t word = 0;
  while (word < used_bits_.size() && used_bits_[word] + bits > 64) ++word;
  if (word == used_bits_.size()) used_bits_.push_back(0);
  const Field field{word, used_bits_[word], bits, last};
  used_bits_[word] += bits;
  return field;
}

void PendingState::add_index(std::size_t parameter, std::span<const Parameter> all,
                             std::size_t chosen) {
  const auto bits = static_cast<unsigned>(std::bit_width(all[parameter].values.size()));
  indices_.push_back({place(bits, parameter + 1 == chosen), parameter});
}

void PendingState::fill(bool last, std::span<const std::uint16_t> point,
                        std::span<const formula::Scalar> values, std::span<std::uint64_t> key) {
  const auto put = [&](const Field& field, std::uint64_t value) {
    const std::uint64_t mask =
        field.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.bits) - 1;
    key[field.word] = (key[field.word] & ~(mask << field.shift)) | value << field.shift;
  };
  for (const Index& index : indices_) {
    if (index.last == last) put(index, point[index.parameter]);
  }
  for (const Term& term : terms_) {
    if (term.last != last) continue;
    std::uint64_t kind = 0;
    put(term, word_of(term, point, values, kind));
    put(term.kind, kind);
  }
}

std::uint64_t PendingState::word_of(const Term& term, std::span<const std::uint16_t> point,
                                    std::span<const formula::Scalar> values, std::uint64_t& kind) {
  const Result<formula::Scalar> value = term.evaluator.evaluate(values);
  if (!value) {  // a division by zero that the rest of the restriction may guard against
    std::vector<std::uint16_t> indices;
    for (const std::size_t parameter : term.parameters) indices.push_back(point[parameter]);
    kind = kNoValueKind;
    return without_value_.emplace(std::move(indices), without_value_.size()).first->second;
  }
  kind = static_cast<std::uint64_t>(value->kind);
  switch (value->kind) {
    case formula::Scalar::Kind::kText:
      return texts_.emplace(*value->text, texts_.size()).first->second;
    case formula::Scalar::Kind::kReal:
      return std::bit_cast<std::uint64_t>(value->real);
    default:
      return static_cast<std::uint64_t>(value->integer);
  }
}

}  // namespace burin::tune
