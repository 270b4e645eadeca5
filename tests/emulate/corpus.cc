#include "corpus.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "corpus_files.h"
#include "oracle/score.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"

namespace burin::emulate {
namespace {

// Beyond these a pair or quadruple would leave the file.
constexpr std::uint16_t kMaxGeneral = 240;
constexpr std::uint16_t kMaxUniform = 56;

bool in_reach(const read::Operand& o) {
  if (o.kind != read::Operand::Kind::kRegister || o.index == read::kZeroRegister) return true;
  return o.index < (o.file == read::RegisterFile::kUniform ? kMaxUniform : kMaxGeneral);
}

std::string variant(const read::Instruction& i) {
  std::string key;
  for (const read::Modifier& m : i.modifiers()) key += fmt::format("{}={} ", m.name, m.text);
  for (const read::Operand& o : i.operands()) {
    key += fmt::format("{}.{}.{}{}{}.{}.{} ", static_cast<int>(o.kind), static_cast<int>(o.file),
                       o.negated, o.inverted, o.absolute, o.index == read::kZeroRegister, o.suffix);
  }
  return key;
}

std::map<std::string, std::vector<CorpusWord>, std::less<>> read_corpus() {
  std::map<std::string, std::vector<CorpusWord>, std::less<>> all;
  std::set<std::pair<std::string, std::string>> seen;
  for (const char* arch : {"sm_90", "sm_80"}) {
    const auto words = oracle::load(corpus_file(fmt::format("oracle/{}.txt", arch)));
    if (!words) throw std::runtime_error(words.error().message);
    for (const oracle::OracleWord& word : *words) {
      const read::Instruction i = read::decode(word.low, word.high, word.arch, word.offset);
      if (!i.known() || !std::ranges::all_of(i.operands(), in_reach)) continue;
      const std::string mnemonic(i.mnemonic());
      if (!seen.emplace(mnemonic, variant(i)).second) continue;
      all[mnemonic].push_back({word.low, word.high, word.arch, word.text});
    }
  }
  return all;
}

}  // namespace

const std::vector<CorpusWord>& corpus(std::string_view mnemonic) {
  static const auto kAll = read_corpus();
  static const std::vector<CorpusWord> kNone;
  const auto found = kAll.find(mnemonic);
  return found == kAll.end() ? kNone : found->second;
}

}  // namespace burin::emulate
