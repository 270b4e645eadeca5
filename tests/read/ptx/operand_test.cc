// Are operands read as what they are: registers, constants, addresses, vectors, lists?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "ptx_text.h"

namespace burin::read::ptx {
namespace {

using testing::ElementsAre;

// "name !%p1", "address(name %rd1, number -16)"
std::string outline(const Module& module, const Operand& operand) {
  static constexpr const char* kKinds[] = {"name", "number", "address", "vector",
                                           "pair", "sum",    "list"};
  std::string out = kKinds[static_cast<int>(operand.kind)];
  if (operand.kind == Operand::Kind::kName) {
    return out + (operand.negated ? " !" : " ") + std::string(operand.name);
  }
  if (operand.kind == Operand::Kind::kNumber) {
    return out + " " + std::string(module.text_of(operand.span));
  }
  std::string parts;
  for (const Operand& part : operand.parts) {
    parts += (parts.empty() ? "" : ", ") + outline(module, part);
  }
  return out + "(" + parts + ")";
}

std::vector<std::string> operands(const std::string& instruction) {
  const Module module = parsed(module_of(instruction));
  const Function* kernel = module.find_function("k");
  if (kernel == nullptr || kernel->body.size() != 1) return {"not one statement"};
  const auto& read = std::get<Instruction>(kernel->body[0]);
  EXPECT_EQ(module.text_of(read.span), instruction);
  std::vector<std::string> out;
  for (const Operand& operand : read.operands) out.push_back(outline(module, operand));
  return out;
}

TEST(PtxOperand, NamesAndNumbers) {
  EXPECT_THAT(operands("mad.lo.s32 %r3, %r25, -1, %tid.x;"),
              ElementsAre("name %r3", "name %r25", "number -1", "name %tid.x"));
  EXPECT_THAT(operands("fma.rn.f32 %f1, 0f3F800000, -0f3F800000, _;"),
              ElementsAre("name %f1", "number 0f3F800000", "number -0f3F800000", "name _"));
  EXPECT_THAT(operands("vadd.u32.u32.s32 %r1, %r2.b0, -%r3.h1;"),
              ElementsAre("name %r1", "name %r2.b0", "name !%r3.h1"));
  EXPECT_THAT(operands("setp.lt.and.s32 %p1|%p2, %r1, WARP_SZ, !%p3;"),
              ElementsAre("pair(name %p1, name %p2)", "name %r1", "number WARP_SZ", "name !%p3"));
  EXPECT_THAT(
      operands("shfl.sync.idx.b32 %r1 | _, %r1, 0, 31, -1;"),
      ElementsAre("pair(name %r1, name _)", "name %r1", "number 0", "number 31", "number -1"));
}

TEST(PtxOperand, Addresses) {
  EXPECT_THAT(operands("ld.f32 %f1, [%rd1+16];"),
              ElementsAre("name %f1", "address(name %rd1, number 16)"));
  EXPECT_THAT(operands("ld.f32 %f1, [%rd1+-16];"),
              ElementsAre("name %f1", "address(name %rd1, number -16)"));
  EXPECT_THAT(operands("ld.f32 %f1, [ tile - 16 ];"),
              ElementsAre("name %f1", "address(name tile, number - 16)"));
  EXPECT_THAT(operands("ld.f32 %f1, [0x100];"), ElementsAre("name %f1", "address(number 0x100)"));
  EXPECT_THAT(operands("ld.f32 %f1, [tile+%r1];"),
              ElementsAre("name %f1", "address(name tile, name %r1)"));
  EXPECT_THAT(operands("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];"),
              ElementsAre("vector(name %f1, name %f2, name %f3, name %f4)",
                          "address(name tex, vector(name %f5, name %f6))"));
  EXPECT_THAT(operands("cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1, {%r2, 0}], "
                       "[%r4+8], %rs1;"),
              ElementsAre("address(name %r1)", "address(name %rd1, vector(name %r2, number 0))",
                          "address(name %r4, number 8)", "name %rs1"));
  EXPECT_THAT(operands("suld.b.1d.b32.trap {%r1}, [%rd1, %r2];"),
              ElementsAre("vector(name %r1)", "address(name %rd1, name %r2)"));
}

TEST(PtxOperand, Calls) {
  EXPECT_THAT(operands("call.uni (retval0), \n_Z4slowf, \n(\nparam0, param1\n);"),
              ElementsAre("list(name retval0)", "name _Z4slowf", "list(name param0, name param1)"));
  EXPECT_THAT(operands("call (_), %rd1, (), prototype_0;"),
              ElementsAre("list(name _)", "name %rd1", "list()", "name prototype_0"));
  EXPECT_THAT(operands("call f;"), ElementsAre("name f"));
}

TEST(PtxOperand, ConstantExpressions) {
  EXPECT_THAT(operands("mov.u32 %r1, (1<<3)-1;"), ElementsAre("name %r1", "number (1<<3)-1"));
  EXPECT_THAT(operands("mov.u32 %r1, (5);"), ElementsAre("name %r1", "number (5)"));
  EXPECT_THAT(operands("mov.u64 %rd1, (.u64)3*-2;"), ElementsAre("name %rd1", "number (.u64)3*-2"));
  EXPECT_THAT(operands("mov.u32 %r1, 1 == 2 ? 3 : 4 || 5;"),
              ElementsAre("name %r1", "number 1 == 2 ? 3 : 4 || 5"));
  EXPECT_THAT(operands("mov.u32 %r1, 1|2;"), ElementsAre("name %r1", "number 1|2"));
  EXPECT_THAT(operands("mov.u64 %rd1, tile+16;"),
              ElementsAre("name %rd1", "sum(name tile, number 16)"));
  EXPECT_THAT(operands("mov.u64 %rd1, tile-16;"),
              ElementsAre("name %rd1", "sum(name tile, number -16)"));
}

TEST(PtxOperand, NoneAtAll) {
  EXPECT_TRUE(operands("ret;").empty());
  EXPECT_TRUE(operands("wgmma.fence.sync.aligned;").empty());
}

TEST(PtxOperand, GuardsAndOpcodes) {
  const Module module = parsed(module_of("@%p1 bra L; @ ! %p2 ld .volatile .global.u32 %r1, [a];"));
  const std::vector<Instruction> all = all_of<Instruction>(*module.find_function("k"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].guard->predicate, "%p1");
  EXPECT_FALSE(all[0].guard->negated);
  EXPECT_EQ(all[0].base(), "bra");
  EXPECT_EQ(all[1].guard->predicate, "%p2");
  EXPECT_TRUE(all[1].guard->negated);
  EXPECT_EQ(all[1].opcode, "ld.volatile.global.u32");  // ptxas allows the space
  EXPECT_EQ(all[1].base(), "ld");
  EXPECT_TRUE(all[1].has_modifier("volatile"));
  EXPECT_TRUE(all[1].has_modifier("u32"));
  EXPECT_FALSE(all[1].has_modifier("ld"));
  EXPECT_FALSE(all[1].has_modifier("glob"));
}

}  // namespace
}  // namespace burin::read::ptx
