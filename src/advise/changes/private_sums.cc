// Private sums for each block, instead of atomics on global memory by every thread, in a kernel
// whose blocks each do the work of several blocks.
//
//   extern "C" __global__ void count(const int* a, int* bins, int n) {
//     __shared__ int bins_block[64];                                   // added
//     …                                                                // added: all 0
//     for (unsigned b = blockIdx.x; b < 65536; b += gridDim.x) {       // added
//     const uint3 block_index = {b, 0, 0};                             // added
//     int i = block_index.x * blockDim.x + threadIdx.x;                // was blockIdx.x
//     if (i < n) atomicAdd(&bins_block[a[i]], 1);                      // was bins
//     }                                                                // added
//     …                                                                // added: one for each sum
//   }
//
// A single sum is kept in a register of each thread. A kernel that mentions gridDim already has
// such a loop and keeps its launch.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "advise/changes/parameters.h"
#include "advise/changes/propose.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {
namespace {

constexpr std::uint64_t kMaxSharedBytes = 48 * 1024;  // static shared memory of a block
constexpr std::uint64_t kMinBlocksEach = 4;  // original blocks per new block; fewer do not pay off
constexpr unsigned kUnroll = 4;

// Types that can be shuffled and added atomically.
const std::map<std::string, unsigned>& element_sizes() {
  static const std::map<std::string, unsigned> sizes = {
      {"int", 4},   {"unsigned", 4},           {"unsigned int", 4}, {"uint32_t", 4},
      {"float", 4}, {"unsigned long long", 8}, {"double", 8}};
  return sizes;
}

struct AtomicCall {
  std::size_t call = 0;   // tokens: atomicAdd
  std::size_t comma = 0;  // after the first argument
  std::size_t name = 0;   // the parameter, in the first argument
  bool is_first = false;  // adds to the first element: atomicAdd(count, …)
};

struct SumTarget {
  std::string name{};  // of the parameter
  std::string type{};
  std::uint64_t elements = 0;
  bool is_single = true;
  std::vector<AtomicCall> calls{};
};

std::string type_text(const CudaText& source, const ParameterText& p) {
  std::string text;
  for (std::size_t i = p.first; i < p.star; ++i) {
    if (source.is(i, "const")) continue;
    text += (text.empty() ? "" : " ") + std::string(source.of(i));
  }
  return text;
}

// Parses a statement atomicAdd(…, …);. Error: a clause that says what does not fit.
Result<AtomicCall> atomic_call(const CudaText& source, std::size_t call) {
  AtomicCall found{.call = call};
  const std::string_view before = source.of(source.previous(call));
  const std::size_t open = source.next(call);
  const std::size_t close = source.is(open, "(") ? source.partner(open) : CudaText::kNone;
  if (close == CudaText::kNone) return Error{"the call cannot be read"};
  const bool statement =
      before == ";" || before == "{" || before == "}" || before == ")" || before == "else";
  if (!statement || !source.is(source.next(close), ";")) return Error{"its result is used"};
  std::size_t i = open + 1;
  for (; i < close && !source.is(i, ","); ++i) {
    if (source.partner(i) != CudaText::kNone && source.partner(i) > i) i = source.partner(i);
  }
  if (i >= close) return Error{"the call has one argument"};
  found.comma = i;
  const std::size_t first = open + 1;
  found.name = source.is(first, "&") ? first + 1 : first;
  const std::size_t after = found.name + 1;
  const bool indexed =
      source.is(first, "&") && source.is(after, "[") && source.partner(after) + 1 == found.comma;
  const bool bare = !source.is(first, "&") && after == found.comma;
  if (!source.is_word(found.name) || !(indexed || bare)) {
    return Error{"its address is not &array[index]"};
  }
  found.is_first = bare || (source.partner(after) == after + 2 && source.is(after + 1, "0"));
  return found;
}

struct LoopNames {
  std::string block{};  // counts the blocks
  std::string index{};  // stands for blockIdx
  std::string line_ending{};
  bool unrolled = false;
};

// The loop over the blocks of a grid, up to its first statement.
std::string loop_head(const LoopNames& names, launch::Dims grid) {
  std::string text;
  const auto line = [&](const std::string& words) {
    text += fmt::format("{}    {}", names.line_ending, words);
  };
  const std::string& b = names.block;
  line(fmt::format("// Does the work of {} blocks.", grid.total()));
  if (names.unrolled) line(fmt::format("#pragma unroll {}", kUnroll));
  line(fmt::format("for (unsigned {0} = blockIdx.x; {0} < {1}; {0} += gridDim.x) {{", b,
                   grid.total()));
  std::string index = fmt::format("{{{}, 0, 0}}", b);
  if (grid.z > 1) {
    index = fmt::format("{{{0} % {1}, {0} / {1} % {2}, {0} / {3}}}", b, grid.x, grid.y,
                        std::uint64_t{grid.x} * grid.y);
  } else if (grid.y > 1) {
    index = fmt::format("{{{0} % {1}, {0} / {1}, 0}}", b, grid.x);
  }
  line(fmt::format("const uint3 {} = {};", names.index, index));
  return text;
}

class PrivateSums {
 public:
  explicit PrivateSums(const ProposalInput& input)
      : input_(input), source_(input.source), f_(*input.kernel()) {}

