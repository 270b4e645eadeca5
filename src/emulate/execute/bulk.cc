// Bulk copies (UBLKCP, UBLKRED), and the table of all that is asynchronous on sm_90.
#include "emulate/access/bulk.h"

#include <algorithm>
#include <bit>

#include "emulate/access/bulk.h"
#include "emulate/access/bulk_memory.h"
#include "emulate/state/grid.h"
#include "read/isa/traits.h"

namespace burin::emulate {

namespace {

// source[0]: to where, in shared memory followed by the mbarrier; source[1]: from where; source[2]:
// the number of 16 bytes, and in the upper half the blocks of a multicast. `mode` by these names:
enum BulkMode : std::uint8_t { kToShared, kFromShared, kMulticast, kReduces, kOperation, kType };

struct ReducedType {
  std::string_view name;
  launch::TensorType type;
};
constexpr ReducedType kReducedTypes[] = {
    {"", launch::TensorType::kU32},
    {"S32", launch::TensorType::kI32},
    {"U64", launch::TensorType::kU64},
    {"S64", launch::TensorType::kI64},
    {"F16.RN", launch::TensorType::kF16},
    {"F32.RN", launch::TensorType::kF32},
    {"F32.FTZ.RN", launch::TensorType::kF32Ftz},
    {"F64.RN", launch::TensorType::kF64},
    {"BF16.RN", launch::TensorType::kBf16},
};

const Reduction* reduction_of(const read::Instruction& i) {
  const auto type = std::ranges::find(kReducedTypes, i.modifier("type"), &ReducedType::name);
  const auto operation = parse_reduce_operation(i.modifier("operation"));
  if (type == std::end(kReducedTypes) || !operation) return nullptr;
  return find_reduction(*operation, type->type);
}

std::uint64_t wide(const Warp& warp, const Source& s, unsigned lane) {
  return warp.plain(s)[lane] | std::uint64_t{warp.plain(s, 1)[lane]} << 32;
}

void execute_bulk_copy(Warp& warp, const Op& op) {
  const bool to_shared = op.mode[kToShared] != 0;
  const bool from_shared = op.mode[kFromShared] != 0;
  Mask unknown = warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[0], 1) |
                 warp.unknown_of(op.source[1]) | warp.unknown_of(op.source[2]);
  if (!from_shared) unknown |= warp.unknown_of(op.source[1], 1);
  if ((unknown & warp.exec) != 0) return warp.refuse("its operands are Unknown");
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exec));
  const std::uint32_t amount = warp.plain(op.source[2])[lane];
  const std::uint32_t bytes = (amount & 0xffff) * 16;
  const Reduction* reduction = nullptr;
  if (op.mode[kReduces] != 0) {
    reduction = find_reduction(static_cast<ReduceOperation>(op.mode[kOperation]),
                               static_cast<launch::TensorType>(op.mode[kType]));
  }
  const SharedPlace shared_from = place_of(warp, warp.plain(op.source[1])[lane]);
  const std::uint64_t global_from = from_shared ? 0 : wide(warp, op.source[1], lane);
  const std::uint64_t global_to = to_shared ? 0 : wide(warp, op.source[0], lane);
  const SharedPlace shared_to = place_of(warp, warp.plain(op.source[0])[lane]);
  const SharedPlace barrier = place_of(warp, warp.plain(op.source[0], 1)[lane]);
  const std::uint64_t places = (from_shared ? shared_from.address : global_from) |
                               (to_shared ? shared_to.address : global_to);
  if (places % 16 != 0) {
    warp.fault(Fault::Kind::kMisaligned, lane, places, 16,
               "the addresses and size of a bulk copy must be multiples of 16 bytes");
    return;
  }
  std::vector<Block*> blocks{shared_to.block};
  if (op.mode[kMulticast] != 0) {
    blocks.clear();
    for_each_lane(amount >> 16, [&](unsigned rank) {
      blocks.push_back(place_of(warp, rank << kClusterShift).block);
    });
  }
  ByteRun run;
  for (std::uint32_t at = 0; at < bytes; at += kMaxRun) {
    const std::uint32_t size = std::min<std::uint32_t>(kMaxRun, bytes - at);
    run.size = size;
    if (from_shared) {
      read_shared(warp, {shared_from.block, shared_from.address + at}, size, run, 0);
    } else {
      read_global(warp, global_from + at, size, run, 0);
    }
    if (!to_shared) {
      if (reduction != nullptr) {
        reduce_global(warp, *reduction, global_to + at, size, run, 0);
      } else {
        write_global(warp, global_to + at, size, run, 0);
      }
      continue;
    }
    for (Block* block : blocks) {
      const SharedPlace to{block, shared_to.address + at};
      if (reduction != nullptr) {
        reduce_shared(warp, *reduction, to, size, run, 0);
      } else {
        write_shared(warp, to, size, run, 0);
      }
    }
  }
  tell_bulk(warp, to_shared ? read::Space::kShared : read::Space::kGlobal);
  if (!to_shared) return;
  const bool multicast = op.mode[kMulticast] != 0;
  for (Block* block : blocks) {
    const SharedPlace told{multicast ? block : barrier.block, barrier.address};
    if (!change_barrier(warp, told, {.bytes = -static_cast<std::int32_t>(bytes)})) return;
  }
}

bool lower_bulk_copy(Lowering& l, const read::Instruction& i, Op& op) {
  op.mode[kToShared] = i.modifier("to") == "S" ? 1 : 0;
  op.mode[kFromShared] = i.modifier("from") == "S" ? 1 : 0;
  op.mode[kMulticast] = i.modifier("multicast").empty() ? 0 : 1;
  if (op.mode[kToShared] == 0 && op.mode[kFromShared] == 0) return false;
  if (read::is_reduction(i)) {
    const Reduction* reduction = reduction_of(i);
    if (reduction == nullptr) return false;
    op.mode[kReduces] = 1;
    op.mode[kOperation] = static_cast<std::uint8_t>(reduction->operation);
    op.mode[kType] = static_cast<std::uint8_t>(reduction->type);
  }
  op.source[0] = uniform_source(i.operands()[0]);
  op.source[1] = uniform_source(i.operands()[1]);
  op.source[2] = l.source(i.operands()[2]);
  op.execute = execute_bulk_copy;
  return true;
}

}  // namespace

Source uniform_source(const read::Operand& operand) {
  if (operand.uniform == read::Operand::kNoRegister || operand.uniform == read::kZeroRegister)
    return {};
  return {.slot = static_cast<std::uint16_t>(kUniformSlot + operand.uniform)};
}

std::span<const LowerRow> bulk_rows() {
  static constexpr LowerRow kRows[] = {
      {"SYNCS", lower_syncs},
      {"ARRIVES", lower_arrives},
      {"UCGABAR_ARV", lower_cluster_barrier},
      {"UCGABAR_WAIT", lower_cluster_barrier},
      {"UBLKCP", lower_bulk_copy},
      {"UBLKRED", lower_bulk_copy},
      {"UBLKPF", lower_plain<execute_nothing>},        // prefetches
      {"UTMAPF", lower_plain<execute_nothing>},        //
      {"UTMACCTL", lower_plain<execute_nothing>},      // the cache of tensor maps
      {"UTMACMDFLUSH", lower_plain<execute_nothing>},  // cp.async.bulk.commit_group
      {"UTMALDG", lower_tensor_load},
      {"UTMASTG", lower_tensor_store},
      {"UTMAREDG", lower_tensor_store},
  };
  return kRows;
}

}  // namespace burin::emulate
