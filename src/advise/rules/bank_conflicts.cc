// Shared-memory bank conflicts: lanes whose words lie in one bank are served one after another.
//
// Waits for shared memory are matched in proportion to the excessive passes. For an array with one
// dimension these are the passes that a free element after every 128 bytes saves: index patterns
// that change from step to step, as in sorting networks, keep most of their conflicts.
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/row_padding.h"
#include "advise/rules/all.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinPasses = 1.25;  // passes over the minimum

// Mean number of lanes in the fullest bank if 32 lanes access random words. Copies of the array do
// not change that.
constexpr double kRandomConflicts = 3.5;

// Whether each lane takes the address of this access from data of its own.
bool is_looked_up(const Origins& origins, std::uint32_t access) {
  return (origins.of_address(access) & Origins::kLoadedByLane) != 0;
}

// Instructions that compute the addresses of these accesses.
read::InstructionSet address_arithmetic(const Case& c, const read::InstructionSet& accesses) {
  read::InstructionSet found(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0) continue;
    for (const read::Dependence& d : c.kernel.dependences_of(i)) {
      const read::Instruction& producer = c.at(d.producer);
      const bool computes = producer.known() && read::is_computation(producer);
      if (computes && read::feeds_address(c.at(i), d)) found[d.producer] = 1;
    }
  }
  return found;
}

// The excessive share of the access's passes. `looked_up`: its lanes' addresses depend on data.
double wasted_passes(const AccessCount& count, bool looked_up) {
  const double fewest = count.ideal_passes * (looked_up ? kRandomConflicts : 1);
  if (fewest <= 0 || count.passes < kMinPasses * fewest) return 0;
  return 1 - fewest / count.passes;
}

// Instructions that compute i + i / 32 and then the address, where one computed the address.
constexpr double kPaddedIndex = 2;

constexpr unsigned kMaxCopiesOfArray = 8;
constexpr std::uint32_t kMaxLinesAbove = 100;  // where the array's declaration is searched for

// Whether the source asks for an access of several elements, or does not tell. The compiler merges
// adjacent accesses only where they are aligned.
bool may_ask_for_vector(const Case& c, std::uint32_t instruction) {
  static const std::regex vector(R"([a-z]+[248]\b|reinterpret_cast|\*\s*\()");
  const std::string source = c.source(instruction);
  return source.empty() || std::regex_search(source, vector);
}

// Words of the accesses to shared memory for which rows must stay aligned: of those that take most
// passes, and of wider ones that the source asks for.
unsigned aligned_words(const Case& c) {
  std::map<unsigned, double> passes;  // by bytes
  unsigned asked = 4;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_shared(c.at(i)) || !c.executed(i)) continue;
    const unsigned bytes = read::access_bytes(c.at(i));
    passes[bytes] += c.accesses[i].passes;
    if (bytes > asked && may_ask_for_vector(c, i)) asked = bytes;
  }
  if (passes.empty()) return 1;
  const auto most = std::ranges::max_element(passes, {}, [](const auto& p) { return p.second; });
  return std::max(most->first, asked) / 4;
}

// Whether the line accesses a shared array that is declared with one dimension, and with one index.
bool has_one_dimension(const Case& c, std::uint32_t instruction) {
  static const std::regex accessed(R"((\w+)\s*\[)");
  static const std::regex with_rows(R"(\]\s*\[)");
  static const std::regex declared(R"(__shared__[^;()]*?\b(\w+)\s*\[[^\]]*\]\s*([;,=]|$))");
  const analyze::SourceLine line = analyze::line_of(c.kernel, instruction);
  const std::string source = c.source(instruction);
  if (std::regex_search(source, with_rows)) return false;
  std::set<std::string> names;
  for (std::sregex_iterator m(source.begin(), source.end(), accessed), end; m != end; ++m) {
    names.insert((*m)[1]);
  }
  for (std::uint32_t k = 0; k <= kMaxLinesAbove && k < line.line && !names.empty(); ++k) {
    const std::string above = c.source_line(line.file, line.line - k);
    std::smatch found;
    if (std::regex_search(above, found, declared) && names.contains(found[1])) return true;
  }
  return false;
}