  // Error: why the change is not possible. Nothing if there are no atomics.
  Result<std::optional<Change>> make(bool unrolled) {
    if (Result<void> read = find_targets(); !read) return read.error();
    if (targets_.empty()) return std::optional<Change>();
    loops_ = std::none_of(
        source_.tokens().begin() + static_cast<std::ptrdiff_t>(f_.open_body),
        source_.tokens().begin() + static_cast<std::ptrdiff_t>(f_.close_body),
        [&](const Token& t) { return source_.text().compare(t.offset, t.length, "gridDim") == 0; });
    const launch::Dims grid = input_.c.grid;
    if (loops_) {
      if (Result<void> fits = check_body(); !fits) return fits.error();
    }
    Change change{.family = "private-sums", .place = input_.at(f_.first_line)};
    change.rules = {"atomic-contention"};
    change.edits = edits(grid, unrolled);
    std::vector<std::string> names;
    for (const SumTarget& t : targets_) {
      names.push_back(
          fmt::format("{} in {}", t.name, t.is_single ? "a register" : "shared memory"));
      if (t.type == "float" || t.type == "double") change.rounds_differently = true;
    }
    change.title = fmt::format("private sums of {}", list_of(names, names.size()));
    if (!loops_ && unrolled) return std::optional<Change>();
    if (loops_) {
      const std::uint64_t blocks = resident_blocks();
      if (grid.total() < kMinBlocksEach * blocks) return Error{"the grid is small already"};
      change.grid = launch::Dims{static_cast<std::uint32_t>(blocks), 1, 1};
      change.title += fmt::format(", each block does the work of several{}, --grid {}",
                                  unrolled ? fmt::format(", unrolled by {}", kUnroll) : "", blocks);
      change.condition =
          fmt::format("The kernel is then for the {} blocks of this launch, whatever grid it gets.",
                      grid.total());
      // Copied, since the source text may no longer exist when it is used.
      change.for_grid = [edits = change.edits, head = declarations(), loop = loop_names(unrolled),
                         blocks](launch::Dims other) {
        const std::uint64_t each = (other.total() + kMinBlocksEach - 1) / kMinBlocksEach;
        GridForm form{.edits = edits};
        form.edits.front().text = head + loop_head(loop, other);
        form.grid = {static_cast<std::uint32_t>(std::min(blocks, each)), 1, 1};
        return form;
      };
    }
    return std::optional(std::move(change));
  }

 private:
  // The pointers that are only added to, with their properties.
  Result<void> find_targets() {
    const std::vector<ParameterText> parameters = parameters_of(source_, f_);
    const launch::Launch& launch = input_.c.study->launch();
    for (std::size_t i = f_.open_body; i < f_.close_body; ++i) {
      if (!source_.is(i, "atomicAdd")) continue;
      const Result<AtomicCall> call = atomic_call(source_, i);
      if (!call) return call.error();
      const std::string name(source_.of(call->name));
      auto target = std::ranges::find(targets_, name, &SumTarget::name);
      if (target == targets_.end()) {
        const auto parameter = std::ranges::find_if(parameters, [&](const ParameterText& p) {
          return p.is_plain && p.star != CudaText::kNone && source_.of(p.last) == name;
        });
        if (parameter == parameters.end()) return Error{name + " is not a pointer of the kernel"};
        const std::string type = type_text(source_, *parameter);
        const auto size = element_sizes().find(type);
        if (size == element_sizes().end()) return Error{"sums of type " + type};
        const auto position = static_cast<std::size_t>(parameter - parameters.begin());
        const Result<const launch::Buffer*> buffer = launch::buffer_at(launch, position);
        if (!buffer || parameters.size() != launch.arguments.size()) {
          return Error{"the size of " + name + " is not known"};
        }
        targets_.push_back(
            {.name = name, .type = type, .elements = (*buffer)->size / size->second});
        target = targets_.end() - 1;
      }
      target->is_single = target->is_single && call->is_first;
      target->calls.push_back(*call);
    }
    return check_targets();
  }

