// Bodies, live registers, regions and divergence of small functions.
#include "read/ptx/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "read/ptx/ptx_text.h"

namespace burin::read::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Analysed {
  explicit Analysed(const std::string& text)
      : module(parsed(module_of(text))),
        body(std::move(*build_body(module, *module.entries().front()))),
        flow(body) {}

  Divergence divergence() const {
    return find_divergence(flow, [](const Operation& operation) {
      return std::ranges::any_of(operation.names,
                                 [](const NameUse& use) { return use.text == "%tid.x"; });
    });
  }
  bool differs(const Divergence& found, const std::string& name) const {
    for (Register r = 0; r < body.registers.size(); ++r) {
      if (body.registers[r].name == name) return found.registers.contains(r);
    }
    ADD_FAILURE() << name;
    return false;
  }
  std::vector<std::string> written(std::size_t operation) const {
    std::vector<std::string> names;
    for (const Register r : body.operations[operation].writes) {
      names.emplace_back(body.registers[r].name);
    }
    return names;
  }

  Module module;
  Body body;
  Flow flow;
};

TEST(PtxBody, ReadsAndWrites) {
  const Analysed a(R"(.reg .b32 %r<9>; .reg .pred %p<3>; .reg .v4 .f32 %v; .reg .f32 %f<3>;
    mov.u32 %r1, %tid.x;
    @%p1 add.s32 %r2, %r1, 4;
    st.global.v2.u32 [%r3+8], {%r4, %r5};
    shfl.sync.down.b32 %r6|%p2, %r7, 1, 31, -1;
    mov.f32 %v.x, %f1;
    ret;)");
  ASSERT_EQ(a.body.operations.size(), 5u);
  EXPECT_THAT(a.written(0), ElementsAre("%r1"));
  EXPECT_TRUE(a.body.operations[0].reads.empty());
  EXPECT_THAT(a.written(1), ElementsAre("%r2"));
  EXPECT_EQ(a.body.operations[1].reads.size(), 3u);  // the guard, %r1, and %r2, which may stay
  EXPECT_TRUE(a.written(2).empty());
  EXPECT_EQ(a.body.operations[2].reads.size(), 3u);
  EXPECT_THAT(a.written(3), ElementsAre("%r6", "%p2"));
  EXPECT_THAT(a.written(4), ElementsAre("%v"));
  EXPECT_EQ(a.body.operations[4].reads.size(), 2u);  // the other elements stay
}

TEST(PtxBody, AnInnerScopeIsOneOperation) {
  const Analysed a(R"(.reg .b32 %r<9>; .reg .b32 t;
    { .reg .b32 t; mov.b32 t, %r1; add.s32 %r2, t, 1; }
    mov.b32 t, %r3;
    ret;)");
  ASSERT_EQ(a.body.operations.size(), 2u);
  EXPECT_TRUE(a.body.operations[0].is_scope);
  EXPECT_THAT(a.written(0), ElementsAre("%r2"));  // its t is not the outer one
  EXPECT_THAT(a.written(1), ElementsAre("t"));
}

TEST(PtxBody, ACarryChainIsOneOperation) {
  const Analysed a(R"(.reg .b32 %r<9>;
    add.cc.u32 %r1, %r2, %r3;
    addc.cc.u32 %r4, %r5, %r6;
    addc.u32 %r7, %r8, 0;
    add.u32 %r1, %r1, 1;
    ret;)");
  ASSERT_EQ(a.body.operations.size(), 2u);
  EXPECT_THAT(a.written(0), ElementsAre("%r1", "%r4", "%r7"));
}

