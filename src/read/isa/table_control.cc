// Branches, calls, convergence, barriers. form.h explains the notation.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kControlTable = R"(
BRA      | control[branch] | 947 | 70- | inc@85:86=-/INC/DEC mode@32:33=-/U/DIV/CONV any@84=ANY?32:33=1 | P@87:opt, U@24:not30?91=1, T
BRA      | control[branch] | 547 | 75- | u=U | Q@24, P@87:opt, T
BRX      | control[branch indirect] | 949 | 70- | inc@85:86=-/INC/DEC | P@87:opt, R@24*2, T:off:abs
BRXU     | control[branch indirect] | 958 | 75- | inc@85:86=-/INC/DEC | P@87:opt, U@24*2, T:off:abs
CALL     | control[call] | 944 | 70- | kind=REL inc@86=-/NOINC | P@87:opt, T?91=0, U@24*2?91=1, T:off?91=1
CALL     | control[call] | 943 | 70- | kind=ABS inc@86=-/NOINC | P@87:opt, I@32:81
CALL     | control[call] | 343 | 70- | kind=ABS inc@86=-/NOINC | P@87:opt, R@24*2, T:off:abs:opt
CALL     | control[call] | 344 | 70- | kind=REL inc@86=-/NOINC | P@87:opt, R@24*2, T:off:opt
RET      | control[return] | 950?85=0 | 70- | kind=REL inc@86=-/NODEC | P@87:opt, R@24*2?91=0, U@24*2?91=1, T:off
RET      | control[return] | 950?85=1 | 70- | kind=ABS inc@86=-/NODEC | P@87:opt, R@24*2?91=0, U@24*2?91=1, T:off:abs
EXIT     | control[exit] | 94d | 70- | mode@84:85=-/KEEPREFCOUNT/PREEMPTED/INVALID3 atexit@86=NO_ATEXIT | P@87:opt
KILL     | control[exit] | 95b | 70- | | P@87:opt
BSSY     | control[push] | 945 | 70- | | P@87:opt, >b@16, T@34:63
BSYNC    | control[sync] | 941 | 70- | | P@87:opt, b@16
BREAK    | control | 942 | 70- | | P@87:opt, ^b@16
BMOV     | control | 355 | 70- | width=32 clear@84=CLEAR | >R@16, ^b@24
BMOV     | control | f56 | 70- | width=32 quad@84=PQUAD | >b@24, b@16
BMOV     | control | f55 | 70- | width=32 clear@84=CLEAR | >b@16, b@24
BMOV     | control | 956 | 70- | width=32 quad@84=PQUAD | >b@24, I@32:63
BMOV     | control | 356 | 70- | width=32 quad@84=PQUAD | >b@24, R@32
WARPSYNC | control[warp_sync] | 348 | 70-89 | | P@87:opt, R@32
WARPSYNC | control[warp_sync] | 948 | 70-89 | | P@87:opt, I@32:63
YIELD    | control | 946 | 70- | | P@87:opt
PMTRIG   | control | 801 | 70- | | I@32:47
NANOSLEEP | control | 35d | 70- | syncs@84=SYNCS warp@85=WARP | P@87:opt, R@32
NANOSLEEP | control | 95d | 70- | syncs@84=SYNCS warp@85=WARP | P@87:opt, I@32:63
BPT      | control[trap] | 95c | 70- | mode@84:86=DRAIN/CAL/PAUSE/TRAP/INT | I@34:53
BAR      | control[block_barrier] | b1d | 70- | mode@77:78=SYNC/ARV/RED/SCAN logic@74:75=POPC/AND/OR?77:78=2 defer@80=DEFER_BLOCKING | I@54:57, I@42:53?42:53!0&77:78!1, I@42:53?77:78=1, P@87?77:78=2
BAR      | control[block_barrier] | 31d | 70- | mode@77:78=SYNC/ARV/RED/SCAN logic@74:75=POPC/AND/OR?77:78=2 defer@80=DEFER_BLOCKING | R@32, R@32, P@87?77:78=2
BAR      | control[block_barrier] | 51d | 70- | mode@77:78=SYNC/ARV/RED/SCAN logic@74:75=POPC/AND/OR?77:78=2 defer@80=DEFER_BLOCKING | R@32, I@42:53?42:53!0&77:78!1, I@42:53?77:78=1, P@87?77:78=2
BAR      | control[block_barrier] | 91d | 70- | mode@77:78=SYNC/ARV/RED/SCAN logic@74:75=POPC/AND/OR?77:78=2 defer@80=DEFER_BLOCKING | I@54:57, R@32, P@87?77:78=2
DEPBAR   | control[scoreboard] | 91a?47=1 | 70- | le=LE | SB@44:46, I@38:43, SS@32:37?32:37!0
DEPBAR   | control[scoreboard] | 91a?47=0 | 70- | | SS@32:37?32:37!0
LEPC     | control | 34e | 70- | | >R@16*2
LEPC     | control | 94e | 90- | | >R@16*2, T@26:81
)";

}  // namespace burin::read::isa