  Result<void> check_targets() const {
    std::uint64_t shared = input_.c.kernel.function->shared_bytes;
    for (const SumTarget& t : targets_) {
      shared += (t.is_single ? 1 : t.elements) * element_sizes().at(t.type);
      for (std::size_t i = f_.open_body; i < f_.close_body; ++i) {
        const bool added_to =
            std::ranges::any_of(t.calls, [&](const AtomicCall& call) { return call.name == i; });
        if (source_.is(i, t.name) && !added_to) return Error{t.name + " is used elsewhere too"};
      }
    }
    if (shared > kMaxSharedBytes) return Error{"the sums do not fit into shared memory"};
    if (input_.c.block.total() % 32 != 0) return Error{"blocks have an incomplete warp"};
    return {};
  }

  // Whether the body can be placed in a loop over blocks.
  Result<void> check_body() const {
    bool returns = false;
    bool barriers = false;
    for (const FunctionText& f : input_.functions) {
      if (!input_.is_part(f) || &f == input_.kernel()) continue;
      for (std::size_t i = f.open_body; i < f.close_body; ++i) {
        if (source_.is(i, "blockIdx") || source_.is(i, "gridDim")) {
          return Error{f.name + " uses " + std::string(source_.of(i))};
        }
      }
    }
    const std::vector<LoopText> loops = loops_of(source_, f_);
    for (std::size_t i = f_.open_body; i < f_.close_body; ++i) {
      const std::string_view word = source_.of(i);
      if (word == "goto" || word == "switch" || word == "asm") {
        return Error{fmt::format("the kernel has a {} statement", word)};
      }
      if (word.starts_with("__sync") || word == "this_thread_block") barriers = true;
      if (word != "return") continue;
      returns = true;
      if (std::ranges::any_of(loops,
                              [&](const LoopText& l) { return l.keyword < i && i <= l.last; })) {
        return Error{"the kernel returns from within a loop"};
      }
    }
    if (returns && barriers) return Error{"the kernel has barriers and returns early"};
    barriers_ = barriers;
    return {};
  }

  // A name that the file does not use.
  std::string fresh(const std::string& wanted) const {
    std::string name = wanted;
    const auto used = [&] {
      return std::ranges::any_of(source_.tokens(), [&](const Token& t) {
        return source_.text().compare(t.offset, t.length, name) == 0;
      });
    };
    while (used()) name += "_";
    return name;
  }

  std::string thread() const {
    const launch::Dims block = input_.c.block;
    if (block.y * block.z == 1) return "threadIdx.x";
    if (block.z == 1) return "(threadIdx.y * blockDim.x + threadIdx.x)";
    return "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)";
  }

  std::string threads() const {
    const launch::Dims block = input_.c.block;
    if (block.y * block.z == 1) return "blockDim.x";
    return block.z == 1 ? "blockDim.x * blockDim.y" : "blockDim.x * blockDim.y * blockDim.z";
  }

  std::string shared_name(const SumTarget& t) const { return fresh(t.name + "_block"); }
  std::string register_name(const SumTarget& t) const { return fresh(t.name + "_thread"); }

  // A loop over the sums of an array, by all threads.
  std::string over_sums(const SumTarget& t, const std::string& index) const {
    return fmt::format("for (unsigned {0} = {1}; {0} < {2}; {0} += {3})", index, thread(),
                       t.elements, threads());
  }

  // The code before the body, without the loop.
  std::string declarations() const {
    std::string text;
    const auto line = [&](const std::string& words) {
      text += fmt::format("{}    {}", source_.line_ending(), words);
    };
    const std::string k = fresh("k");
    for (const SumTarget& t : targets_) {
      const std::string shared = shared_name(t);
      line(t.is_single ? fmt::format("__shared__ {} {};", t.type, shared)
                       : fmt::format("__shared__ {} {}[{}];", t.type, shared, t.elements));
      line(t.is_single ? fmt::format("if ({} == 0) {} = 0;", thread(), shared)
                       : fmt::format("{} {}[{}] = 0;", over_sums(t, k), shared, k));
      if (t.is_single) line(fmt::format("{} {} = 0;", t.type, register_name(t)));
    }
    line("__syncthreads();");
    return text;
  }