TEST(PtxBody, WhatCannotBeFollowedIsRefused) {
  const auto error = [](const std::string& body) {
    const Module module = parsed(module_of(body));
    const Result<Body> built = build_body(module, *module.entries().front());
    return built ? "no error" : built.error().message;
  };
  EXPECT_THAT(error("bra nowhere;"), HasSubstr("line 5: there is no label 'nowhere'"));
  EXPECT_THAT(error("{ loop: bra loop; }"), HasSubstr("label within inline assembly"));
  EXPECT_THAT(error("{ ret; }"), HasSubstr("ret within inline assembly"));
  EXPECT_THAT(error(".reg .b32 %r1;\nbrx.idx %r1, table;"), HasSubstr("line 6: brx"));
}

TEST(PtxDivergence, FollowsValues) {
  const Analysed a(R"(.reg .b32 %r<9>; .reg .b64 %d<3>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
    add.s32 %r3, %r1, %r2; add.s32 %r4, %r2, 1;
    mov.u32 %r1, 0;  // no longer the thread's index
    add.s32 %r5, %r1, 1;
    ret;)");
  const Divergence found = a.divergence();
  EXPECT_TRUE(a.differs(found, "%r1"));
  EXPECT_TRUE(a.differs(found, "%r3"));
  EXPECT_FALSE(a.differs(found, "%r4"));
  EXPECT_FALSE(a.differs(found, "%r5"));
  EXPECT_TRUE(found.branches.empty());
}

// What is written in a region that only some copies enter differs after it, and only there.
TEST(PtxDivergence, JoinsDiffer) {
  const Analysed a(R"(.reg .b32 %r<9>; .reg .pred %p<3>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r8, 0;
    setp.ge.s32 %p1, %r1, 5;
    @%p1 bra DONE;
    mov.u32 %r3, 1;         // live after the join
    mov.u32 %r4, 0;         // a counter of a loop that every copy runs equally often
LOOP:
    add.s32 %r4, %r4, 1;
    setp.lt.s32 %p2, %r4, 10;
    @%p2 bra LOOP;
    mov.u32 %r8, %r4;       // dead after the join
DONE:
    add.s32 %r5, %r3, %r2;
    ret;)");
  const Divergence found = a.divergence();
  EXPECT_FALSE(a.differs(found, "%r4"));
  EXPECT_FALSE(a.differs(found, "%r2"));
  EXPECT_FALSE(a.differs(found, "%r8"));
  EXPECT_TRUE(a.differs(found, "%r3"));
  EXPECT_TRUE(a.differs(found, "%r5"));
  ASSERT_EQ(found.branches.size(), 1u);
  EXPECT_THAT(found.branches.begin()->second, ElementsAre(1, 2, 3));
}

// A loop that copies leave at different times: what it counts differs after it.
TEST(PtxDivergence, LoopExitsDiffer) {
  const Analysed a(R"(.reg .b32 %r<9>; .reg .pred %p<3>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
LOOP:
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, %r1;
    @%p1 bra LOOP;
    mov.u32 %r3, %r2;
    ret;)");
  const Divergence found = a.divergence();
  EXPECT_TRUE(a.differs(found, "%r3"));
  ASSERT_EQ(found.branches.size(), 1u);
  EXPECT_THAT(found.branches.begin()->second, ElementsAre(1));  // the branch's own block
}

TEST(PtxFlow, LiveRegisters) {
  const Analysed a(R"(.reg .b32 %r<9>; .reg .pred %p<3>;
    mov.u32 %r1, 1;
    @%p1 bra OTHER;
    mov.u32 %r2, %r1;
    ret;
OTHER:
    mov.u32 %r1, 2;
    mov.u32 %r2, %r1;
    ret;)");
  const auto live = [&](std::uint32_t block, const char* name) {
    for (Register r = 0; r < a.body.registers.size(); ++r) {
      if (a.body.registers[r].name == name) return a.flow.live_in[block].contains(r);
    }
    return false;
  };
  EXPECT_TRUE(live(0, "%p1"));
  EXPECT_FALSE(live(0, "%r1"));
  EXPECT_TRUE(live(1, "%r1"));
  EXPECT_FALSE(live(a.body.blocks[0].branch.target, "%r1"));
}

}  // namespace
}  // namespace burin::read::ptx
