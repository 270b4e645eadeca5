// Which form a word has: the tables compiled once, and per architecture an index by opcode.
#include <array>

#include "read/isa/form.h"

namespace burin::read::isa {

std::vector<const char*> tables() {
  return {kTcgenTable,   kBlackwellTable, kHopperTable,  kFloatTable,   kIntegerTable, kMoveTable,
          kUniformTable, kMemoryTable,    kTextureTable, kControlTable, kTensorTable};
}

namespace {

// Per architecture, the forms of each opcode, in table order.
struct Index {
  std::array<std::vector<const Form*>, 4096> forms;
};

const std::vector<Form>& all_forms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> all;
    for (const char* table : tables()) {
      Result<std::vector<Form>> part = compile_forms(table);
      assert(part.ok());  // a test compiles every table and prints its mistake
      if (part.ok()) all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }();
  return forms;
}

Index make_index(std::uint16_t sm) {
  Index index;
  for (const Form& form : all_forms())
    if (form.from_sm <= sm && sm <= form.to_sm) index.forms[form.bits].push_back(&form);
  return index;
}

const Index& index_of(std::uint16_t sm) {
  // One index per architecture that exists; others share the nearest below.
  static constexpr std::uint16_t kArchitectures[] = {75, 80, 86, 89, 90, 100, 103, 110, 120, 121};
  static const auto kIndexes = [] {
    std::vector<Index> all;
    for (std::uint16_t known : kArchitectures) all.push_back(make_index(known));
    return all;
  }();
  std::size_t at = 0;
  while (at + 1 < std::size(kArchitectures) && kArchitectures[at + 1] <= sm) ++at;
  return kIndexes[at];
}

}  // namespace

const Form* find_form(const Word& word, std::uint16_t sm) {
  for (const Form* form : index_of(sm).forms[word.low & 0xfff])
    if (form->when(word)) return form;
  return nullptr;
}

}  // namespace burin::read::isa
