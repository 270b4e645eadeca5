// Declarations of variables, registers and parameters.
#pragma once

#include <vector>

#include "read/ptx/token_stream.h"

namespace burin::read::ptx {

// Whether the word, without its dot, is a state space: "reg", "shared".
bool is_space(std::string_view word);

// From the state space to the semicolon: one Declaration for each name. `begin` is the first token
// of the statement, which may be .extern or .visible in front of the space.
//
//   .shared .align 4 .b8 a[8], b[4][2];   →   a of 8 bytes, b of 8 bytes
bool read_variables(TokenStream& tokens, const Token& begin, bool is_extern,
                    std::vector<Declaration>& declarations);

// `(.param .b32 a, .param .align 8 .b8 b[16])`, of a function.
bool read_parameters(TokenStream& tokens, std::vector<Declaration>& parameters);

}  // namespace burin::read::ptx
