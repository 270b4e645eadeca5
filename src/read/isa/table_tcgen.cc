// Tensor memory of sm_100, sm_103 and sm_110: its products, copies, loads, stores and bookkeeping.
// The accumulator is the tensor memory named by bits 64-71. form.h explains the notation.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kTcgenTable = R"(
# Products. A stands in shared memory (a descriptor) or, with bit 11, in tensor memory; the register at
# 48 begins the mask of lanes to leave alone, with WS (stationary weights) that of columns that are
# zero. The number at the end scales the accumulator by a power of two.
UTCHMMA | tensor[tmem load store f16 matrix async uguard] | 5ea?63=0&72:73=0&74=0&79:83=0 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48*4:opt?85=0, U@48*8:opt?85=1, Q@87, I@75:78?75:78!0
UTCHMMA | tensor[tmem load store f16 matrix async uguard] | 9ea?63=0&72:73=0&79:83=0 | 100-119 | pair@85=2CTA shift@74=ASHIFT | tmem[U24]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48*4:opt?85=0, U@48*8:opt?85=1, Q@87, I@75:78?75:78!0
UTCHMMA | tensor[tmem load store f16 matrix async uguard] | 5ea?63=0&72:73=0&74:78=0&83:86=1 | 100-119 | ws=WS | gdesc[U24 *2], gdesc[U32 *2]~79:82=%weights, tmem[U64], tmem[U40], idesc[V40], U@48*2:opt, Q@87
UTCHMMA | tensor[tmem load store f16 matrix async uguard] | 9ea?63=0&72:73=0&74:78=0&83:86=1 | 100-119 | ws=WS | tmem[U24], gdesc[U32 *2]~79:82=%weights, tmem[U64], tmem[U40], idesc[V40], U@48*2:opt, Q@87
UTCIMMA | tensor[tmem load store matrix async uguard] | 5ea?63=0&72:73=1&74=0&79:83=0 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48*4:opt?85=0, U@48*8:opt?85=1, Q@87, I@75:78?75:78!0
UTCIMMA | tensor[tmem load store matrix async uguard] | 9ea?63=0&72:73=1&79:83=0 | 100-119 | pair@85=2CTA shift@74=ASHIFT | tmem[U24]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48*4:opt?85=0, U@48*8:opt?85=1, Q@87, I@75:78?75:78!0
UTCIMMA | tensor[tmem load store matrix async uguard] | 5ea?63=0&72:73=1&74:78=0&83:86=1 | 100-119 | ws=WS | gdesc[U24 *2], gdesc[U32 *2]~79:82=%weights, tmem[U64], tmem[U40], idesc[V40], U@48*2:opt, Q@87
UTCIMMA | tensor[tmem load store matrix async uguard] | 9ea?63=0&72:73=1&74:78=0&83:86=1 | 100-119 | ws=WS | tmem[U24], gdesc[U32 *2]~79:82=%weights, tmem[U64], tmem[U40], idesc[V40], U@48*2:opt, Q@87
UTCQMMA | tensor[tmem load store f8 matrix async uguard] | 5ea?63=0&72:73=3&74=0&79:83=0 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48*4:opt?85=0, U@48*8:opt?85=1, Q@87, I@75:78?75:78!0
UTCQMMA | tensor[tmem load store f8 matrix async uguard] | 9ea?63=0&72:73=3&79:83=0 | 100-119 | pair@85=2CTA shift@74=ASHIFT | tmem[U24]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], U@48*4:opt?85=0, U@48*8:opt?85=1, Q@87, I@75:78?75:78!0
UTCQMMA | tensor[tmem load store f8 matrix async uguard] | 5ea?63=0&72:73=3&74:78=0&83:86=1 | 100-119 | ws=WS | gdesc[U24 *2], gdesc[U32 *2]~79:82=%weights, tmem[U64], tmem[U40], idesc[V40], U@48*2:opt, Q@87
UTCQMMA | tensor[tmem load store f8 matrix async uguard] | 9ea?63=0&72:73=3&74:78=0&83:86=1 | 100-119 | ws=WS | tmem[U24], gdesc[U32 *2]~79:82=%weights, tmem[U64], tmem[U40], idesc[V40], U@48*2:opt, Q@87
UTCQMMA | tensor[tmem load store f8 matrix async uguard] | dea?63=0&72:73=3 | 100-119 | pair@85=2CTA | gdesc[U24 *2]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCQMMA | tensor[tmem load store f8 matrix async uguard] | fea?63=0&72:73=3 | 100-119 | pair@85=2CTA | tmem[U24]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCOMMA | tensor[tmem load store f8 matrix async uguard] | 5ea?63=1&72:73=0 | 100-102 | pair@85=2CTA scale@62=4X/- | gdesc[U24 *2]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCOMMA | tensor[tmem load store f8 matrix async uguard] | 9ea?63=1&72:73=0 | 100-102 | pair@85=2CTA scale@62=4X/- | tmem[U24]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCOMMA | tensor[tmem load store f8 matrix async uguard] | 5ea?63=1&72:73=0 | 103-119 | pair@85=2CTA scale@62=BLOCK16/- | gdesc[U24 *2]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87
UTCOMMA | tensor[tmem load store f8 matrix async uguard] | 9ea?63=1&72:73=0 | 103-119 | pair@85=2CTA scale@62=BLOCK16/- | tmem[U24]~84+86=%keep, gdesc[U32 *2], tmem[U64], tmem[U40], idesc[V40], tmem[U48], Q@87

