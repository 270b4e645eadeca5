// A Form describes the encoding of one instruction: which bits hold which modifier and which
// operand. Forms are written as text, one row each, in the tables of this folder (table_*.cc). This
// header explains the notation, form.cc compiles it, decode.cc applies it.
//
//   FADD | fma | _21:246e | 70- | ftz@80=FTZ round@78:79=%round sat@77=SAT | >R@16, A:f, S:f
//   ~~~~   ~~~   ~~~~~~~~   ~~~   ~~~~~~~~~~ modifiers ~~~~~~~~~~~~~~~~~~~   ~~ operands ~~~
//   mnemonic pipe opcodes architectures
//
// Opcodes are bits 0-11 in hexadecimal. `_21:246e` stands for 221 421 621 e21. A `?` introduces
// conditions on other bits: `5ea?75:76=2`.
// Architectures: `75-89`, `90-`, `100-103`, `75`; several are separated by spaces. `#` starts a
// comment. Flags may follow the pipe, in brackets: the space of the memory operand, `load`,
// `store`, the control flow (`branch`, `call`, `exit` …), the kind of synchronisation
// (`block_barrier` …), the operation (`add`, `multiply`, `multiply_add`, `matrix`, `shift` …), the
// type of the sources (`f32`; `f32>int` in a conversion; by default the type of the pipe, or
// integer), other traits (`atomic`, `async` …), `imad` (IMAD's aliases), `uguard` (guarded by a
// uniform predicate). instruction.h lists the flags at Sync and Trait; form_flags.cc parses them.
//
// Bits: `80`, `78:79` (low to high), or concatenated pieces, lowest first: `74:76+79`.
// Values of a modifier are listed from 0 up, separated by slashes; `-` prints nothing; a single
// value is the text for 1. A modifier without bits (`wide=WIDE`) is always printed. `%round` names
// a list of value_lists.cc. A `?` makes the modifier conditional on other bits (`?74=1`, `?74!1`;
// several conditions are joined with `&`).
//
// Operands, in the order in which they are printed:
//   R@16 U@16     general or uniform register at that bit (`U@60:62+73:77`: at those bits).
//                 `>` in front: written. `*2`: a register pair.
//                 `*width`: the count given by the modifier of that name (64: 2, 128: 4, x16: 16).
//                 `*4*number`: four times that count. `^`: written and read. `:reuse50`: bit 50
//                 keeps it in the operand cache. register_counts.h has rules such as `*fragA`
//   P@81 Q@81     predicate, uniform predicate. For a predicate that is read, the next bit negates
//                 it. `:opt`: PT (or RZ, or a zero target) is not printed. `:inv`: numbered from PT
//                 down. `:not30`: bit 30 inverts it
//   A B C         the three source slots, at the bits that the opcode's form (bits 9-11) gives them
//   S D           the second source of two-source instructions: S is encoded as B, D is C encoded
//                 at the position of B. Slots take a type:
//                 :f float (:g without sign bits), :d double, :h packed halves (:m without
//                 swizzle), :i signed integer, :x signed integer whose negation means ~ with .X,
//                 :n :c those two with an unsigned immediate, :s signed immediate only, :v :w
//                 float or integer of the type given by the modifier `from` (or `format`)
//   I@40:63       immediate, `:s` signed; I@…:off is printed after the previous operand, no comma
//   [R24 +40:63 U32?91 X78 W90 D76]
//                 an address: base register, signed offset, uniform register if bit 91 is set,
//                 scale, width of the base, descriptor if bit 76 is set. `+40:56<<5`: the offset is
//                 in units of 32 bytes. `V24`: the uniform register after the one at bit 24.
//                 `O24`: the uniform register, not printed if it is URZ
//   c[…]          a constant bank
//   T             branch target; `:abs` not relative to the instruction, `:off` as for I
//   SR@72:79 SB@44:46 SS@32:37 G@84 b@16
//                 special register, scoreboard, set of scoreboards, warpgroup scoreboard (7: none),
//                 convergence barrier
//                 Inside: *2 or *4: that many registers; T79: plus one register per tile dimension;
//                 S61: one per surface dimension; d40: a separate descriptor. A prefix, as in
//                 gdesc[U24], is printed
//   PR@32:38 UPR@32:38
//                 a set of predicates, one bit each
//   =word         a keyword;  W@32:39 the pattern of FSWZADD
//   ~72:73=-/H1   a suffix selected by bits;  ?cond as above
#pragma once

#include <cassert>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/isa/instruction.h"
#include "read/isa/value_lists.h"

namespace burin::read::isa {

struct Word {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  std::uint64_t bits(unsigned from, unsigned width) const {
    std::uint64_t value;
    if (from >= 64) {
      value = high >> (from - 64);
    } else {
      value = low >> from;
      if (from + width > 64) value |= high << (64 - from);
    }
    return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
  }
  bool bit(unsigned at) const { return bits(at, 1) != 0; }
};

struct BitField {
  struct Piece {
    std::uint8_t from = 0;
    std::uint8_t width = 0;
  };
  std::uint8_t pieces = 0;
  std::uint8_t width = 0;  // bits in all pieces together
  Piece piece[4];

