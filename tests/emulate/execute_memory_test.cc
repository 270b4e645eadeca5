#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "one_op.h"

namespace burin::emulate {
namespace {

using testing::HasSubstr;

constexpr std::uint16_t kData = 16;

std::uint32_t word_at(OneOp& op, std::uint64_t address) {
  Datum d;
  EXPECT_EQ(op.grid().memory->read(address, 4, d), MemoryStatus::kDone);
  EXPECT_EQ(d.unknown, 0);
  std::uint32_t value;
  std::memcpy(&value, d.bytes.data(), 4);
  return value;
}

std::vector<Fault> faults(OneOp& op) {
  return op.grid().faults.take();
}

TEST(ExecuteMemory, LdgReadsEachLanesAddress) {
  OneOp op({0x0000000a10107981, 0x000fe2000c1e1900});
  ASSERT_EQ(op.text(), "LDG.E R16, desc[UR10][R16.64]");
  const launch::Buffer buffer{.size = 4096, .kind = launch::Fill::kInt, .limit = 1u << 31};
  const std::uint64_t a = op.grid().memory->add("argument 0", buffer);
  std::array<std::uint8_t, 4096> bytes;
  buffer.fill(0, bytes);
  for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), 16, i, a + 4 * (i * 7 % 32));
  ASSERT_TRUE(op.run(0xfffffffe));
  EXPECT_EQ(op.warp().slots[kData][0], static_cast<std::uint32_t>(a)) << "not active: untouched";
  for (unsigned i = 1; i < 32; ++i) {
    std::uint32_t expected;
    std::memcpy(&expected, &bytes[4 * (i * 7 % 32)], 4);
    EXPECT_EQ(op.warp().slots[kData][i], expected);
  }
  ASSERT_EQ(op.warp().access_count, 1);
  const Access& access = op.warp().accesses[0];
  EXPECT_EQ(access.space, read::Space::kGlobal);
  EXPECT_TRUE(access.load && !access.store);
  EXPECT_EQ(access.bytes, 4);
  EXPECT_EQ(access.lanes, 0xfffffffe);
  EXPECT_EQ(access.address[3], a + 4 * 21);
  EXPECT_TRUE(faults(op).empty());
}

TEST(ExecuteMemory, BytesAreExtendedByTheirSign) {
  OneOp op({0x0000000404147981, 0x000fe2000c1e1300});
  ASSERT_EQ(op.text(), "LDG.E.S8 R20, desc[UR4][R4.64]");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  op.grid().memory->write(a, 4, datum(0x7f80));
  for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), 4, i, a + i % 2);
  op.run();
  EXPECT_EQ(op.warp().slots[20][0], 0xffffff80u);
  EXPECT_EQ(op.warp().slots[20][1], 0x7fu);
}

TEST(ExecuteMemory, AFalseSourcePredicateGivesZeroWithoutAnAccess) {
  OneOp op({0x000000140e307981, 0x000fe2000c1f5b08});
  ASSERT_EQ(op.text(), "LDG.E.64.STRONG.SYS R48, desc[UR20][R14.64], !PT");
  op.warp().slots[48][5] = 77;
  op.warp().slots[49][5] = 77;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().slots[48][5], 0u);
  EXPECT_EQ(op.warp().slots[49][5], 0u);
  EXPECT_EQ(op.warp().accesses[0].lanes, 0u);
  EXPECT_TRUE(faults(op).empty());
}

TEST(ExecuteMemory, AUniformPointerCarriesAZeroExtendedRegister) {
  OneOp op({0x00000004ff097981, 0x000fe200081f8900});
  ASSERT_EQ(op.text(), "LDG.E.MMIO.SYS R9, [RZ.U32+UR4]");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  op.grid().memory->write(a, 4, datum(123));
  for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), kUniformSlot + 4, i, a);
  op.run();
  EXPECT_EQ(op.warp().slots[9][31], 123u);
}

