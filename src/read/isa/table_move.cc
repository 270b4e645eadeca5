// Moves: between register files, predicates, special registers, and across lanes.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kMoveTable = R"(
MOV    | alu[move]                     | _02:28ac | 70- | | >R@16, S, I@72:75?72:75!15
PLOP3  | alu[logic]                    | _1f:28ac | 70- | lut=LUT | >P@81, >P@84, A~=SIGN, B~=SIGN, C~=SIGN, I@72:79, I@16:23
PLOP3  | alu[logic]                    | 81c | 70- | lut=LUT | >P@81, >P@84, P@87, P@77, P@68?67=0, Q@68?67=1, I@64:66+72:76, I@16:23
P2R    | alu[transfer]                 | 803 | 70- | byte@76:77=-/B1/B2/B3 | >R@16, PR@32:38, R@24, I@32:63
R2P    | alu[transfer]                 | 804 | 70- | | >PR@32:38, A~76:77=-/B1/B2/B3, I@32:63
S2R    | misc[transfer]                | 919 | 70- | | >R@16, SR@72:79
CS2R   | alu[transfer]                 | 805?80=1 | 70- | | >R@16*2, SR@72:79
CS2R   | alu[transfer]                 | 805 | 70- | width=32 | >R@16, SR@72:79
VOTE   | alu[lanes]                    | 806 | 70- | mode@72:73=ALL/ANY/EQ | >R@16:opt, >P@81, P@87
SHFL   | lsu[lanes pass]               | 389 | 70- | mode@58:59=IDX/UP/DOWN/BFLY | >P@81, >R@16, R@24, R@32, R@64
SHFL   | lsu[lanes pass]               | 589 | 70- | mode@58:59=IDX/UP/DOWN/BFLY | >P@81, >R@16, R@24, R@32, I@40:52
SHFL   | lsu[lanes pass]               | 989 | 70- | mode@58:59=IDX/UP/DOWN/BFLY | >P@81, >R@16, R@24, I@53:57, R@64
SHFL   | lsu[lanes pass]               | f89 | 70- | mode@58:59=IDX/UP/DOWN/BFLY | >P@81, >R@16, R@24, I@53:57, I@40:52
MATCH  | misc[lanes value_timed]       | 3a1 | 70- | mode@79=ALL/ANY type@73=U64 | >P@81?79=0, >R@16, R@24*type
REDUX  | misc[lanes]                   | 3c4 | 80- | operation@78:80=-/OR/XOR/SUM/MIN/MAX type@73=S32 | >U@16, R@24
R2UR   | misc[transfer]                | 3c2 | 75-89 | or@84=OR | >P@81:opt?84=0, >P@81?84=1, >U@16, R@24
R2UR   | misc[transfer]                | 2ca | 90- | or@84=OR | >P@81:opt?84=0, >P@81?84=1, >U@16, R@24
MOVM   | misc[lanes]                   | 23a | 75- | size@72=16/8 shape=MT88 | >R@16, R@24
B2R    | misc[transfer barrier_result] | 31c | 70- | mode@78:79=-/RESULT/WARP | >R@16, >P@81:opt?78:79=1, I@54:57?78:79=0
NOP    | misc                          | 918 | 70- | |
)";

}  // namespace burin::read::isa
