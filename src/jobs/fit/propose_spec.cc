#include "jobs/fit/propose_spec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "base/format.h"
#include "base/numbers.h"

namespace burin::jobs {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // more is an address or a hash
constexpr std::int64_t kMaxResults = 64;                  // per thread, along an axis
constexpr std::int64_t kMaxElementBytes = 64;
constexpr std::size_t kMaxSizes = 8;
constexpr std::array kSide = {"block_size_x", "block_size_y", "block_size_z"};
constexpr std::array<std::uint32_t launch::Dims::*, 3> kAxes = {&launch::Dims::x, &launch::Dims::y,
                                                                &launch::Dims::z};

std::int64_t ceildiv(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

std::string size_name(std::size_t argument) {
  return fmt::format("n{}", argument);
}

class SpecProposer {
 public:
  explicit SpecProposer(std::span<const ObservedLaunch> launches)
      : launches_(launches), count_(launches.front().arguments.size()) {}

  Result<ProposedSpec> propose(const std::string& kernel, const std::string& source) {
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
      if (Result<void> done = find_grid(axis); !done) return done.error();
    }
    if (sizes_.empty()) {
      return Error{
          fmt::format("{}: no argument explains the grid of {} blocks of {} threads; write "
                      "a spec that says how it follows from the size",
                      kernel, launches_.front().grid.total(), launches_.front().block.total())};
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_size_like(i) && varies(i) && of_sizes(i).empty()) sizes_.push_back(i);
    }
    write(kernel, source);
    return std::move(result_);
  }

