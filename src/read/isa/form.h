// A Form says how the words of one instruction are laid out: which bits are which modifier and
// which operand. Forms are written as text, one row each, in the tables of this folder
// (table_*.cc); this header explains the notation, form.cc compiles it, decode.cc applies it.
//
//   FADD | fma | _21:246e | 70- | ftz@80=FTZ round@78:79=%round sat@77=SAT | >R@16, A:f, S:f
//   ~~~~   ~~~   ~~~~~~~~   ~~~   ~~~~~~~~~~ modifiers ~~~~~~~~~~~~~~~~~~~   ~~ operands ~~~
//   mnemonic pipe opcodes architectures
//
// Opcodes are bits 0-11 in hexadecimal. `_21:246e` stands for 221 421 621 e21. Behind a `?` stand
// conditions on other bits: `5ea?75:76=2`.
// Architectures: `75-89`, `90-`, `100-103`, `75`; several with a space between. `#` opens a
// comment. Flags may follow the pipe, in brackets: the space of its memory operand, `load`,
// `store`, its control flow (`branch`, `call`, `exit` …), what it synchronizes (`block_barrier` …),
// its operation (`add`, `multiply`, `multiply_add`, `matrix`), the type of its sources (`f32`;
// `f32>int` in a conversion; else that of its pipe, or integer), its other traits (`atomic`,
// `async` …), `imad` (IMAD's aliases), `uguard` (guarded by a uniform predicate). instruction.h
// lists them at Sync and Trait, form_flags.cc reads them.
//
// Bits: `80`, `78:79` (low to high), or joined pieces, lowest first: `74:76+79`.
// Values of a modifier, from 0 up, between slashes; `-` prints nothing; a single value belongs
// to 1. Without bits (`wide=WIDE`) the word is always there. `%round` names a list of
// value_lists.cc. Behind a `?`: present only where other bits have a value
// (`?74=1`, `?74!1`; several with `&`).
//
// Operands, in the order they are printed:
//   R@16 U@16     general or uniform register at that bit (`U@60:62+73:77` at those bits); `>` in
//                 front: written; `*2`: a pair;
//                 `*width`: as many as the modifier of that name says (64: 2, 128: 4, x16: 16);
//                 `*4*number`: four times as many; `^`: written and read; `:reuse50`: bit 50 keeps
//                 it in the operand cache. register_counts.h has the rules such as `*fragA`
//   P@81 Q@81     predicate, uniform predicate; read ones have their negation in the bit behind;
//                 `:opt` leaves PT (RZ, a zero target) out; `:inv` they are numbered from PT down;
//                 `:not30` bit 30 inverts it
//   A B C         the three source slots, wherever the opcode's form (bits 9-11) has put them;
//   S D           the second source of instructions that have two: the machine's B, or its C kept
//                 where B is. Slots take a type:
//                 :f float (:g without sign bits), :d double, :h packed halves (:m without
//                 swizzle), :i signed integer, :x the same, its negation reading as ~ with .X,
//                 :n :c those two with an unsigned immediate, :s signed immediate alone, :v :w
//                 float or integer of the type that the modifier `from` (or `format`) names
//   I@40:63       immediate, `:s` signed; I@…:off printed behind the operand before it
//   [R24 +40:63 U32?91 X78 W90 D76]
//                 an address: base register, signed offset, uniform register where bit 91 is set,
//                 scale, width of the base, descriptor where bit 76 is set. `+40:56<<5`: the offset
//                 counts 32 bytes; `V24`: the uniform register behind the one at bit 24;
//                 `O24`: the uniform register, left out when it is URZ
//   c[…]          a constant bank
//   T             branch target; `:abs` not relative to the instruction, `:off` as for I
//   SR@72:79 SB@44:46 SS@32:37 G@84 b@16
//                 special register, scoreboard, set of scoreboards, warpgroup scoreboard (7: none),
//                 convergence barrier
//                 Inside: *2 or *4: so many registers; T79: and as many as a tile has dimensions;
//                 S61: as many as a surface has; d40: a descriptor of its own. A word in front, as
//                 in gdesc[U24], is printed
//   PR@32:38 UPR@32:38
//                 a set of predicates, one bit each
//   =word         a keyword;  W@32:39 the pattern of FSWZADD
//   ~72:73=-/H1   a suffix chosen by bits;  ?cond as above
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
  std::uint8_t width = 0;  // of all pieces
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

struct Choice {  // a value of some bits, as text
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
  std::string_view count_of;  // modifier that gives the count
  BitField field;             // immediate; register, in pieces
  bool written = false;
  bool read_too = false;         // written and read, e.g. the accumulator
  bool optional = false;         // PT is not printed
  bool inverse = false;          // a predicate kept as 7 - number, so that 0 is PT
  std::uint8_t inverted_by = 0;  // the bit that inverts a register; 0: none
  std::uint8_t reused_by = 0;    // the bit that keeps it in the operand cache, where that is not
                                 // the slot's own
  bool is_signed = false;
  bool behind = false;  // Kind::kOffset
  bool absolute_target = false;
  std::string_view word;  // kWord, or the prefix of a bracket
  Choice suffix;
  Conditions when;

  // kAddress and kConstant: bit positions; 0: not there.
  std::uint8_t base = 0;
  std::uint8_t uniform = 0;
  std::uint8_t uniform_flag = 0;  // 0: always there
  bool uniform_optional = false;  // left out when it is URZ
  bool long_base = false;         // the base is always a pair
  std::uint8_t scale = 0;
  std::uint8_t wide = 0;             // .64 or .U32
  bool next_uniform = false;         // the uniform register is the one behind that in the word
  std::uint8_t shift = 0;            // of the offset
  std::uint8_t tile = 0;             // as many more uniform registers as a tile has dimensions
  std::uint8_t surface = 0;          // as many base registers as a surface has dimensions
  std::uint8_t descriptor_flag = 0;  // the uniform register is a descriptor
  std::uint8_t descriptor = 0;       // a descriptor of its own, always there
};

struct Form {
  Opcode opcode;
  std::uint16_t bits = 0;  // bits 0-11
  std::uint16_t from_sm = 0;
  std::uint16_t to_sm = 0;
  bool imad = false;  // prints IMAD's aliases MOV, IADD, SHL
  bool uniform_guard = false;
  Conditions when;
  std::vector<ModifierForm> modifiers;
  std::vector<OperandForm> operands;
};

// All rows of the text, or the first mistake in it.
Result<std::vector<Form>> compile_forms(std::string_view table);

// The form of a word, or null.
const Form* find_form(const Word& word, std::uint16_t sm);

// The tables, newest architecture first: the first row whose opcode, architecture and conditions
// fit a word is its form, so a newer architecture's row stands in for the one it changes.
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
