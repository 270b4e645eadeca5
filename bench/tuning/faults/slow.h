// Includes itself twice, 60 levels deep: the compiler never comes to the end of it.
// clang-format off
#if __INCLUDE_LEVEL__ < 60
#include "slow.h"
#include "slow.h"
#endif