// How to pad the array that the line accesses. If its declaration is found in the source, the text
// has the new one: "Declare tile[32][33] instead of tile[32][32],". `words`: of the padding.
std::string padding(const Case& c, std::uint32_t instruction, unsigned words) {
  if (has_one_dimension(c, instruction)) {
    if (const unsigned wide = read::access_bytes(c.at(instruction)) / 4; wide > 1) {
      return fmt::format(
          "The code accesses {0} adjacent words at a time: keep them together as one element "
          "(float{0}, for instance). Let rows begin one such element further apart if the index is "
          "row * width + column; otherwise leave one element free after every 128 bytes (element i "
          "is then at i + i / {1}),",
          wide, 32 / wide);
    }
    return fmt::format(
        "Let rows begin {} further apart if the index is row * width + column; otherwise leave one "
        "element of the array free after every 128 bytes (element i is then at i + i / n, with n "
        "elements in 128 bytes),",
        words == 1 ? "one word" : fmt::format("{} words", words));
  }
  if (const unsigned wide = aligned_words(c); wide > 1) {
    return fmt::format(
        "Pad each row of the array to an odd multiple of {} words (rows are read {} "
        "words at a time and must stay aligned),",
        wide, wide);
  }
  const std::string by = words == 1 ? "one word" : fmt::format("{} words", words);
  static const std::regex rows(R"((\w+)\s*\[[^\]]*\]\s*\[)");
  const analyze::SourceLine line = analyze::line_of(c.kernel, instruction);
  const std::string source = c.source(instruction);
  if (source.empty()) return fmt::format("Pad each row of the array by {},", by);
  std::set<std::string> names;
  for (std::sregex_iterator m(source.begin(), source.end(), rows), end; m != end; ++m) {
    names.insert((*m)[1]);
  }
  for (std::uint32_t k = 0; k <= kMaxLinesAbove && k < line.line; ++k) {
    static const std::regex declared(
        R"(__shared__.*?\b(\w+)\s*((?:\[[^\]]*\])+)\[([^\]]*)\]\s*[;=])");
    const std::string above = c.source_line(line.file, line.line - k);
    std::smatch found;
    if (!std::regex_search(above, found, declared) || !names.contains(found[1])) continue;
    const std::string last = found[3];
    const bool number = last.find_first_not_of("0123456789") == std::string::npos;
    return fmt::format(
        "Declare {0}{1}[{2}] instead of {0}{1}[{3}],", found[1].str(), found[2].str(),
        number ? std::to_string(std::stoul(last) + words) : fmt::format("{} + {}", last, words),
        last);
  }
  if (!names.empty()) return fmt::format("Declare each row of the array {} longer,", by);
  return fmt::format("Let rows begin {} further apart, in the index and in the size of the array,",
                     by);
}

class BankConflicts final : public Rule {
  std::string_view id() const override { return "bank-conflicts"; }
  std::string_view summary() const override { return "shared memory bank conflicts"; }

