// Inline assembly with flow of its own. The compiler puts inline assembly in braces, in which names
// are declared anew; a branch in there is hidden from the flow of the kernel.
//
//   {                                    .reg .pred done_asm0;
//   .reg .pred done;                     setp.ne.u32 done_asm0, %r1, 0;
//   setp.ne.u32 done, %r1, 0;      →     @done_asm0 bra SKIP_asm0;
//   @done bra SKIP;                      add.u32 %r1, %r1, 1;
//   add.u32 %r1, %r1, 1;                 SKIP_asm0:
//   SKIP:
//   }
#pragma once

#include <optional>
#include <string>

#include "read/ptx/module.h"

namespace burin::coarsen {

// The module with the braces of `function` gone where a branch or a label stands between them; none
// if there are no such braces. Lines keep their numbers.
std::optional<std::string> flattened(const read::ptx::Module& module,
                                     const read::ptx::Function& function);

}  // namespace burin::coarsen