TEST(ExecuteMemory, OutOfBoundsAndMisalignedLanesAreReportedAndUnknown) {
  OneOp op({0x0000000a10107981, 0x000fe2000c1e1900});
  const std::uint64_t a =
      op.grid().memory->add("argument 2", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), 16, i, a);
  set_address(op.warp(), 16, 7, a + 68);
  set_address(op.warp(), 16, 9, a + 2);
  op.block().index = {4, 0, 0};
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().unknown[kData], 1u << 7 | 1u << 9);
  const std::vector<Fault> found = faults(op);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, Fault::Kind::kOutOfBounds);
  EXPECT_EQ(found[0].address, a + 68);
  EXPECT_EQ(found[0].block.x, 4u);
  EXPECT_EQ(found[0].detail, "4 bytes past the end of argument 2 (64 bytes)");
  EXPECT_EQ(found[1].kind, Fault::Kind::kMisaligned);
}

TEST(ExecuteMemory, UninitialisedAndUnknownContentsAreTwoThings) {
  for (const launch::Fill fill : {launch::Fill::kUndef, launch::Fill::kNone}) {
    OneOp op({0x0000000a10107981, 0x000fe2000c1e1900});
    const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = fill});
    for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), 16, i, a);
    op.run();
    EXPECT_EQ(op.warp().unknown[kData], kAllLanes);
    const std::vector<Fault> found = faults(op);
    ASSERT_EQ(found.size(), fill == launch::Fill::kUndef ? 1u : 0u);
    for (const Fault& fault : found) EXPECT_EQ(fault.kind, Fault::Kind::kUninitialised);
  }
}

TEST(ExecuteMemory, AnUnknownAddressLoadsTheUnknownAndStoresNothing) {
  OneOp load({0x0000000a10107981, 0x000fe2000c1e1900});
  const std::uint64_t a = load.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) set_address(load.warp(), 16, i, a);
  load.warp().unknown[17] = 0xf0;
  load.run();
  EXPECT_EQ(load.warp().unknown[kData], 0xf0u);
  EXPECT_EQ(load.warp().accesses[0].unknown, 0xf0u);
  EXPECT_TRUE(faults(load).empty());

  OneOp store({0x0000000004007986, 0x000fe2000c101906});
  ASSERT_EQ(store.text(), "STG.E desc[UR6][R4.64], R0");
  const std::uint64_t b = store.grid().memory->add("b", {.size = 128, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) {
    set_address(store.warp(), 4, i, b + 4 * i);
    store.warp().slots[0][i] = i + 1;
  }
  store.warp().unknown[4] = 1u << 3;
  store.run();
  EXPECT_EQ(word_at(store, b + 8), 3u);
  EXPECT_EQ(word_at(store, b + 12), 0u);
}

TEST(ExecuteMemory, StoresInDoubtAreUnknown) {
  OneOp op({0x0000000004007986, 0x000fe2000c101906});
  const std::uint64_t a = op.grid().memory->add("a", {.size = 128, .kind = launch::Fill::kZero});
  for (unsigned i = 0; i < 32; ++i) set_address(op.warp(), 4, i, a + 4 * i);
  op.warp().unknown[0] = 1u << 1;
  op.warp().forked = 1u << 2;
  op.run();
  Datum d;
  op.grid().memory->read(a, 16, d);
  EXPECT_EQ(d.unknown, 0x0ff0);
}

TEST(ExecuteMemory, GenericAddressesFindTheirSpace) {
  OneOp op({0x0000001e02007980, 0x000fe2000c101900});
  ASSERT_EQ(op.text(), "LD.E R0, desc[UR30][R2.64]");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  op.grid().memory->write(a, 4, datum(1));
  op.block().shared.reset(2048, 1024);
  op.block().shared.write(1024, 4, datum(2));
  op.grid().local_bytes = 64;
  Warp& w = op.warp();
  w.local.resize(16);
  w.local_known.resize(16);
  w.local[2][2] = 3;
  w.local_known[2].written.fill(kAllLanes);
  w.local_known[2].known.fill(kAllLanes);
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t where[] = {a, kSharedWindow + 1024, kLocalWindow + 8};
    set_address(w, 2, i, where[i % 3]);
  }
  op.run(0x7);
  EXPECT_EQ(w.slots[0][0], 1u);
  EXPECT_EQ(w.slots[0][1], 2u);
  EXPECT_EQ(w.slots[0][2], 3u);
  EXPECT_TRUE(faults(op).empty());
  EXPECT_EQ(w.access_count, 2) << "the third is not told of";
  op.run(0x2);
  ASSERT_EQ(w.access_count, 1);
  EXPECT_EQ(w.accesses[0].space, read::Space::kShared);
  EXPECT_EQ(w.accesses[0].address[1], 1024u);
}

