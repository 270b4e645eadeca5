#include "analyze/reshape/thread_form.h"

#include <algorithm>

namespace burin::analyze {

namespace {

std::uint8_t terms_of(const AxisForm& axis) {
  std::uint8_t terms = 0;
  for (unsigned t = 0; t < AxisForm::kTerms; ++t)
    terms |= static_cast<std::uint8_t>((axis.factors[t] != 0 ? 1u : 0u) << t);
  return terms;
}

// The instruction that combined the terms: the one that made them, where it only passes them on.
void set_combined(ThreadForm& form, const ThreadForm& a, const ThreadForm& b,
                  std::uint32_t instruction) {
  const auto same_terms = [&](const ThreadForm& source) {
    for (unsigned d = 0; d < kAxes; ++d)
      if (terms_of(source.axes[d]) != terms_of(form.axes[d])) return false;
    return true;
  };
  form.instruction = same_terms(a) ? a.instruction : same_terms(b) ? b.instruction : instruction;
}

void add_bent(AxisForm& axis, ShapeChange change, const ShapeUse& use) {
  if (change <= axis.bent) return;
  axis.bent = change;
  axis.use = use;
}

void add_bends(ThreadForm& to, const ThreadForm& from) {
  for (unsigned d = 0; d < kAxes; ++d) add_bent(to.axes[d], from.axes[d].bent, from.axes[d].use);
}

// The product of two terms of one axis, where it is a term again.
std::optional<AxisForm::Term> product_term(unsigned a, unsigned b) {
  const unsigned low = std::min(a, b);
  const unsigned high = std::max(a, b);
  if (low == AxisForm::kBlock && high == AxisForm::kBlockSize) return AxisForm::kBlockStart;
  if (low == AxisForm::kBlockSize && high == AxisForm::kGridSize) return AxisForm::kThreads;
  return std::nullopt;
}

// Multiplies term by term; empty where a product of two terms is none.
std::optional<ThreadForm> affine_product(const ThreadForm& a, const ThreadForm& b) {
  ThreadForm product = constant_form(a.constant * b.constant);
  for (unsigned d = 0; d < kAxes; ++d) {
    for (unsigned t = 0; t < AxisForm::kTerms; ++t) {
      product.axes[d].factors[t] += a.axes[d].factors[t] * b.constant;
      product.axes[d].factors[t] += b.axes[d].factors[t] * a.constant;
      if (a.axes[d].factors[t] == 0) continue;
      for (unsigned e = 0; e < kAxes; ++e) {
        for (unsigned u = 0; u < AxisForm::kTerms; ++u) {
          if (b.axes[e].factors[u] == 0) continue;
          const std::optional<AxisForm::Term> term = product_term(t, u);
          if (d != e || !term) return std::nullopt;
          product.axes[d].factors[*term] += a.axes[d].factors[t] * b.axes[e].factors[u];
        }
      }
    }
  }
  return product;
}

void widen(Positions::Range& range, std::uint32_t factor, Positions::Range values) {
  const auto f = std::int64_t{static_cast<std::int32_t>(factor)};
  range.first += f * (f < 0 ? values.last : values.first);
  range.last += f * (f < 0 ? values.first : values.last);
}

}  // namespace

bool AxisForm::of_position() const {
  AxisForm other = *this;
  other.factors[kThread] = other.factors[kBlockStart] = 0;
  return factors[kThread] == factors[kBlockStart] && other.constant();
}

ShapeChange AxisForm::change() const {
  AxisForm other = *this;
  other.factors[kThreads] = 0;
  if (!other.of_position()) return ShapeChange::kShape;
  const ShapeChange affine =
      factors[kThreads] == 0 ? ShapeChange::kNone : ShapeChange::kThreadCount;
  return std::max(affine, bent);
}

bool ThreadForm::is_constant() const {
  return known && std::ranges::all_of(axes, &AxisForm::constant);
}

ShapeUse ThreadForm::use(unsigned axis) const {
  using Kind = ShapeUse::Kind;
  const AxisForm& a = axes[axis];
  AxisForm affine = a;
  affine.bent = ShapeChange::kNone;
  if (affine.change() < a.bent || affine.change() == ShapeChange::kNone) return a.use;
  const auto& f = a.factors;
  ShapeUse use{.kind = Kind::kThreadCount, .instruction = instruction};
  if (affine.change() == ShapeChange::kThreadCount) return use;
  const std::uint32_t thread = f[AxisForm::kThread];
  const std::uint32_t block = f[AxisForm::kBlock];
  if (thread != 0 && block != 0 && block % thread == 0) {
    use.kind = Kind::kScaledBlock;
    use.factor = block / thread;
  } else if (thread != 0 && thread != f[AxisForm::kBlockStart]) {
    use.kind = Kind::kThreadIndex;
  } else if (block != 0 || f[AxisForm::kBlockStart] != thread) {
    use.kind = Kind::kBlockIndex;
  } else {
    use.kind = f[AxisForm::kBlockSize] != 0 ? Kind::kBlockSize : Kind::kGridSize;
  }
  return use;
}

bool ThreadForm::same_value(const ThreadForm& other) const {
  if (reached != other.reached || known != other.known || constant != other.constant) return false;
  for (unsigned d = 0; d < kAxes; ++d) {
    if (axes[d].factors != other.axes[d].factors || axes[d].bent != other.axes[d].bent)
      return false;
  }
  return true;
}

ThreadForm constant_form(std::uint32_t value) {
  return {.reached = true, .constant = value};
}

ThreadForm term_form(unsigned axis, AxisForm::Term term, std::uint32_t instruction) {
  ThreadForm form{.reached = true, .instruction = instruction};
  form.axes[axis].factors[term] = 1;
  return form;
}

ThreadForm unknown_form() {
  return {.reached = true, .known = false};
}

ThreadForm changing_form(ShapeUse::Kind kind, std::uint32_t instruction) {
  ThreadForm form = unknown_form();
  for (AxisForm& axis : form.axes) {
    axis.bent = ShapeChange::kShape;
    axis.use = {.kind = kind, .instruction = instruction};
  }
  return form;
}

ThreadForm form_sum(const ThreadForm& a, const ThreadForm& b, std::uint32_t instruction) {
  ThreadForm sum{.reached = true, .known = a.known && b.known, .constant = a.constant + b.constant};
  for (unsigned d = 0; d < kAxes; ++d) {
    for (unsigned t = 0; t < AxisForm::kTerms; ++t)
      sum.axes[d].factors[t] = a.axes[d].factors[t] + b.axes[d].factors[t];
  }
  add_bends(sum, a);
  add_bends(sum, b);
  if (!sum.known) sum.constant = 0;
  set_combined(sum, a, b, instruction);
  return sum;
}

ThreadForm form_scaled(const ThreadForm& a, std::uint32_t factor) {
  if (factor == 0) return constant_form(0);
  ThreadForm scaled = a;
  scaled.constant *= factor;
  for (AxisForm& axis : scaled.axes)
    for (std::uint32_t& f : axis.factors) f *= factor;
  return scaled;
}

ThreadForm form_product(const ThreadForm& a, const ThreadForm& b, std::uint32_t instruction) {
  if (a.is_constant()) return form_scaled(b, a.constant);
  if (b.is_constant()) return form_scaled(a, b.constant);
  if (a.known && b.known) {
    if (std::optional<ThreadForm> product = affine_product(a, b)) {
      set_combined(*product, a, b, instruction);
      return *product;
    }
  }
  return form_bent(a, b);
}

ThreadForm form_bent(const ThreadForm& a, const ThreadForm& b) {
  ThreadForm bent = unknown_form();
  for (unsigned d = 0; d < kAxes; ++d) {
    add_bent(bent.axes[d], a.change(d), a.use(d));
    add_bent(bent.axes[d], b.change(d), b.use(d));
  }
  return bent;
}

ThreadForm form_either(const ThreadForm& a, const ThreadForm& b) {
  if (!a.reached) return b;
  if (!b.reached) return a;
  ThreadForm either = a;
  either.known = a.known && b.known && a.constant == b.constant;
  add_bends(either, b);
  for (unsigned d = 0; d < kAxes; ++d) {
    if (a.axes[d].factors == b.axes[d].factors) continue;
    either.known = false;
    either.axes[d].factors = {};
    add_bent(either.axes[d], a.change(d), a.use(d));
    add_bent(either.axes[d], b.change(d), b.use(d));
  }
  if (!either.known) either.constant = 0;
  return either;
}

std::optional<Positions::Range> form_range(const ThreadForm& form, const Positions& positions) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  if (!form.known) return std::nullopt;
  const auto constant = std::int64_t{static_cast<std::int32_t>(form.constant)};
  Positions::Range range{constant, constant};
  for (unsigned d = 0; d < kAxes; ++d) {
    const auto& f = form.axes[d].factors;
    const std::int64_t most = positions.most[d];
    const auto threads = static_cast<std::int64_t>(launch::kMaxBlockThreads);
    if (f[AxisForm::kThread] == f[AxisForm::kBlockStart]) {
      widen(range, f[AxisForm::kThread], positions.position[d]);
    } else {
      widen(range, f[AxisForm::kThread], {0, threads - 1});
      widen(range, f[AxisForm::kBlockStart], {0, most - 1});
    }
    widen(range, f[AxisForm::kBlock], {0, most - 1});
    widen(range, f[AxisForm::kBlockSize], {1, threads});
    widen(range, f[AxisForm::kGridSize], {1, most});
    widen(range, f[AxisForm::kThreads], {1, most});
  }
  if (range.first < -kLimit || range.last >= kLimit) return std::nullopt;
  return range;
}

Positions all_positions(const launch::Launch& launch) {
  Positions all;
  const std::array<std::uint64_t, kAxes> threads{std::uint64_t{launch.grid.x} * launch.block.x,
                                                 std::uint64_t{launch.grid.y} * launch.block.y,
                                                 std::uint64_t{launch.grid.z} * launch.block.z};
  for (unsigned d = 0; d < kAxes; ++d) {
    all.most[d] = static_cast<std::int64_t>(threads[d] + launch::kMaxBlockThreads - 1);
    all.position[d] = {0, all.most[d] - 1};
  }
  return all;
}

}  // namespace burin::analyze