  std::vector<Match> match(const Case& c) const override {
    if (c.accesses.empty()) return {};
    read::InstructionSet meeting(c.size());
    std::vector<double> waste(c.size());
    double all = 0;
    double needless = 0;
    double emulated = 0;  // excessive passes, which the emulation removes
    std::uint32_t worst = 0;
    const Origins origins(c.kernel);
    read::InstructionSet flat(c.size());  // in arrays with one dimension
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!touches_shared(c.at(i))) continue;
      const AccessCount& count = c.accesses[i];
      all += count.passes;
      const bool looked_up = is_looked_up(origins, i);
      waste[i] = wasted_passes(count, looked_up);
      if (waste[i] <= 0) continue;
      if (!looked_up && count.padded_passes > 0 && has_one_dimension(c, i)) {
        flat[i] = 1;
        waste[i] = std::max(0.0, 1 - count.padded_passes / count.passes);
        if (waste[i] <= 0) continue;
      }
      meeting[i] = 1;
      needless += waste[i] * count.passes;
      emulated += count.passes - (flat[i] != 0 ? count.padded_passes : count.ideal_passes);
      if (waste[i] * count.passes > waste[worst] * c.accesses[worst].passes) worst = i;
    }
    if (needless <= 0) return {};
    Match match;
    for (const MatchedStall& m : stalls_where(c, [](const BlamedStall& s) { return waits(s); })) {
      const BlamedStall& s = c.blamed.stalls[m.stall];
      const bool queue = s.stall == launch::Stall::kMioThrottle;
      const double part = queue ? needless / all : waste[s.cause];
      if (part > 0) match.stalls.push_back({.stall = m.stall, .weight = part});
    }
    if (match.stalls.empty()) return {};
    read::InstructionSet others = meeting;
    for (std::uint32_t i = 0; i < c.size(); ++i)
      if (flat[i] != 0) others[i] = 0;
    match.edits = {{.kind = analyze::Edit::Kind::kNoConflicts, .instructions = others},
                   {.kind = analyze::Edit::Kind::kPadded, .instructions = flat},
                   {.kind = analyze::Edit::Kind::kRetyped,
                    .instructions = address_arithmetic(c, flat),
                    .value = kPaddedIndex,
                    .to_class = "alu"}};
    match.reach = needless / emulated;
    match.relieves = {machine::Resource::kShared, machine::Resource::kLsu};
    match.where = worst;
    describe(c, worst, needless / all, match);
    return {std::move(match)};
  }

  static bool waits(const BlamedStall& s) {
    return s.dependency == Dependency::kSharedMemory || s.stall == launch::Stall::kMioThrottle ||
           s.stall == launch::Stall::kShortScoreboard;
  }

  // With n-way conflicts, lanes are a multiple of n banks apart, or an odd multiple of 32 / n rows.
  static void describe(const Case& c, std::uint32_t worst, double part, Match& match) {
    const AccessCount& count = c.accesses[worst];
    const double ways = count.passes / count.ideal_passes;
    // An execution without an active lane needs no wavefront and is not counted.
    const double requests = std::min(count.executed, count.ideal_passes);
    const std::string where = place_name(c.kernel, worst);
    match.text = fmt::format(
        "The shared memory {} at {} takes {:.1f} wavefronts where {:.1f} would suffice ({:.0f}-way "
        "bank conflict). {:.0f} % of all shared memory wavefronts are excessive.",
        c.at(worst).opcode->stores ? "store" : "load", where, count.passes / requests,
        count.ideal_passes / requests, ways, 100 * part);
    const double power = std::exp2(std::round(std::log2(std::max(1.0, ways))));
    const bool looked_up = is_looked_up(Origins(c.kernel), worst);
    if (std::abs(power - ways) < 0.1 * ways && power >= 2 && !looked_up) {
      const unsigned words = row_padding(c, power);
      const std::string lanes =
          words == 1 ? fmt::format(
                           "Adjacent lanes at {} access words that are a multiple of {:.0f} apart.",
                           where, power)
                     : fmt::format(
                           "The lanes of a warp at {} access {:.0f} rows that begin in the same "
                           "bank.",
                           where, power);
      match.hint =
          fmt::format("{} {} swizzle the index, or let adjacent lanes access adjacent words.",
                      lanes, padding(c, worst, words));
    } else if (const unsigned copies = free_copies(c); looked_up && copies > 1) {
      match.hint = fmt::format(
          "The word at {} depends on loaded data, and more lanes conflict in a bank than chance "
          "explains: some words are much more frequent. Keep {} copies of the array, side by side: "
          "lane l uses word * {} + l % {}. If the block adds to them, add up the {} copies of each "
          "word at its end. Shared memory has room for that with the blocks that are resident now.",
          where, copies, copies, copies, copies);
    } else if (looked_up) {
      match.hint = fmt::format(
          "The word at {} depends on loaded data, and more lanes conflict in a bank than chance "
          "explains: some words are much more frequent. Combine the lanes of a warp that have the "
          "same word before the access (cooperative groups: labeled_partition), so that one "
          "accesses it for "
          "all.",
          where);
    } else {
      match.hint = fmt::format(
          "Let the lanes of a warp access adjacent words at {}: make the index that threadIdx.x "
          "runs along the last one of the shared array.",
          where);
    }
  }

  // The number of copies of all shared arrays that still leaves room for the resident blocks.
  static unsigned free_copies(const Case& c) {
    const double used = static_cast<double>(c.needs.shared * c.occupancy.blocks);
    unsigned copies = 1;
    while (copies < kMaxCopiesOfArray && 2 * copies * used <= c.machine.limit.shared) copies *= 2;
    return used > 0 ? copies : 1;
  }
};

}  // namespace

const Rule* bank_conflicts() {
  static const BankConflicts rule;
  return &rule;
}

}  // namespace burin::advise
