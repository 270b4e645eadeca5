// What a cubin tells about each function, against what the sources in tests/data/binary say.
#include "read/binary/data.h"

namespace burin::test {
namespace {

using Dimensions = std::array<std::uint32_t, 3>;

read::Image read(const Buffer& bytes) {
  Result<read::Image> image = read::read_cubin(bytes, {});
  EXPECT_TRUE(image.ok()) << (image ? "" : image.error().message);
  return image ? *image : read::Image{};
}

// What tells the generations apart: the ELF header, and the barriers in the section flags instead
// of in .nv.info. (Toolkits up to 12 wrote no .note.nv.tkinfo either; that case is `without_note`.)
Buffer to_old_generation(Buffer elf, std::uint8_t sm) {
  elf[7] = 0x33;
  elf[8] = 7;
  put<std::uint32_t>(elf, 20, 0x7b);
  put<std::uint32_t>(elf, 48, sm << 16 | 5 << 8 | sm);
  for (std::size_t i = 0; i < section_count(elf); ++i) {
    const std::string name = section_name(elf, i);
    const std::size_t header = section_header(elf, i);
    if (name == ".text._Z6barredPi")
      put<std::uint64_t>(elf, header + 8, get<std::uint64_t>(elf, header + 8) | 4 << 20);
    if (!name.starts_with(".nv.info._Z6barredPi")) continue;
    const std::size_t from = get<std::uint64_t>(elf, header + 24);
    for (std::size_t at = from; at < from + get<std::uint64_t>(elf, header + 32); at += 4)
      if (elf[at] == 2 && elf[at + 1] == 0x4c) elf[at + 1] = 0xfe;  // an attribute nobody knows
  }
  return elf;
}

Buffer without_note(Buffer elf) {
  put<std::uint64_t>(elf, find_section(elf, ".note.nv.tkinfo") + 32, 0);
  return elf;
}

TEST(Cubin, NamesArchitectureAndToolkit) {
  EXPECT_EQ(to_string(read(data("nested_sm75.cubin")).arch), "sm_75");
  const Buffer bytes = data("nested_sm90a.cubin");
  const read::Image image = read(bytes);
  EXPECT_EQ(to_string(image.arch), "sm_90a");
  EXPECT_EQ(image.toolkit, "ptxas 13.0");
  EXPECT_FALSE(image.relocatable);
  EXPECT_TRUE(image.problems.empty());
}

TEST(Cubin, TakesTheVariantFromOutsideOnlyWhereItHasNoneItself) {
  const Buffer plain = without_note(data("nested_sm90a.cubin"));
  EXPECT_EQ(to_string(read(plain).arch), "sm_90");
  EXPECT_EQ(to_string(read_cubin(plain, read::Architecture{90, 'a'})->arch), "sm_90a");
  EXPECT_EQ(to_string(read_cubin(plain, read::Architecture{100, 'f'})->arch), "sm_90");
  EXPECT_EQ(to_string(read_cubin(data("nested_sm90a.cubin"), read::Architecture{90, 0})->arch),
            "sm_90a");
}

TEST(Cubin, ReadsBothElfGenerations) {
  for (const int sm : {75, 90}) {
    const Buffer fresh = data("resources_sm" + std::to_string(sm) + ".cubin");
    const read::Image now = read(fresh);
    const Buffer aged = to_old_generation(fresh, static_cast<std::uint8_t>(sm));
    const read::Image old = read(aged);
    EXPECT_EQ(old.arch, now.arch);
    ASSERT_EQ(old.functions.size(), now.functions.size());
    for (std::size_t i = 0; i < now.functions.size(); ++i) {
      const read::Function &a = old.functions[i], &b = now.functions[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.registers, b.registers);
      EXPECT_EQ(a.barriers, b.barriers);
      EXPECT_EQ(a.shared_bytes, b.shared_bytes);
      EXPECT_EQ(a.code.size(), b.code.size());
    }
  }
}

class Resources : public testing::TestWithParam<int> {};

TEST_P(Resources, AreThoseOfTheSource) {
  const Buffer bytes = data("resources_sm" + std::to_string(GetParam()) + ".cubin");
  const read::Image image = read(bytes);
  const read::Function& staged = function(image, "_Z6stagedILi300EEv7NumbersIXT_EEPi");
  EXPECT_EQ(staged.demangled, "void staged<300>(Numbers<300>, int*)");
  EXPECT_TRUE(staged.is_kernel);
  EXPECT_EQ(staged.shared_bytes, 1200u);
  EXPECT_EQ(staged.barriers, 1u);
  EXPECT_EQ(staged.max_threads, (Dimensions{128, 1, 1}));
  EXPECT_EQ(staged.required_block, std::nullopt);
  EXPECT_EQ(staged.cluster, std::nullopt);
  EXPECT_EQ(staged.max_registers, std::nullopt);
  ASSERT_EQ(staged.parameters.size(), 2u);
  EXPECT_EQ(staged.parameters[0].offset, 0u);
  EXPECT_EQ(staged.parameters[0].size, 1200u);
  EXPECT_EQ(staged.parameters[1].offset, 1200u);
  EXPECT_EQ(staged.parameters[1].size, 8u);
  EXPECT_EQ(staged.parameter_base, GetParam() == 75 ? 0x160u : 0x210u);
  EXPECT_EQ(staged.parameter_bytes, 1208u);
  ASSERT_EQ(staged.constants.size(), 1u);
  EXPECT_EQ(staged.constants[0].bank, 0u);
  EXPECT_EQ(staged.constants[0].contents.size(), staged.parameter_base + 1208u);
  ASSERT_EQ(staged.labels.size(), 1u);  // the function that was not inlined
  EXPECT_EQ(staged.labels[0].second, "$_Z6stagedILi300EEv7NumbersIXT_EEPi$_Z8outlinedi");
  EXPECT_GT(staged.labels[0].first, 0u);
  EXPECT_LT(staged.labels[0].first, staged.code.size());
  EXPECT_GT(staged.registers, 7u);
  EXPECT_EQ(staged.code.size() % 16, 0u);

  const read::Function& framed = function(image, "_Z6framedPii");
  EXPECT_EQ(framed.local_bytes, 160u);
  EXPECT_EQ(framed.stack_bytes, 160u);
  EXPECT_EQ(framed.shared_bytes, 0u);

  const read::Function& barred = function(image, "_Z6barredPi");
  EXPECT_EQ(barred.shared_bytes, 256u);
  EXPECT_EQ(barred.barriers, 4u);  // 0 to 3

  ASSERT_EQ(image.constants.size(), 1u);
  EXPECT_EQ(image.constants[0].bank, 3u);
  EXPECT_EQ(image.constants[0].contents.size(), 16u);
  EXPECT_EQ(image.constants[0].contents[4], 2u);

  if (GetParam() >= 90) {
    EXPECT_EQ(function(image, "_Z9clusteredPi").cluster, (Dimensions{2, 1, 1}));
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Resources, testing::Values(75, 90));

TEST(Cubin, ReadsRequiredBlockAndRegisterLimits) {
  const Buffer bytes = data("required_sm75.cubin");
  const read::Image image = read(bytes);
  EXPECT_EQ(function(image, "required").required_block, (Dimensions{32, 4, 1}));
  EXPECT_EQ(function(image, "required").max_registers, 32u);
  EXPECT_EQ(function(image, "required").demangled, "required");
  const Buffer bounded = data("nested_sm75.cubin");  // __launch_bounds__(256, 2)
  EXPECT_EQ(function(read(bounded), "nested").max_registers, 128u);
}

TEST(Cubin, ReadsRelocatableCode) {
  for (const char* name : {"resources_rdc_sm80.cubin", "resources_rdc_sm90.cubin"}) {
    const Buffer bytes = data(name);
    const read::Image image = read(bytes);
    EXPECT_TRUE(image.relocatable);
    EXPECT_FALSE(function(image, "_Z8outlinedi").is_kernel);
    const read::Function& staged = function(image, "_Z6stagedILi300EEv7NumbersIXT_EEPi");
    EXPECT_TRUE(staged.is_kernel);
    EXPECT_EQ(staged.shared_bytes, 1200u);  // a template's: not in its section
    EXPECT_EQ(function(image, "_Z6barredPi").shared_bytes, 256u);
    EXPECT_TRUE(std::any_of(staged.relocations.begin(), staged.relocations.end(),
                            [](const read::Relocation& r) { return r.symbol == "_Z8outlinedi"; }));
    EXPECT_TRUE(std::is_sorted(staged.relocations.begin(), staged.relocations.end(),
                               [](const auto& a, const auto& b) { return a.offset < b.offset; }));
  }
}

TEST(Cubin, ListsTheTargetsOfIndirectBranches) {
  for (const char* name : {"dense_sm80.cubin", "dense_sm90.cubin"}) {
    const Buffer bytes = data(name);
    const read::Image image = read(bytes);
    const read::Function& dense = function(image, "_Z5densePii");
    ASSERT_EQ(dense.indirect_branches.size(), 4u);
    const std::size_t counts[] = {3, 4, 3, 3};
    for (std::size_t i = 0; i < 4; ++i) {
      const read::IndirectBranch& branch = dense.indirect_branches[i];
      EXPECT_EQ(branch.targets.size(), counts[i]);
      // The word at `offset` is BRX: opcode 0x949.
      EXPECT_EQ(dense.code[branch.offset] | (dense.code[branch.offset + 1] & 15) << 8, 0x949);
      for (const std::uint32_t target : branch.targets) {
        EXPECT_LT(target, dense.code.size());
        EXPECT_EQ(target % 16, 0u);
      }
    }
  }
}

TEST(Cubin, KeepsWhatItCanOfDamagedInfo) {
  Buffer bytes = data("nested_sm75.cubin");
  const std::size_t info = find_section(bytes, ".nv.info.nested");
  put<std::uint64_t>(bytes, info + 32, get<std::uint64_t>(bytes, info + 32) - 2);
  const read::Image image = read(bytes);
  ASSERT_EQ(image.problems.size(), 1u);
  EXPECT_EQ(image.problems[0], "section .nv.info.nested is truncated");
  EXPECT_EQ(function(image, "nested").parameters.size(), 3u);
}

}  // namespace
}  // namespace burin::test
