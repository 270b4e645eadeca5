// Integer arithmetic, logic, compares and selects. form.h explains the notation.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kIntegerTable = R"(
IADD3      | alu[add]               | _10:28ac    | 70-90 | x@74=X | >R@16, >P@81:opt, >P@84:opt, A:x, B:x, C:x, P@87?74=1, P@77?74=1
IADD3      | alu[add]               | _10:28ac    | 100- | x@74=X | >R@16, >P@81, >P@84, A:x, B:x, C:x, P@87?74=1, P@77?74=1
IMAD       | fma[multiply_add imad] | _24:2468ace | 70- | u32@73=U32/- x@74=X | >R@16, A, B:s, C:x, P@87?74=1
IMAD       | fma[multiply_add]      | _25:2468ace | 70- | wide=WIDE u32@73=U32/- x@74=X | >R@16*2, >P@81:opt, A, B:s, C:x*2, P@87?74=1
IMAD       | fma[multiply_add]      | _27:2468ace | 70- | hi=HI u32@73=U32/- x@74=X | >R@16, >P@81:opt, A, B:s, C:x*2, P@87?74=1
LEA        | alu[shift_add]         | _11:248ace  | 70- | hi@80=HI x@74=X sx32@73=SX32 | >R@16, >P@81:opt, A:x, B:c, C?80=1&73=0, I@75:79, P@87?74=1
LOP3       | alu[logic]             | _12:28ac    | 70- | lut=LUT pand@80=PAND | >P@81:opt, >R@16, A, B, C, I@72:79, P@87
ISETP      | alu[compare]           | _0c:28ac    | 70-75 | compare@76:78=%integer_compare u32@73=U32/- logic@74:75=%logic ex@72=EX | >P@81, >P@84, A, S:s, P@87, P@68:opt
ISETP      | alu[compare]           | _0c:28ac    | 80- | compare@76:78=%integer_compare u32@73=U32/- logic@74:75=%logic ex@72=EX | >P@81, >P@84, A, S:s, P@87, P@68?72=1
IMNMX      | alu[extremum]          | _17:28ac    | 70-89 | u32@73=U32/- | >R@16, A, S:s, P@87
SEL        | alu[pass]              | _07:28ac    | 70- | | >R@16, A, S, P@87
BMSK       | alu                    | _1b:28ac    | 70- | w@75=W | >R@16, A, S
SGXT       | alu                    | _1a:28ac    | 70- | w@75=W u32@73=U32/- | >R@16, A, S
SHF        | alu[shift]             | _19:2468ace | 70- | direction@76=L/R w@75=W type@73:74=S64/U64/S32/U32 hi@80=HI | >R@16, A, B, C
PRMT       | alu[pass]              | _16:2468ace | 70- | mode@72:74=-/F4E/B4E/RC8/ECL/ECR/RC16 | >R@16, A, B, C
IABS       | alu[absolute]          | _13:28ac    | 70- | | >R@16, S
IDP        | fma                    | _26:28ac    | 70- | size@76=4A/2A half@77=LO/HI?76=1 a@73+76=U8/S8/U16/S16 b@74=U8/S8 | >R@16, A, B, C:i
VABSDIFF4  | alu                    | _15:2468ace | 70- | type@73=U8/- acc@75=ACC | >R@16, A, B, C
VABSDIFF   | alu                    | _14:2468ace | 70- | type@73=U32/- | >R@16, A, B, C
FLO        | xu                     | _00:39bd    | 70- | u32@73=U32/- sh@74=SH | >R@16, >P@81:opt, S:not63
POPC       | xu                     | _09:39bd    | 70- | | >R@16, S:not63
BREV       | xu                     | _01:39bd    | 70- | | >R@16, S
I2I        | alu[int>int]           | _38:28ac    | 70- | to@76:77=U8/S8/U16/S16 from=S32 sat=SAT | >R@16, S
I2IP       | alu[int>int]           | _39:28ac    | 75-89 | to@76:78=U8/S8/U16/S16/U2/S2/U4/S4 from=S32 sat=SAT | >R@16, A, S, C~72:73=-/H1/24/28
I2IP       | alu[int>int]           | _39:28ac    | 90- | to@76:78=U8/S8/U16/S16/U2/S2/U4/S4 from=S32 sat@74:75=-/SAT/SATRELU | >R@16, A, S, C~72:73=-/H1/24/28
VIADD      | alu[add]               | _36:28ac    | 90- | x2@73=16x2 | >R@16, A, S:n
VIMNMX     | alu[extremum]          | _48:28ac    | 90- | type@72:73=U32/-/U16x2/S16x2 relu@76=RELU | >R@16, >P@81:opt, >P@84:opt, A, S:s, P@87
VIMNMX3    | alu[extremum]          | _0f:2468ace | 90- | type@72:73=U32/-/U16x2/S16x2 relu@76=RELU | >R@16, A, B, C, P@87
VIADDMNMX  | alu[extremum of_sum]   | _46:2468ace | 90- | type@72:73=U32/-/U16x2/S16x2 relu@76=RELU | >R@16, A, B:n, C, P@87
)";

}  // namespace burin::read::isa
