#include <cstdio>
#include <exception>
#include <new>

#include "app/cli.h"

// The one catch: the library reports through Result, so what arrives here is a lack of memory or a
// defect of burin.
int main(int argc, char** argv) {
  try {
    return burin::app::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("burin: out of memory\n", stderr);
  } catch (const std::exception& defect) {
    std::fprintf(stderr, "burin: internal error: %s; please report it\n", defect.what());
  }
  return static_cast<int>(burin::Exit::kInput);
}
