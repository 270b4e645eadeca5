// Tensor memory of sm_100 and sm_103: its products, copies, loads and bookkeeping. form.h explains
// the notation.
#include "read/isa/form.h"

namespace burin::isa {

const char* const kTcgenTable = R"(
UTCHMMA | tensor[tmem load store uguard] | 5ea?63=0&72:73=0 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=-/A_KEEP/A_REUSE/A_REUSE.A_KEEP, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48:opt, Q@87
UTCQMMA | tensor[tmem load store uguard] | 5ea?63=0&72:73=3 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=-/A_KEEP/A_REUSE/A_REUSE.A_KEEP, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48:opt, Q@87
UTCOMMA | tensor[tmem load store uguard] | 5ea?63=1&72:73=0 | 100 | pair@85=2CTA scale@62=4X/- | gdesc[U24 *2]~84+86=-/A_KEEP/A_REUSE/A_REUSE.A_KEEP, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCOMMA | tensor[tmem load store uguard] | 5ea?63=1&72:73=0 | 103 | pair@85=2CTA scale@62=BLOCK16/- | gdesc[U24 *2]~84+86=-/A_KEEP/A_REUSE/A_REUSE.A_KEEP, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCQMMA | tensor[tmem load store uguard] | dea?63=0&72:73=3 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=-/A_KEEP/A_REUSE/A_REUSE.A_KEEP, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCBAR  | tensor[shared store uguard] | 3e9 | 100-119 | pair@85=2CTA arrive@77=A0TX wakeup@76=WAKEUP multicast@75=MULTICAST | [U24], U@32, U@64
UTCCP   | tensor[tmem store uguard] | 9e7?86:87=0 | 100-119 | to=T from=S pair@85=2CTA shape@83:84+88=INVALID0/INVALID1/4dp256bit/INVALID3/2x64dp128bit_lw02_lw13/2x64dp128bit_lw01_lw23/4x32dp128bit format@80:81=-/U4x16P64/U6x16P32 | tmem[U24 +40:63+72:79], gdesc[U32 *2]
UTCATOMSWS | tensor[uguard] | 5e3 | 100-119 | pair@85=2CTA operation=FIND_AND_SET align@75=ALIGN | >Q@81, >U@16, U@32
LDTM    | tensor[tmem load uguard] | 9ee?87=1 | 100-119 | shape@81:82=INVALID0/16dp32bit_t16_t31 number@83:85=-/x2/x4/x8/x16/x32/x64/x128 pack@80=PACK16BIT | >R@16*number, tmem[U32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 9ee?81:82=0 | 100-119 | shape=16dp128bit number@83:85=-/x2/x4/x8/x16/x32/x64/x128 pack@80=PACK16BIT | >R@16*2*number, tmem[U32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 9ee?81:82=1 | 100-119 | shape=16dp256bit number@83:85=-/x2/x4/x8/x16/x32/x64/x128 pack@80=PACK16BIT | >R@16*4*number, tmem[U32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 9ee | 100-119 | shape@81:82=INVALID0/INVALID1/-/16dp64bit number@83:85=-/x2/x4/x8/x16/x32/x64/x128 pack@80=PACK16BIT | >R@16*number, tmem[U32 +40:63+72:79]
)";

}  // namespace burin::isa
