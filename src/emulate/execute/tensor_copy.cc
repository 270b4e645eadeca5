// TMA: boxes of tensors between global and shared memory (UTMALDG, UTMASTG, UTMAREDG).
//
// The uniform registers of the first operand are the address in shared memory, for a load that of
// the mbarrier, and the coordinates, innermost first.
#include <bit>
#include <cstring>

#include "base/format.h"
#include "emulate/access/bulk.h"
#include "emulate/access/bulk_memory.h"
#include "emulate/memory/tensor_box.h"
#include "emulate/state/grid.h"
#include "read/isa/traits.h"

namespace burin::emulate {

namespace {

constexpr std::uint32_t kSharedAlignment = 128;
// The rest of a map says nothing new; cuDNN passes its maps without it.
constexpr unsigned kMapBytesRead = 64;

// source[0]: the registers of the box, source[1]: the tensor map's address, source[2]: for a
// multicast the blocks that get the box, in the upper half; for pixels (im2col) the shift of their
// positions, 5 bits for each dimension, in the lower half. mode[0]: dimensions, mode[1]: multicast,
// mode[2]: a reduction, whose operation is in the instruction, mode[4]: pixels, mode[5]: with a
// shift.
struct TensorRequest {
  launch::TensorMap map;
  std::uint32_t shared = 0;
  std::uint32_t barrier = 0;
  BoxCorner corner{};
  std::array<std::int32_t, 3> shift{};  // of pixels

