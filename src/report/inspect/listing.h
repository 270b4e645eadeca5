// A function's SASS with its control codes:
//
//   // sm_90  transpose(float*, float const*)
//   // 16 registers, 4.125 KiB shared, 1 barrier, 20 bytes of parameters, 64 instructions
//   // offset  wait:read:write:yield:stall  instruction
//        0000  B------:R-:W-:-:S01          LDC R1, c[0x0][0x28]
//        0010  B------:R-:W0:-:S01          S2R R0, SR_CTAID.X
//        0020  B0-----:R-:W-:Y:S04          IMAD R0, R0, 0x20, R3
//
// B0-----  waits until scoreboard 0 is free (one position for each of the six scoreboards)
// R1       frees scoreboard 1 once its operands are read and may be overwritten
// W0       frees scoreboard 0 once its result is available
// Y        asks the scheduler to switch to another warp
// S04      the warp's next instruction issues at least 4 cycles later
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "read/isa/instruction.h"
#include "read/program/source.h"
#include "report/write/output.h"

namespace burin::report {

// Returns an Error if this function's code cannot be listed: no decoder, or a truncated last word.
Result<void> check_code(const read::Image& image, const read::Function& function);

// Writes the listing. With `source`, source lines are interleaved with their instructions. The code
// must have passed check_code().
void write_listing(Output& out, const read::Image& image, const read::Function& function,
                   read::SourceText* source);

// Appends the control codes: "B0-----:R-:W-:Y:S04".
void append_control(const read::Control& control, std::string& out);

// The relocations of a function in offset order: what the linker will put at each offset, as
// "symbol+8".
class RelocationWalk {
 public:
  explicit RelocationWalk(const read::Function& function);

  // Appends any relocations in the 16 bytes from `offset` on, as "  // symbol+8".
  void append_at(std::uint32_t offset, std::string& out);

 private:
  std::vector<const read::Relocation*> sorted_;
  std::size_t next_ = 0;
};

}  // namespace burin::report