  LoopNames loop_names(bool unrolled) const {
    return {.block = fresh("b"),
            .index = fresh("block_index"),
            .line_ending = std::string(source_.line_ending()),
            .unrolled = unrolled};
  }

  std::string after_body() const {
    const std::string_view end = source_.line_ending();
    std::string text;
    const auto line = [&](const std::string& words) {
      text += fmt::format("    {}{}", words, end);
    };
    if (loops_ && barriers_) line("__syncthreads();");
    if (loops_) line("}");
    for (const SumTarget& t : targets_) {
      if (!t.is_single) continue;
      const std::string sum = register_name(t);
      const std::string offset = fresh("offset");
      line(
          fmt::format("for (int {0} = 16; {0} > 0; {0} /= 2) {1} += __shfl_down_sync(0xffffffff, "
                      "{1}, {0});",
                      offset, sum));
      line(fmt::format("if ({} % 32 == 0) atomicAdd(&{}, {});", thread(), shared_name(t), sum));
    }
    line("__syncthreads();");
    for (const SumTarget& t : targets_) {
      const std::string shared = shared_name(t);
      const std::string k = fresh("k");
      line(t.is_single ? fmt::format("if ({} == 0 && {} != 0) atomicAdd({}, {});", thread(), shared,
                                     t.name, shared)
                       : fmt::format("{0} if ({1}[{2}] != 0) atomicAdd(&{3}[{2}], {1}[{2}]);",
                                     over_sums(t, k), shared, k, t.name));
    }
    return text;
  }

  TextEdit replaced(std::size_t token, std::string text) const {
    const Token& t = source_.tokens()[token];
    return {t.offset, t.length, std::move(text)};
  }

  std::vector<TextEdit> edits(launch::Dims grid, bool unrolled) const {
    std::vector<TextEdit> all;
    all.push_back({source_.tokens()[f_.open_body].offset + 1, 0,
                   declarations() + (loops_ ? loop_head(loop_names(unrolled), grid) : "")});
    for (const SumTarget& t : targets_) {
      for (const AtomicCall& call : t.calls) {
        if (!t.is_single) {
          all.push_back(replaced(call.name, shared_name(t)));
          continue;
        }
        const std::size_t from = source_.tokens()[call.call].offset;
        const std::size_t to = source_.tokens()[call.comma].offset + 1;
        all.push_back({from, to - from, register_name(t) + " += ("});
      }
    }
    for (std::size_t i = f_.open_body; loops_ && i < f_.close_body; ++i) {
      if (source_.is(i, "blockIdx")) all.push_back(replaced(i, fresh("block_index")));
      if (source_.is(i, "return")) all.push_back(replaced(i, "continue"));
    }
    const std::size_t close = source_.tokens()[f_.close_body].offset;
    const bool own_line = source_.starts_line(f_.close_body);
    const std::size_t at =
        own_line ? source_.line_start(source_.tokens()[f_.close_body].line) : close;
    all.push_back({at, 0, (own_line ? "" : std::string(source_.line_ending())) + after_body()});
    return all;
  }

  // The grid that fills every SM, as far as its thread and block limits allow.
  std::uint64_t resident_blocks() const {
    const machine::Machine& m = input_.c.machine;
    const double warps = static_cast<double>(input_.c.block.total()) / 32;
    const double each = std::min(m.limit.blocks, std::max(1.0, std::floor(m.limit.warps / warps)));
    return static_cast<std::uint64_t>(each * m.sm.count);
  }

  const ProposalInput& input_;
  const CudaText& source_;
  const FunctionText& f_;
  std::vector<SumTarget> targets_{};
  bool loops_ = true;              // the body is put into a loop over blocks
  mutable bool barriers_ = false;  // of the body
};

}  // namespace

void propose_private_sums(const ProposalInput& input, Proposals& all) {
  if (input.kernel() == nullptr) return;
  for (const bool unrolled : {false, true}) {
    Result<std::optional<Change>> made = PrivateSums(input).make(unrolled);
    if (!made) {
      all.refused.push_back(
          {"private sums instead of atomics on global memory", made.error().message});
      return;
    }
    if (*made) all.changes.push_back(std::move(**made));
  }
}

}  // namespace burin::advise