  template <typename Visit>
  void for_each_row(Visit visit) const {
    if (map.pixels) return for_each_pixel(map, corner, shift, visit);
    emulate::for_each_row(map, corner, visit);
  }
};

bool all_known(const Warp& warp, const Op& op, unsigned registers) {
  Mask unknown = warp.unknown_of(op.source[1]) | warp.unknown_of(op.source[1], 1);
  for (unsigned k = 0; k < registers; ++k) unknown |= warp.unknown_of(op.source[0], k);
  if (op.mode[1] != 0 || op.mode[5] != 0) unknown |= warp.unknown_of(op.source[2]);
  return (unknown & warp.exec) == 0;
}

bool read_map(Warp& warp, std::uint64_t address, launch::TensorMap& map) {
  std::array<std::uint8_t, launch::kTensorMapBytes> bytes{};
  for (unsigned at = 0; at < kMapBytesRead; at += 16) {
    Datum d;
    if (warp.block->grid->memory->read(address + at, 16, d) != MemoryStatus::kDone) {
      warp.refuse(fmt::format("no tensor map at {:#x}", address));
      return false;
    }
    if (d.unknown != 0) {
      warp.refuse(fmt::format("the tensor map at {:#x} is Unknown", address));
      return false;
    }
    std::memcpy(&bytes[at], d.bytes.data(), 16);
  }
  const Result<launch::TensorMap> decoded = launch::decode_tensor_map(bytes);
  if (!decoded) {
    warp.refuse(fmt::format("the tensor map at {:#x}: {}", address, decoded.error().message));
    return false;
  }
  map = *decoded;
  return true;
}

// What has not been seen on a GPU yet, said in words; else "".
std::string_view not_known(const launch::TensorMap& map) {
  if (map.interleave != launch::TensorInterleave::kNone) {
    return "copies of interleaved tensors are not supported";
  }
  if (map.swizzle != launch::TensorSwizzle::kNone &&
      row_bytes(map) > 16u << static_cast<unsigned>(map.swizzle)) {
    return "boxes wider than their swizzle are not supported";
  }
  return {};
}

bool read_request(Warp& warp, const Op& op, bool has_barrier, TensorRequest& request) {
  const unsigned first = has_barrier ? 2 : 1;
  if (!all_known(warp, op, first + op.mode[0])) {
    warp.refuse("its operands are Unknown");
    return false;
  }
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  const std::uint64_t address =
      warp.plain(op.source[1])[lane] | std::uint64_t{warp.plain(op.source[1], 1)[lane]} << 32;
  if (!read_map(warp, address, request.map)) return false;
  if (request.map.rank != op.mode[0]) {
    warp.refuse(fmt::format("the tensor map has {} dimensions", request.map.rank));
    return false;
  }
  if (request.map.pixels.has_value() != (op.mode[4] != 0)) {
    warp.refuse("the tensor map is for another kind of copy (boxes, or im2col)");
    return false;
  }
  if (const std::string_view why = not_known(request.map); !why.empty()) {
    warp.refuse(why);
    return false;
  }
  request.shared = warp.plain(op.source[0])[lane];
  if (has_barrier) request.barrier = warp.plain(op.source[0], 1)[lane];
  for (unsigned k = 0; k < op.mode[0]; ++k) {
    request.corner[k] = static_cast<std::int32_t>(warp.plain(op.source[0], first + k)[lane]);
  }
  for (unsigned k = 0; op.mode[5] != 0 && k < request.shift.size(); ++k) {
    request.shift[k] = static_cast<std::int32_t>(warp.plain(op.source[2])[lane] >> (5 * k) & 31);
  }
  if (request.shared % kSharedAlignment != 0) {
    warp.fault(Fault::Kind::kMisaligned, lane, request.shared, 16,
               "the box address in shared memory is not 128-byte aligned");
    return false;
  }
  return true;
}

// What lies outside of the tensor: zeros, or a NaN of the type.
void fill(const launch::TensorMap& map, ByteRun& run) {
  run.unknown = {};
  run.bytes = {};
  if (!map.fill_nan) return;
  // All ones but the sign, in every element.
  const unsigned element = launch::element_bytes(map.type);
  for (unsigned k = 0; k < run.size; ++k) run.bytes[k] = k % element == element - 1 ? 0x7f : 0xff;
}

template <typename Visit>
void for_each_unit(const launch::TensorMap& map, const SharedPlace& box, const BoxRow& row,
                   Visit visit) {
  for (std::uint32_t at = 0; at < row_bytes(map); at += 16) {
    const std::uint32_t address = swizzled(map.swizzle, box.address + row.offset + at);
    visit(SharedPlace{box.block, address}, at);
  }
}

void execute_tensor_load(Warp& warp, const Op& op) {
  TensorRequest request;
  if (!read_request(warp, op, true, request)) return;
  const launch::TensorMap& map = request.map;
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  std::vector<SharedPlace> boxes{place_of(warp, request.shared)};
  std::vector<SharedPlace> barriers{place_of(warp, request.barrier)};
  if (op.mode[1] != 0) {
    const SharedPlace box = boxes[0];
    const SharedPlace barrier = barriers[0];
    boxes.clear();
    barriers.clear();
    for_each_lane(warp.plain(op.source[2])[lane] >> 16, [&](unsigned rank) {
      Block* block = place_of(warp, rank << kClusterShift).block;
      boxes.push_back({block, box.address});
      barriers.push_back({block, barrier.address});
    });
  }
  ByteRun run;
  run.size = row_bytes(map);
  request.for_each_row([&](const BoxRow& row) {
    if (!op.idle) fill(map, run);
    if (row.inside != 0) read_global(warp, row.address, row.inside, run, row.before);
    if (op.idle) return;
    // How the copy rounds to TF32 or flushes, and in which order it takes pixels, has not been seen
    // on a GPU: the results are Unknown.
    if (map.type >= launch::TensorType::kF32Ftz || map.pixels) run.unknown.fill(1);
    for (const SharedPlace& box : boxes) {
      for_each_unit(map, box, row, [&](const SharedPlace& to, std::uint32_t at) {
        write_shared(warp, to, 16, run, at);
      });
    }
  });
  tell_bulk(warp, read::Space::kShared);
  const BarrierChange arrived{.bytes = -static_cast<std::int32_t>(box_bytes(map))};
  for (const SharedPlace& barrier : barriers)
    if (!change_barrier(warp, barrier, arrived)) return;
}

void execute_tensor_store(Warp& warp, const Op& op) {
  TensorRequest request;
  if (!read_request(warp, op, false, request)) return;
  const launch::TensorMap& map = request.map;
  const Reduction* reduction = nullptr;
  if (op.mode[2] != 0) {
    reduction = find_reduction(static_cast<ReduceOperation>(op.mode[3]), map.type);
    if (reduction == nullptr) {
      return warp.refuse(fmt::format("{} has no such reduction", launch::name(map.type)));
    }
  }
  const SharedPlace box = place_of(warp, request.shared);
  ByteRun run;
  run.size = row_bytes(map);
  request.for_each_row([&](const BoxRow& row) {
    if (!op.idle) {
      for_each_unit(map, box, row, [&](const SharedPlace& from, std::uint32_t at) {
        read_shared(warp, from, 16, run, at);
      });
      if (map.pixels) run.unknown.fill(1);  // see execute_tensor_load
    }
    if (row.inside == 0) return;
    if (reduction != nullptr) {
      reduce_global(warp, *reduction, row.address, row.inside, run, row.before);
    } else {
      write_global(warp, row.address, row.inside, run, row.before);
    }
  });
  tell_bulk(warp, read::Space::kGlobal);
}

bool lower_common(Lowering& l, const read::Instruction& i, Op& op) {
  const std::string_view dimension = i.modifier("dimension");
  if (dimension.size() != 2) return false;
  op.mode[0] = static_cast<std::uint8_t>(dimension[0] - '0');
  op.source[0] = uniform_source(i.operands()[0]);
  op.source[1] = uniform_source(i.operands()[1]);
  const bool is_multicast = !i.modifier("multicast").empty();
  const bool is_pixels = !i.modifier("im2col").empty();
  op.mode[1] = is_multicast ? 1 : 0;
  op.mode[4] = is_pixels ? 1 : 0;
  const auto operands = i.operands();
  const bool has_third =
      operands.size() > 2 && operands[2].is_register(read::RegisterFile::kUniform);
  if (is_multicast || (is_pixels && has_third)) op.source[2] = l.source(operands[2]);
  op.mode[5] = is_pixels && has_third ? 1 : 0;
  return true;
}

}  // namespace

bool lower_tensor_load(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_tensor_load;
  return lower_common(l, i, op);
}

bool lower_tensor_store(Lowering& l, const read::Instruction& i, Op& op) {
  op.execute = execute_tensor_store;
  if (read::is_reduction(i)) {
    const auto operation = parse_reduce_operation(i.modifier("operation"));
    if (!operation) return false;
    op.mode[2] = 1;
    op.mode[3] = static_cast<std::uint8_t>(*operation);
  }
  return lower_common(l, i, op);
}

}  // namespace burin::emulate