 private:
  std::int64_t value(std::size_t launch, std::size_t argument) const {
    return *launches_[launch].arguments[argument].integer();
  }
  bool is_size_like(std::size_t argument) const {
    return std::ranges::all_of(launches_, [&](const ObservedLaunch& l) {
      const ObservedArgument& at = l.arguments[argument];
      const std::optional<std::int64_t> number = at.integer();
      return !at.buffer_bytes && number && *number >= 1 && *number <= kLargest;
    });
  }
  bool varies(std::size_t argument) const {
    return std::ranges::any_of(launches_, [&](const ObservedLaunch& l) {
      return *l.arguments[argument].integer() != value(0, argument);
    });
  }
  bool of_all(const std::function<bool(std::size_t)>& holds) const {
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      if (!holds(l)) return false;
    }
    return true;
  }
  bool known(std::size_t argument) const {
    return std::ranges::find(sizes_, argument) != sizes_.end();
  }
  void add_size(std::size_t argument) {
    if (!known(argument)) sizes_.push_back(argument);
  }

  // The blocks along an axis: so many threads each, several results per thread, or a block each.
  Result<void> find_grid(std::size_t axis) {
    const auto blocks = [&](std::size_t l) {
      return static_cast<std::int64_t>(launches_[l].grid.*kAxes[axis]);
    };
    const auto threads = [&](std::size_t l) {
      return static_cast<std::int64_t>(launches_[l].block.*kAxes[axis]);
    };
    if (of_all([&](std::size_t l) { return blocks(l) == 1 && threads(l) == 1; })) {
      grid_.emplace_back("1");
      return {};
    }
    for (std::int64_t each = 1; each <= kMaxResults; ++each) {
      const std::vector<std::size_t> found = arguments_where([&](std::size_t l, std::size_t i) {
        return blocks(l) == ceildiv(value(l, i), each * threads(l));
      });
      if (found.empty()) continue;
      const std::size_t chosen = choose(found, axis);
      add_size(chosen);
      free_[axis] = true;
      grid_.push_back(
          each == 1 ? fmt::format("ceildiv({}, {})", size_name(chosen), kSide[axis])
                    : fmt::format("ceildiv({}, {} * {})", size_name(chosen), each, kSide[axis]));
      return {};
    }
    // As many blocks as an argument says, whatever their threads.
    const std::vector<std::size_t> same =
        arguments_where([&](std::size_t l, std::size_t i) { return blocks(l) == value(l, i); });
    if (!same.empty()) {
      const std::size_t chosen = choose(same, axis);
      add_size(chosen);
      grid_.push_back(size_name(chosen));
      return {};
    }
    if (of_all([&](std::size_t l) { return blocks(l) == blocks(0); })) {
      grid_.push_back(std::to_string(blocks(0)));
      return {};
    }
    return Error{
        fmt::format("the number of blocks along {} ({} of {} threads) is not the quotient "
                    "of an argument and the block's side; write a spec that says how it "
                    "follows from the size",
                    "xyz"[axis], blocks(0), threads(0))};
  }

  std::vector<std::size_t> arguments_where(
      const std::function<bool(std::size_t, std::size_t)>& holds) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < count_; ++i) {
      if (is_size_like(i) && of_all([&](std::size_t l) { return holds(l, i); })) found.push_back(i);
    }
    return found;
  }

  // One that varies rather than a constant, and one that no other axis has.
  std::size_t choose(const std::vector<std::size_t>& found, std::size_t axis) {
    const auto best = std::ranges::max_element(
        found, {}, [&](std::size_t i) { return std::pair(!known(i), varies(i)); });
    for (const std::size_t other : found) {
      const bool equal = of_all([&](std::size_t l) { return value(l, other) == value(l, *best); });
      if (other == *best || known(other) || known(*best) || !equal) continue;
      result_.notes.push_back(fmt::format(
          "arguments {} and {} are equal in all launches: {} is taken for the size along {}", *best,
          other, *best, "xyz"[axis]));
      break;
    }
    return *best;
  }

  // An argument as a multiple of a size: "n0", "4*n0"; "" if it is none.
  std::string of_sizes(std::size_t argument) const {
    for (const std::size_t size : sizes_) {
      if (size == argument) return size_name(size);
      const std::int64_t times = value(0, argument) / value(0, size);
      const bool same = times >= 1 && of_all([&](std::size_t l) {
                          return value(l, argument) == times * value(l, size);
                        });
      if (same && varies(argument)) {
        return times == 1 ? size_name(size) : fmt::format("{}*{}", times, size_name(size));
      }
    }
    return "";
  }

  // Bytes of a buffer as a multiple of a product of sizes, the most sizes first.
  std::string bytes_of(std::size_t argument) {
    const std::size_t sets = std::size_t{1} << std::min<std::size_t>(sizes_.size(), 6);
    std::vector<std::size_t> order;
    for (std::size_t set = 1; set < sets; ++set) order.push_back(set);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [](std::size_t s) { return std::popcount(s); });
    const auto buffer = [&](std::size_t l) {
      return static_cast<std::int64_t>(*launches_[l].arguments[argument].buffer_bytes);
    };
    for (const std::size_t set : order) {
      const auto product = [&](std::size_t l) {
        std::int64_t all = 1;
        for (std::size_t k = 0; k < sizes_.size() && k < 6; ++k) {
          if ((set >> k & 1) != 0) all *= std::min(value(l, sizes_[k]), kLargest >> 8);
          if (all > kLargest) return kLargest;
        }
        return all;
      };
      const std::int64_t each = buffer(0) / product(0);
      if (each < 1 || each > kMaxElementBytes) continue;
      if (!of_all([&](std::size_t l) { return buffer(l) == each * product(l); })) continue;
      std::string text = std::to_string(each);
      for (std::size_t k = 0; k < sizes_.size() && k < 6; ++k) {
        if ((set >> k & 1) != 0) text += "*" + size_name(sizes_[k]);
      }
      return "{" + text + "}";
    }
    std::int64_t most = 1;
    for (std::size_t l = 0; l < launches_.size(); ++l) most = std::max(most, buffer(l));
    if (launches_.size() > 1) {
      result_.notes.push_back(fmt::format(
          "the size of buffer {} does not follow from the sizes: {} bytes are taken for all",
          argument, most));
    }
    return std::to_string(most);
  }

  std::string argument_text(std::size_t i) {
    const ObservedArgument& last = launches_.back().arguments[i];
    if (last.buffer_bytes) return fmt::format("buf:{}:zero", bytes_of(i));
    const std::size_t bytes = last.bytes.size();
    if (last.integer() && is_size_like(i)) {
      const std::string text = of_sizes(i);
      if (!text.empty()) return fmt::format("{}:{{{}}}", bytes == 4 ? "i32" : "i64", text);
    }
    const bool same =
        of_all([&](std::size_t l) { return launches_[l].arguments[i].bytes == last.bytes; });
    if (!same) {
      result_.notes.push_back(fmt::format(
          "argument {} differs between launches and is no size: the last one's is taken", i));
    }
    if (last.integer()) return fmt::format("{}:{}", bytes == 4 ? "i32" : "i64", *last.integer());
    std::string text = "hex:";
    for (const std::uint8_t byte : last.bytes) text += fmt::format("{:02x}", byte);
    return text;
  }

  // Recorded sizes, by work, spread evenly if there are many.
  std::vector<std::string> recorded_sizes() const {
    std::set<std::pair<double, std::vector<std::int64_t>>> all;
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      std::vector<std::int64_t> values;
      double work = 0;
      for (const std::size_t size : sizes_) {
        values.push_back(value(l, size));
        work += std::log(static_cast<double>(values.back()));
      }
      all.emplace(work, std::move(values));
    }
    const std::vector<std::pair<double, std::vector<std::int64_t>>> order(all.begin(), all.end());
    std::vector<std::string> texts;
    const std::size_t taken = std::min(kMaxSizes, order.size());
    for (std::size_t k = 0; k < taken; ++k) {
      const std::size_t at = taken == 1 ? 0 : k * (order.size() - 1) / (taken - 1);
      std::string text;
      for (std::size_t s = 0; s < sizes_.size(); ++s) {
        text +=
            fmt::format("{}{} = {}", s == 0 ? "" : ", ", size_name(sizes_[s]), order[at].second[s]);
      }
      texts.push_back("  { " + text + " },\n");
    }
    return texts;
  }

  // Of the block: those after them have one thread and one block.
  std::size_t dimensions() const {
    std::size_t all = 1;
    for (std::size_t axis = 1; axis < kAxes.size(); ++axis) {
      const bool one = of_all([&](std::size_t l) { return launches_[l].block.*kAxes[axis] == 1; });
      if (free_[axis] || !one) all = axis + 1;
    }
    return all;
  }

  void write(const std::string& kernel, const std::string& source) {
    std::string& text = result_.text;
    const auto free = std::ranges::count(free_, true);
    const std::span sides(kSide.begin(), dimensions());
    text = fmt::format("kernel = \"{}\"\nsource = \"{}\"\n", kernel, source);
    text += fmt::format("restrictions = [\"32 <= {} <= 1024\"]\n", fmt::join(sides, " * "));
    text += "\n[problem]\nsizes = [\n";
    for (const std::string& size : recorded_sizes()) text += size;
    text += "]\n\n[tunables]\n";
    for (std::size_t axis = 0; axis < sides.size(); ++axis) {
      std::string values = std::to_string(launches_.back().block.*kAxes[axis]);
      if (free_[axis]) {
        values = free == 1 && axis == 0 ? "32, 64, 128, 256, 512, 1024"
                                        : "1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024";
      }
      if (free_[axis] && axis == 2) values = "1, 2, 4, 8, 16, 32, 64";
      text += fmt::format("{} = [{}]\n", kSide[axis], values);
    }
    text += fmt::format("\n[launch]\nblock = [\"{}\"]\ngrid = [\"{}\"]\n",
                        fmt::join(sides, "\", \""), fmt::join(grid_, "\", \""));
    if (const std::uint32_t bytes = launches_.back().shared_bytes; bytes > 0) {
      text += fmt::format("shared_bytes = {}\n", bytes);
      result_.notes.push_back(fmt::format(
          "{} bytes of dynamic shared memory are taken for every shape of the block", bytes));
    }
    text += "args = [\n";
    for (std::size_t i = 0; i < count_; ++i) text += fmt::format("  \"{}\",\n", argument_text(i));
    text += "]\n";
    if (recorded_sizes().size() == 1) {
      result_.notes.emplace_back("all recorded launches have the same size");
    }
    result_.notes.emplace_back(
        "buffers are filled with zeros: edit the spec where the time depends on their contents");
  }

  std::span<const ObservedLaunch> launches_;
  std::size_t count_;
  std::vector<std::size_t> sizes_;  // arguments
  std::vector<std::string> grid_;   // expressions
  std::array<bool, 3> free_{};      // sides of the block that the grid makes up for
  ProposedSpec result_;
};

}  // namespace

std::optional<std::int64_t> ObservedArgument::integer() const {
  if (bytes.size() == 4) {
    std::int32_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }
  if (bytes.size() == 8) {
    std::int64_t number = 0;
    std::memcpy(&number, bytes.data(), sizeof(number));
    return number;
  }
  return std::nullopt;
}

Result<ProposedSpec> propose_spec(const std::string& kernel, const std::string& source,
                                  std::span<const ObservedLaunch> launches) {
  if (launches.empty()) return Error{fmt::format("{}: no launch was recorded", kernel)};
  return SpecProposer(launches).propose(kernel, source);
}

}  // namespace burin::jobs
