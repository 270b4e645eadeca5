// Includes itself twice, 60 levels deep: the compiler never comes to the end of it. (NVIDIA's
// notices.)
#if __INCLUDE_LEVEL__ < 60
#include "slow.h"
#endif
