// The uniform datapath: one value per warp. form.h explains the notation; A, B, C and S are uniform
// registers here.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kUniformTable = R"(
UIADD3  | uniform[add] | 290 890 | 75-90 | x@74=X | >U@16, >Q@81:opt, >Q@84:opt, A:x, B:x, C:x, Q@87?74=1, Q@77?74=1
UIADD3  | uniform[add] | 290 890 | 100- | x@74=X | >U@16, >Q@81, >Q@84, A:x, B:x, C:x, Q@87?74=1, Q@77?74=1
UIADD3  | uniform[add] | 297 897 | 90 | wide=64 x@74=X | >U@16*2, >Q@81:opt, >Q@84:opt, A:x*2, B:x*2, C:x*2, Q@87?74=1, Q@77?74=1
UIADD3  | uniform[add] | 297 897 | 100- | wide=64 x@74=X | >U@16*2, >Q@81, >Q@84, A:x*2, B:x*2, C:x*2, Q@87?74=1, Q@77?74=1
UIMAD   | uniform[multiply_add] | 2a4 4a4 8a4 | 75- | u32@73=U32/- x@74=X | >U@16, A, B:s, C:x, Q@87?74=1
UIMAD   | uniform[multiply_add] | 2a5 4a5 8a5 | 75- | wide=WIDE u32@73=U32/- x@74=X | >U@16*2, >Q@81:opt, A, B:s, C:x*2, Q@87?74=1
UISETP  | uniform[compare] | 28c 88c | 75- | compare@76:78=%integer_compare u32@73=U32/- logic@74:75=%logic ex@72=EX | >Q@81, >Q@84, A, S:s, Q@87, Q@68?72=1
ULEA    | uniform[shift_add] | 291 491 891 | 75- | hi@80=HI x@74=X sx32@73=SX32 | >U@16, >Q@81:opt, A:x, B:c, C?80=1&73=0, I@75:79, Q@87?74=1
ULOP3   | uniform[logic] | 292 892 | 75- | lut=LUT pand@80=PAND | >Q@81:opt, >U@16, A, B, C, I@72:79, Q@87
UPRMT   | uniform[pass] | 296 496 896 | 75- | | >U@16, A, B, C
USEL    | uniform[pass] | 287 887 | 75- | | >U@16, A, S, Q@87
USHF    | uniform[shift] | 299 499 899 | 75- | direction@76=L/R w@75=W type@73:74=S64/U64/S32/U32 hi@80=HI | >U@16, A, B, C
USGXT   | uniform | 29a 89a | 75- | w@75=W u32@73=U32/- | >U@16, A, S
UBMSK   | uniform | 29b 89b | 75- | w@75=W | >U@16, A, S
UBREV   | uniform | 2be 8be | 75- | | >U@16, S
UFLO    | uniform | 2bd 8bd | 75- | u32@73=U32/- sh@74=SH | >U@16, >Q@81:opt, S:not63
UPOPC   | uniform | 2bf 8bf | 75- | | >U@16, S:not63
UMOV    | uniform[move] | 882 c82 | 75- | | >U@16, S
UP2UR   | uniform[transfer] | 883 | 75- | byte@76:77=-/B1/B2/B3 | >U@16, UPR@32:38, U@24, I@32:63
UR2UP   | uniform[transfer] | 884 | 75- | | >UPR@32:38, U@24~76:77=-/B1/B2/B3, I@32:38?32:38!127
UPLOP3  | uniform[logic] | 89c | 75- | lut=LUT | >Q@81, >Q@84, Q@87, Q@77, Q@68, I@64:66+72:76, I@16:23
ULDC    | uniform[constant load] | ab9 | 75- | width@73:75=%width | >U@16*width, c[U32?91 +38:53]
ULDC    | uniform[constant load] | abb | 75- | width@73:75=%width | >U@16*width, c[U24 +38:53]
VOTEU   | misc[lanes] | 886 | 75- | mode@72:73=ALL/ANY/EQ | >U@16:opt, >Q@81, P@87
S2UR    | misc[transfer uguard] | 9c3 | 75- | | >U@16, SR@72:79
)";

}  // namespace burin::read::isa