TEST(ExecuteMemory, SharedAddressesOfAClusterNameTheBlock) {
  OneOp op({0x0000001e02007980, 0x000fe2000c101900});
  Cluster cluster;
  for (unsigned rank = 0; rank < 2; ++rank) {
    cluster.blocks.push_back(std::make_unique<Block>());
    cluster.blocks[rank]->shared.reset(2048, 1024);
    cluster.blocks[rank]->shared.write(1024, 4, datum(10 + rank));
  }
  op.block().cluster = &cluster;
  for (unsigned i = 0; i < 32; ++i) {
    set_address(op.warp(), 2, i, kSharedWindow + 1024 + (std::uint64_t{i % 3} << kClusterShift));
  }
  op.run();
  EXPECT_EQ(op.warp().slots[0][0], 10u);
  EXPECT_EQ(op.warp().slots[0][1], 11u);
  EXPECT_EQ(op.warp().unknown[0] & 7, 4u);
  const std::vector<Fault> found = faults(op);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].detail, HasSubstr("no such block"));
}

TEST(ExecuteMemory, SharedRacesNameTheOtherThread) {
  OneOp op({0x000000000d067984, 0x000fe20000000800});
  ASSERT_EQ(op.text(), "LDS R6, [R13]");
  op.block().shared.reset(2048, 1024);
  op.block().shared.write(1024, 4, datum(5));
  op.block().warps.resize(3);
  Clock other{};
  other[2] = 1;
  op.block().shared.note(1024, 4, SharedUse::kWrite, 0, 2, 3, other);
  op.launch().block = {32, 3, 1};
  op.warp().clock[0] = 1;
  for (unsigned i = 0; i < 32; ++i) op.warp().slots[13][i] = 1024;
  op.run();
  EXPECT_EQ(op.warp().slots[6][0], 5u);
  const std::vector<Fault> found = faults(op);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Fault::Kind::kRace);
  EXPECT_THAT(found[0].detail, HasSubstr("thread 3,2,0 wrote it"));
}

TEST(ExecuteMemory, UnwrittenSharedMemoryIsReportedUnlessNobodyAsked) {
  for (const bool check : {true, false}) {
    OneOp op({0x000000000d067984, 0x000fe20000000800});
    op.options().check_shared = check;
    op.block().shared.reset(2048, 1024);
    for (unsigned i = 0; i < 32; ++i) op.warp().slots[13][i] = 1024 + 4 * i;
    op.run();
    EXPECT_EQ(op.warp().unknown[6], kAllLanes);
    EXPECT_EQ(faults(op).size(), check ? 1u : 0u);
  }
}

TEST(ExecuteMemory, LocalMemoryIsEachThreadsOwn) {
  OneOp store({0x000004ff01007387, 0x000fe20000100800});
  ASSERT_EQ(store.text(), "STL [R1+0x4], RZ");
  store.grid().local_bytes = 16;
  store.launch().block = {32, 1, 1};
  for (unsigned i = 0; i < 32; ++i) store.warp().slots[1][i] = i < 4 ? 4 * i : 0;
  store.run();
  Warp& w = store.warp();
  EXPECT_EQ(w.local_known[1].written[0], 0xfffffff1);
  EXPECT_EQ(w.local_known[2].written[3], 0x2u);
  const std::vector<Fault> found = faults(store);
  ASSERT_EQ(found.size(), 1u) << "lane 3 is at byte 16";
  EXPECT_EQ(found[0].thread.x, 3u);
  EXPECT_THAT(found[0].detail,
              HasSubstr("just past the end of the thread's local memory (16 bytes)"));
}

TEST(ExecuteMemory, ConstantsBeyondTheBankAreZero) {
  ConstantMemory constants;
  constants.banks[3].bytes = {1, 0, 0, 0, 0x80, 2};
  constants.banks[3].unknown = {false, false, false, false, false, true};
  OneOp op({0x00c0000000157b82, 0x000fe20000000800}, {90}, constants);
  ASSERT_EQ(op.text(), "LDC R21, c[0x3][R0]");
  for (unsigned i = 0; i < 32; ++i) op.warp().slots[0][i] = 4 * i;
  op.run();
  EXPECT_EQ(op.warp().slots[21][0], 1u);
  EXPECT_EQ(op.warp().slots[21][2], 0u);
  EXPECT_EQ(op.warp().unknown[21], 2u);
  EXPECT_EQ(op.warp().accesses[0].space, read::Space::kConstant);
}

