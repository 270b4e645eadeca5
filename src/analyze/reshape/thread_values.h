// Every register value of a kernel as an affine form of the thread's coordinates (thread_form.h),
// found by evaluating the code along its def-use chains until nothing changes.
//
//   const ThreadValues values(kernel, launch);
//   values.all_read(store).change(0)    whether it changes the address or the value of a store
//   values.guard(branch).change(0)      whether a block shape along x changes what is executed
//
// Values that meet after a branch are joined as if no shape changed the branch: whoever uses them
// must look at every branch too. The launch gives the values of the parameters; addresses of
// buffers are unknown numbers that no shape changes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/reshape/thread_form.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::analyze {

// How a block size that the code contains as a number counts: `blockIdx.x * 32 + threadIdx.x` in
// blocks of 32 threads.
enum class LiteralSize : std::uint8_t {
  kFixed,     // as it is written
  kBlockDim,  // as if the code used blockDim; a block of one thread: as if blockIdx were a position
};

class ThreadValues {
 public:
  // `kernel` needs dependences and must outlive this object; sm_70 to sm_90. The launch must have
  // passed check_launch, or have no arguments: all parameters are unknown numbers then.
  // `whole_warps`: in all shapes a block is a line of whole warps along x, so that the position
  // gives the lane.
  ThreadValues(const read::Kernel& kernel, const launch::Launch& launch, bool whole_warps = false,
               LiteralSize literals = LiteralSize::kFixed);

  // The value of a source operand of the instruction; word 1 is the upper half of a pair.
  ThreadForm read(std::uint32_t instruction, const read::Operand& operand, unsigned word = 0) const;
  // The value of a register as the instruction reads it.
  ThreadForm read(std::uint32_t instruction, read::RegisterFile file, std::uint16_t index) const;
  ThreadForm guard(std::uint32_t instruction) const;  // changes with the shape where the guard does
  ThreadForm result(std::uint32_t instruction) const;  // the first register that it writes
  // A value that changes with the shape if anything that the instruction reads does.
  ThreadForm all_read(std::uint32_t instruction) const;

  const Positions& positions() const { return positions_; }  // of the launch in any shape

 private:
  struct Definition {
    read::RegisterFile file = read::RegisterFile::kGeneral;
    std::uint16_t index = 0;
    ThreadForm form{};
  };
  void read_parameters(const launch::Launch& launch);
  bool evaluate(std::uint32_t instruction);
  void evaluate_words(std::uint32_t instruction, std::vector<ThreadForm>& words) const;
  void evaluate_load(std::uint32_t instruction, std::vector<ThreadForm>& words) const;
  void replace_literals(ThreadForm& form) const;
  ThreadForm masked(ThreadForm form, std::uint32_t mask) const;
  ThreadForm special(std::uint32_t instruction, const read::Operand& operand) const;
  ThreadForm constant_word(std::uint32_t instruction, const read::Operand& operand,
                           unsigned word) const;
  ThreadForm parameter_word(std::int64_t offset) const;

  ThreadForm added(std::uint32_t instruction) const;
  ThreadForm multiplied(std::uint32_t instruction) const;
  ThreadForm upper_product(std::uint32_t instruction, const ThreadForm& low) const;
  ThreadForm shifted(std::uint32_t instruction) const;
  ThreadForm combined_bits(std::uint32_t instruction) const;
  ThreadForm shifted_and_added(std::uint32_t instruction) const;
  std::vector<const read::Operand*> sources(std::uint32_t instruction) const;

  const read::Kernel& kernel_;
  const bool whole_warps_;
  // Per axis: threads of a block if numbers in the code count as blockDim, else 0.
  std::array<std::uint32_t, kAxes> literal_blocks_{};
  Positions positions_;
  std::vector<std::uint8_t> parameters_;
  std::vector<bool> known_;           // per byte of parameters_
  std::vector<std::uint32_t> first_;  // per instruction, in definitions_
  std::vector<Definition> definitions_;
  ThreadForm local_ = unknown_form();  // of everything in the thread's local memory
};

}  // namespace burin::analyze
