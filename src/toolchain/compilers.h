// The compilers of one process: which of them a source goes to, and the cache in front of them.
// compile.h and the compiler processes (server.h) are its two users.
#pragma once

#include <string>

#include "base/result.h"
#include "toolchain/cache.h"
#include "toolchain/compile.h"

namespace burin::toolchain {

// Where NVRTC runs. kThisProcess: it is opened once; only for a process that may hang or crash.
// kFork: in a fork for each compilation, which costs 20 ms more.
enum class NvrtcPlace : std::uint8_t { kThisProcess, kFork };

// What compile() does. May be called from any thread.
CompileResult compile_with(NvrtcPlace place, const CompileRequest& request,
                           const CompileCache& cache);

}  // namespace burin::toolchain