UTCBAR  | tensor[shared store uguard] | 3e9 | 100-119 | pair@85=2CTA arrive@77=A0TX wakeup@76=WAKEUP multicast@75=MULTICAST | [U24], U@32, U@64:opt
UTCCP   | tensor[tmem store uguard] | 9e7?86:87=0 | 100-119 | to=T from=S pair@85=2CTA shape@83:84+88=%tmem_copy format@80:81=-/U4x16P64/U6x16P32 | tmem[O24 +40:63+72:79], gdesc[U32 *2]
UTCSHIFT | tensor[tmem load store uguard] | 9e6?80=1 | 100-119 | pair@85=2CTA direction=DOWN | tmem[U24]
UTCATOMSWS | tensor[uguard] | 5e3 | 100-119 | pair@85=2CTA operation=FIND_AND_SET align@75=ALIGN | >Q@81, >U@16, U@32
UTCATOMSWS | tensor[uguard] | 9e3 | 100-119 | pair@85=2CTA operation=AND | >U@16, U@32

# Loads and stores: the shape says how many registers each repetition takes. STAT also reduces what it
# loads, of each lane, to one value.
LDTM    | tensor[tmem load uguard] | 9ee?87=1 | 100-119 | shape@81:82=16dp32bit_t0_t15/16dp32bit_t16_t31 number@83:85=%tmem_times pack@80=PACK16BIT | >R@16*number, tmem[O32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 9ee?81:82=0 | 100-119 | shape=16dp128bit number@83:85=%tmem_times pack@80=PACK16BIT | >R@16*2*number, tmem[O32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 9ee?81:82=1 | 100-119 | shape=16dp256bit number@83:85=%tmem_times pack@80=PACK16BIT | >R@16*4*number, tmem[O32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 9ee | 100-119 | shape@81:82=INVALID0/INVALID1/-/16dp64bit number@83:85=%tmem_times pack@80=PACK16BIT | >R@16*number, tmem[O32 +40:63+72:79]
STTM    | tensor[tmem store uguard] | 9ed?87=1 | 100-119 | shape@81:82=16dp32bit_t0_t15/16dp32bit_t16_t31 number@83:85=%tmem_times expand@80=EXPAND16BIT | tmem[O64 +40:63+72:79], R@32*number
STTM    | tensor[tmem store uguard] | 9ed?81:82=0 | 100-119 | shape=16dp128bit number@83:85=%tmem_times expand@80=EXPAND16BIT | tmem[O64 +40:63+72:79], R@32*2*number
STTM    | tensor[tmem store uguard] | 9ed?81:82=1 | 100-119 | shape=16dp256bit number@83:85=%tmem_times expand@80=EXPAND16BIT | tmem[O64 +40:63+72:79], R@32*4*number
STTM    | tensor[tmem store uguard] | 9ed | 100-119 | shape@81:82=INVALID0/INVALID1/-/16dp64bit number@83:85=%tmem_times expand@80=EXPAND16BIT | tmem[O64 +40:63+72:79], R@32*number
LDTM    | tensor[tmem load uguard] | 5ee?87=1 | 103-119 | stat=STAT shape@81:82=16dp32bit_t0_t15/16dp32bit_t16_t31 number@83:85=%tmem_times operation@66:67=MAX/MAXABS/MIN/MINABS type@64:65=-/S32/F32 nan@68=NAN | >R@24, >R@16*number, tmem[O32 +40:63+72:79]
LDTM    | tensor[tmem load uguard] | 5ee?81:82=2 | 103-119 | stat=STAT number@83:85=%tmem_times operation@66:67=MAX/MAXABS/MIN/MINABS type@64:65=-/S32/F32 nan@68=NAN | >R@24, >R@16*number, tmem[O32 +40:63+72:79]
)";

}  // namespace burin::read::isa