  std::uint64_t operator()(const Word& word) const {
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (unsigned i = 0; i < pieces; ++i) {
      assert(shift < 64);
      value |= word.bits(piece[i].from, piece[i].width) << shift;
      shift += piece[i].width;
    }
    return value;
  }
};

struct Condition {
  BitField field;
  std::uint64_t value = 0;
  bool equal = true;

  bool operator()(const Word& word) const { return (field(word) == value) == equal; }
};

struct Conditions {
  std::vector<Condition> all;
  bool operator()(const Word& word) const {
    for (const Condition& c : all)
      if (!c(word)) return false;
    return true;
  }
};

struct Choice {  // maps the value of a bit field to text
  BitField field;
  std::vector<std::string_view> texts;

  std::string_view operator()(const Word& word) const {
    const std::uint64_t value = field(word);
    return value < texts.size() ? texts[value] : invalid_text(value);
  }
};

struct ModifierForm {
  std::string_view name;
  Choice choice;
  Conditions when;
};

struct OperandForm {
  enum class Kind : std::uint8_t {
    kRegister,
    kSlot,
    kImmediate,
    kAddress,
    kConstant,
    kTarget,
    kSpecial,
    kScoreboard,
    kScoreboardSet,
    kGroupScoreboard,
    kConvergence,
    kPredicateSet,
    kSwizzle,
    kWord,
  };
  enum class Type : std::uint8_t {
    kPlain,
    kFloat,
    kUnsignedFloat,
    kSourceFloat,
    kSourceInteger,
    kDouble,
    kHalf,
    kWholeHalf,
    kInteger,
    kCarry,
    kSigned,
  };

  Kind kind = Kind::kRegister;
  RegisterFile file = RegisterFile::kGeneral;
  Type type = Type::kPlain;
  char slot = 0;        // 'A', 'B', 'C', 'S' or 'D'
  std::uint8_t at = 0;  // first bit of a register or predicate
  std::uint8_t count = 1;
  std::string_view count_of;  // the modifier that gives the register count
  BitField field;             // bits of an immediate, or of a register split into pieces
  bool written = false;
  bool read_too = false;         // written and read, e.g. the accumulator
  bool optional = false;         // not printed if it is PT
  bool inverse = false;          // a predicate encoded as 7 - number, so that 0 is PT
  std::uint8_t inverted_by = 0;  // the bit that inverts a register; 0: none
  std::uint8_t reused_by = 0;    // the bit that keeps it in the operand cache, if it is not
                                 // the reuse bit of the slot
  bool is_signed = false;
  bool behind = false;  // decodes as Operand::Kind::kOffset
  bool absolute_target = false;
  std::string_view word;  // kWord: the keyword; otherwise the prefix of a bracket
  Choice suffix;
  Conditions when;

  // kAddress and kConstant: bit positions; 0: absent.
  std::uint8_t base = 0;
  std::uint8_t uniform = 0;
  std::uint8_t uniform_flag = 0;  // 0: always present
  bool uniform_optional = false;  // not printed if it is URZ
  bool long_base = false;         // the base is always a register pair
  std::uint8_t scale = 0;
  std::uint8_t wide = 0;             // bit that selects .64 or .U32
  bool next_uniform = false;         // the uniform register after the encoded one
  std::uint8_t shift = 0;            // left shift of the offset, bits
  std::uint8_t tile = 0;             // one more uniform register per tile dimension
  std::uint8_t surface = 0;          // one base register per surface dimension
  std::uint8_t descriptor_flag = 0;  // if set, the uniform register is a descriptor
  std::uint8_t descriptor = 0;       // a separate descriptor, always present
};

struct Form {
  Opcode opcode;
  std::uint16_t bits = 0;  // opcode, bits 0-11
  std::uint16_t from_sm = 0;
  std::uint16_t to_sm = 0;
  bool imad = false;  // printed as IMAD's aliases MOV, IADD, SHL
  bool uniform_guard = false;
  Conditions when;
  std::vector<ModifierForm> modifiers;
  std::vector<OperandForm> operands;
};

// Compiles all rows of the table. The Error describes the first mistake.
Result<std::vector<Form>> compile_forms(std::string_view table);

// The form that matches the word on architecture `sm`, or null.
const Form* find_form(const Word& word, std::uint16_t sm);

// The tables, newest architecture first. The form of a word is the first row whose opcode,
// architecture and conditions match, so a row for a newer architecture overrides the older one.
std::vector<const char*> tables();

extern const char* const kFloatTable;
extern const char* const kIntegerTable;
extern const char* const kMoveTable;
extern const char* const kUniformTable;
extern const char* const kMemoryTable;
extern const char* const kTextureTable;
extern const char* const kControlTable;
extern const char* const kTensorTable;
extern const char* const kHopperTable;
extern const char* const kBlackwellTable;
extern const char* const kTcgenTable;

}  // namespace burin::read::isa
