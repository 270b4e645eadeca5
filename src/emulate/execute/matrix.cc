// LDSM, STSM and MOVM: 8x8 matrices of 16-bit elements between shared memory and registers, and
// their transposition.
//
// A matrix lies in a register as a fragment: lane 4r + c holds row r, columns 2c and 2c + 1. In
// memory it is eight rows of 16 bytes, anywhere: lane 8m + r gives the address of row r of matrix
// m.
#include <cstring>

#include "emulate/access/shared_rows.h"
#include "emulate/execute/tensor.h"
#include "emulate/state/grid.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

namespace {

enum : unsigned { kNumber, kTransposed, kHasUniform };  // in Op::mode

// One matrix as its rows; `unknown` has a bit per element.
struct Matrix {
  std::uint16_t row[8][8] = {};
  std::uint8_t unknown[8] = {};
};

Matrix transposed(const Matrix& m) {
  Matrix out;
  for (unsigned r = 0; r < 8; ++r)
    for (unsigned c = 0; c < 8; ++c) {
      out.row[c][r] = m.row[r][c];
      out.unknown[c] = static_cast<std::uint8_t>(out.unknown[c] | (m.unknown[r] >> c & 1) << r);
    }
  return out;
}

Matrix from_lanes(const Lanes& words, Mask unknown) {
  Matrix m;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    const unsigned r = lane / 4;
    const unsigned c = 2 * (lane % 4);
    m.row[r][c] = static_cast<std::uint16_t>(words[lane]);
    m.row[r][c + 1] = static_cast<std::uint16_t>(words[lane] >> 16);
    if (unknown >> lane & 1) m.unknown[r] = static_cast<std::uint8_t>(m.unknown[r] | 3 << c);
  }
  return m;
}

Mask to_lanes(const Matrix& m, Lanes& words) {
  Mask unknown = 0;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    const unsigned r = lane / 4;
    const unsigned c = 2 * (lane % 4);
    words[lane] = m.row[r][c] | std::uint32_t{m.row[r][c + 1]} << 16;
    unknown |= Mask{(m.unknown[r] >> c & 3) != 0} << lane;
  }
  return unknown;
}

// The lanes' row addresses, in the event too. Every address must be known: what an Unknown one
// would touch is not.
Access& note_addresses(Warp& warp, const Op& op, bool store) {
  Access& access = warp.accesses[0];
  warp.access_count = 1;
  access = {
      .space = read::Space::kShared, .load = !store, .store = store, .bytes = 16, .address = {}};
  access.lanes = op.mode[kNumber] == 4 ? kAllLanes : (Mask{1} << (8 * op.mode[kNumber])) - 1;
  access.unknown = warp.unknown_of(op.source[0]) & access.lanes;
  const Lanes& base = warp.plain(op.source[0]);
  const Lanes& uniform = warp.plain(op.source[1]);
  if (op.mode[kHasUniform] != 0 && warp.unknown_of(op.source[1]) != 0)
    access.unknown = access.lanes;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    access.address[lane] = static_cast<std::uint32_t>(base[lane] + uniform[lane] +
                                                      static_cast<std::uint32_t>(op.offset)) &
                           ((1u << kClusterShift) - 1);
  }
  return access;
}

void execute_load_matrix(Warp& warp, const Op& op) {
  const Access& access = note_addresses(warp, op, false);
  if (op.idle) return;
  for (unsigned m = 0; m < op.mode[kNumber]; ++m) {
    Matrix matrix;
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned lane = 8 * m + r;
      Datum d;
      d.unknown = 0xffff;
      if ((access.unknown >> lane & 1) == 0) read_row(warp, access.address[lane], lane, d);
      std::memcpy(matrix.row[r], d.bytes.data(), 16);
      for (unsigned c = 0; c < 8; ++c)
        if (d.unknown >> (2 * c) & 3) matrix.unknown[r] |= static_cast<std::uint8_t>(1u << c);
    }
    if (op.mode[kTransposed] != 0) matrix = transposed(matrix);
    Lanes words;
    const Mask unknown = to_lanes(matrix, words);
    warp.set(slot_after(op.destination[0], m), words, unknown);
  }
}

void execute_store_matrix(Warp& warp, const Op& op) {
  const Access& access = note_addresses(warp, op, true);
  if (op.idle) return;
  for (unsigned m = 0; m < op.mode[kNumber]; ++m) {
    Matrix matrix = from_lanes(warp.plain(op.source[2], m),
                               warp.unknown_of(op.source[2], m) | warp.doubtful | warp.forked);
    if (op.mode[kTransposed] != 0) matrix = transposed(matrix);
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned lane = 8 * m + r;
      if ((access.unknown >> lane & 1) != 0) continue;
      Datum d;
      std::memcpy(d.bytes.data(), matrix.row[r], 16);
      for (unsigned c = 0; c < 8; ++c)
        if (matrix.unknown[r] >> c & 1) d.unknown |= static_cast<std::uint16_t>(3u << (2 * c));
      write_row(warp, access.address[lane], lane, d);
    }
  }
}

void execute_transpose(Warp& warp, const Op& op) {
  Lanes words;
  const Matrix m = from_lanes(warp.plain(op.source[0]), warp.unknown_of(op.source[0]));
  const Mask unknown = to_lanes(transposed(m), words);
  warp.set(op.destination[0], words, unknown);
}

// [base + uniform + offset]; either register may be absent.
bool lower_address(Lowering& l, const read::Operand& o, Op& op) {
  if (o.kind != read::Operand::Kind::kMemory || o.descriptor != read::Operand::kNoRegister ||
      !o.scale.empty())
    return false;
  const auto part = [&](std::uint16_t index, read::RegisterFile file) {
    read::Operand r;
    r.file = file;
    r.index = index;
    return index == read::Operand::kNoRegister ? Source{} : l.source(r);
  };
  op.source[0] = part(o.base, read::RegisterFile::kGeneral);
  op.source[1] = part(o.uniform, read::RegisterFile::kUniform);
  op.mode[kHasUniform] = o.uniform != read::Operand::kNoRegister;
  op.offset = o.value;
  return true;
}

bool lower_shape(const read::Instruction& i, Op& op) {
  const std::string_view number = i.modifier("number");
  if (i.modifier("size") != "16") return false;
  op.mode[kNumber] = number == "4" ? 4 : number == "2" ? 2 : 1;
  op.mode[kTransposed] = i.modifier("shape") == "MT88";
  return i.modifier("shape") == "M88" || i.modifier("shape") == "MT88";
}

}  // namespace

bool lower_ldsm(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_shape(i, op) || !lower_address(l, i.operands()[1], op)) return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.execute = execute_load_matrix;
  return true;
}

bool lower_stsm(Lowering& l, const read::Instruction& i, Op& op) {
  if (!lower_shape(i, op) || !lower_address(l, i.operands()[0], op)) return false;
  op.source[2] = l.source(i.operands()[1]);
  op.execute = execute_store_matrix;
  return true;
}

bool lower_movm(Lowering& l, const read::Instruction& i, Op& op) {
  if (i.modifier("size") != "16" || i.modifier("shape") != "MT88") return false;
  op.destination[0] = l.destination(i.operands()[0]);
  op.source[0] = l.source(i.operands()[1]);
  op.execute = execute_transpose;
  return true;
}

}  // namespace burin::emulate