TEST(ExecuteMemory, AConstantAtAFixedPlaceIsAMove) {
  ConstantMemory constants;
  constants.banks[0].bytes.resize(0x218);
  constants.banks[0].bytes[0x210] = 9;
  constants.banks[0].bytes[0x217] = 1;
  OneOp op({0x00008400ff127b82, 0x000fe20000000a00}, {90}, constants);
  ASSERT_EQ(op.text(), "LDC.64 R18, c[0x0][0x210]");
  op.run();
  EXPECT_EQ(op.warp().slots[18][4], 9u);
  EXPECT_EQ(op.warp().slots[19][4], 0x01000000u);
}

TEST(ExecuteMemory, LdgstsFillsWithZerosWhatItDoesNotCopy) {
  OneOp op({0x00100000100f7fae, 0x000fe20008161c44});
  ASSERT_EQ(op.text(), "LDGSTS.E.128.ZFILL [R15+0x100], desc[UR4][R16.64], P0");
  const std::uint64_t a = op.grid().memory->add("a", {.size = 64, .kind = launch::Fill::kZero});
  for (unsigned k = 0; k < 4; ++k) op.grid().memory->write(a + 4 * k, 4, datum(0xa1b2c3d4));
  op.block().shared.reset(4096, 1024);
  Warp& w = op.warp();
  w.predicates[0] = ~(1u << 2);
  for (unsigned i = 0; i < 32; ++i) {
    w.slots[15][i] = 1024 + 16 * i;
    set_address(w, 16, i, a + (i == 1 ? 10 : 0));  // 10 of 16 bytes are left out
  }
  ASSERT_TRUE(op.run(0x7));
  const auto shared = [&](unsigned lane, unsigned word) {
    Datum d;
    EXPECT_TRUE(op.block().shared.read(1280 + 16 * lane + 4 * word, 4, d));
    EXPECT_EQ(d.unknown, 0);
    std::uint32_t v;
    std::memcpy(&v, d.bytes.data(), 4);
    return v;
  };
  EXPECT_EQ(shared(0, 3), 0xa1b2c3d4u);
  EXPECT_EQ(shared(1, 0), 0xa1b2c3d4u);
  EXPECT_EQ(shared(1, 1), 0xc3d4u);
  EXPECT_EQ(shared(1, 2), 0u);
  EXPECT_EQ(shared(2, 0), 0u);
  ASSERT_EQ(w.access_count, 2);
  EXPECT_EQ(w.accesses[0].lanes, 0x3u);
  EXPECT_EQ(w.accesses[0].address[1], a);
  EXPECT_EQ(w.accesses[1].space, read::Space::kShared);
  EXPECT_EQ(w.accesses[1].lanes, 0x7u);
  EXPECT_TRUE(faults(op).empty());
}

TEST(ExecuteMemory, QspcTellsTheSpacesOfGenericAddresses) {
  OneOp own({0x000000001eff73aa, 0x000fe20000000500});
  ASSERT_EQ(own.text(), "QSPC.E.S P0, RZ, [R30]");
  OneOp other({0xffff800014ff73aa, 0x000fe20000000700});
  ASSERT_EQ(other.text(), "QSPC.E.D P0, RZ, [R20+-0x80]");
  const std::uint64_t where[] = {kSharedWindow + 1024, kSharedWindow + (1u << kClusterShift) + 1024,
                                 kLocalWindow + 256, std::uint64_t{3} << 40};
  for (unsigned i = 0; i < 32; ++i) {
    set_address(own.warp(), 30, i, where[i % 4]);
    set_address(other.warp(), 20, i, where[i % 4]);
  }
  own.run();
  other.run();
  EXPECT_EQ(own.warp().predicates[0], 0x11111111u);
  EXPECT_EQ(other.warp().predicates[0], 0x22222222u);
}

}  // namespace
}  // namespace burin::emulate
