// What one warp instruction costs on one core, by mnemonic, over the words of an oracle:
//   bench_execute_speed build/corpus/oracle/sm_90.txt [MNEMONIC…]
// Only what needs no memory, no block and no other warp: the function that executes, on registers
// that are known. The goal is 25 ns for the common integer instructions.
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

#include "base/format.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"
#include "emulate/state/lower.h"
#include "emulate/state/warp.h"
#include "launch/random.h"
#include "oracle/score.h"
#include "read/isa/decode.h"

using namespace burin;

namespace {

constexpr const char* kDefault[] = {"IADD3", "IMAD", "LEA",   "LOP3",   "ISETP", "SHF",  "MOV",
                                    "SEL",   "PRMT", "IMNMX", "VIMNMX", "SHFL",  "VOTE", "PLOP3"};

double cpu_seconds() {  // so that a busy machine does not count
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Nanoseconds for one execution, the best of a few rounds.
double cost(emulate::Warp& warp, const emulate::Op& op) {
  constexpr int kRepeats = 4000;
  double best = 1;
  for (int round = 0; round < 5; ++round) {
    const double start = cpu_seconds();
    for (int k = 0; k < kRepeats; ++k) op.execute(warp, op);
    best = std::min(best, (cpu_seconds() - start) / kRepeats);
  }
  return 1e9 * best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_execute_speed ORACLE.txt [MNEMONIC…]\n");
    return 2;
  }
  const auto words = oracle::load(argv[1]);
  if (!words) {
    fmt::print(stderr, "{}\n", words.error().message);
    return 3;
  }
  std::vector<std::string> wanted(argv + 2, argv + argc);
  if (wanted.empty()) wanted.assign(std::begin(kDefault), std::end(kDefault));
  std::map<std::string, std::pair<std::string, read::Instruction>>
      forms;  // by text without operands
  for (const oracle::OracleWord& w : *words) {
    const read::Instruction i = read::decode(w.low, w.high, w.arch, 0);
    if (std::ranges::find(wanted, i.mnemonic()) == wanted.end()) continue;
    std::string_view text = w.text;
    if (text.starts_with('@')) text.remove_prefix(text.find(' ') + 1);
    std::string key(text.substr(0, text.find(' ')));
    if (text.find(", P") != text.npos) key += " with predicates";
    forms.emplace(key, std::pair(std::string(text), i));
  }
  std::vector<read::Instruction> code;
  for (const auto& [key, form] : forms) code.push_back(form.second);

  read::Image image;
  image.arch = words->front().arch;
  read::Function function;
  const read::Kernel kernel = read::build_from(code, image, function, {.dependences = false});
  const auto program = emulate::lower(kernel, {});
  emulate::Grid grid;
  const launch::Launch launch;
  const emulate::RunOptions options;
  grid.kernel = &kernel;
  grid.launch = &launch;
  grid.options = &options;
  emulate::Block block;
  block.grid = &grid;
  const auto warp = std::make_unique<emulate::Warp>();
  for (std::size_t slot = 0; slot < emulate::kSlots; ++slot)
    for (unsigned i = 0; i < emulate::kWarpLanes; ++i)
      warp->slots[slot][i] = static_cast<std::uint32_t>(launch::random_word(slot, i));
  warp->slots[emulate::kZeroSlot] = {};
  warp->unknown = {};
  warp->predicates = {0x55555555, 0x0f0f0f0f};
  warp->predicates[emulate::kTrueSlot] = emulate::kAllLanes;
  warp->predicate_unknown = {};
  warp->program = program.get();
  warp->block = &block;
  warp->exec = warp->active = warp->live = emulate::kAllLanes;

  std::size_t k = 0;
  for (const auto& [key, form] : forms) {
    const double ns = cost(*warp, program->ops[k++]);
    if (grid.stopped) {
      grid.stopped = false;
      fmt::print("{:>8}     {:<36} {}\n", "refused", key, form.first);
    } else {
      fmt::print("{:>8.1f} ns  {:<36} {}\n", ns, key, form.first);
    }
  }
  return 0;
}
