// Functions, and the directives that stand both inside and outside of them.
#pragma once

#include "read/ptx/token_stream.h"

namespace burin::read::ptx {

// From .entry or .func to the closing brace or the semicolon. `begin` is the first token, which may
// be .visible or .extern in front of it.
bool read_function(TokenStream& tokens, const Token& begin, Function& function);

// What stands between the braces of a function; takes the closing one.
bool read_body(TokenStream& tokens, Function& function);

// A directive that declares nothing, from its word to its end. Some end with their last value
// (.version 9.0, .file, .loc), others with a semicolon or with the brace that closes what they
// hold.
bool read_directive(TokenStream& tokens, Directive& directive);

}  // namespace burin::read::ptx
