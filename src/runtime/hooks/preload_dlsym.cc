// dlsym() of libburin_launch.so, and the C library's.
#include <dlfcn.h>

#include <cstring>

#include "runtime/hooks/driver.h"
#include "runtime/hooks/preload.h"

extern "C" {
using DlsymFunction = void* (*)(void*, const char*);
// Read by the assembly below.
__attribute__((visibility("hidden"))) DlsymFunction burin_launch_real_dlsym = nullptr;
__attribute__((visibility("hidden"))) void* burin_launch_dlsym(void* handle, const char* name);
}

namespace burin::runtime {
namespace {

DlsymFunction find_real_dlsym() {
  // The versions of glibc's dlsym(): since 2.34, and the oldest on x86_64 and aarch64.
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) {
      return reinterpret_cast<DlsymFunction>(found);
    }
  }
  return nullptr;
}

}  // namespace

void* driver_symbol(const char* name) {
  if (burin_launch_real_dlsym == nullptr) burin_launch_real_dlsym = find_real_dlsym();
  void* const library = driver_library();
  return library == nullptr ? nullptr : burin_launch_real_dlsym(library, name);
}

}  // namespace burin::runtime

// What dlsym() returns instead of the driver's function; null if it must not interfere.
extern "C" void* burin_launch_dlsym(void* handle, const char* name) {
  using namespace burin::runtime;
  if (burin_launch_real_dlsym == nullptr) burin_launch_real_dlsym = find_real_dlsym();
  if (name == nullptr || name[0] != 'c' || name[1] != 'u') return nullptr;
  if (handle == RTLD_NEXT || handle == RTLD_DEFAULT) return nullptr;
  for (std::size_t i = 0; i < kHookCount; ++i) {
    const auto hook = static_cast<Hook>(i);
    if (std::strcmp(exported_name(hook), name) != 0) continue;
    void* const function = burin_launch_real_dlsym(handle, name);
    if (function == nullptr || function == hook_function(hook)) return function;
    return hook_for(hook, function);
  }
  return nullptr;
}

// dlsym() itself. The C library's looks at its return address where the handle is RTLD_NEXT, so it
// is entered by a jump, with the caller's return address on top.
#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  endbr64
  push %rdi
  push %rsi
  sub $8, %rsp
  call burin_launch_dlsym
  add $8, %rsp
  pop %rsi
  pop %rdi
  test %rax, %rax
  jne 1f
  jmp *burin_launch_real_dlsym(%rip)
1:
  ret
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  stp x29, x30, [sp, #-32]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  bl burin_launch_dlsym
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  cbnz x9, 1f
  adrp x10, burin_launch_real_dlsym
  ldr x10, [x10, #:lo12:burin_launch_real_dlsym]
  br x10
1:
  mov x0, x9
  ret
  .size dlsym, .-dlsym
)");
#else
#error "dlsym() is written for x86_64 and aarch64"
#endif
