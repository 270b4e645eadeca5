// What sm_90 brought: mbarriers, bulk copies, warpgroup products, clusters.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kHopperTable = R"(
SYNCS      | lsu[shared load mbarrier] | 5a7 | 90- | kind=PHASECHK width=TRANS64 wait@72=TRYWAIT | >P@81, [R24 +40:63 U64?91], R@32
SYNCS      | lsu[shared load store mbarrier] | 9a7 | 90- | kind=ARRIVE width=TRANS64 mode@73:74=-/TMASK/RED optout@75=OPTOUT count@84:86=-/A1T0/A0T1/A0TR/A0TX/ART0 | >R@16*2, [R24 +40:63 U64?91], R@32
SYNCS      | lsu[shared load store mbarrier uguard] | 5b2 | 90- | kind@72:73=LD/EXCH/CAS width=64 | >U@16*2, [U24 +40:63], U@32*2
UTMALDG    | bulk[shared store copy async map uguard] | 3b4 | 90- | dimension@79:81=1D/2D/3D/4D/5D im2col@82=IM2COL multicast@75=MULTICAST | [U32 *2 T79], [U24 *2], U@64, desc[d40]?76=1
UTMALDG    | bulk[shared store copy async map uguard] | 5b4 | 90- | dimension@79:81=1D/2D/3D/4D/5D im2col@82=IM2COL | [U32 *2 T79], [U24 *2], desc[d40]?76=1
UTMASTG    | bulk[global store copy async map uguard] | 3b5 | 90- | dimension@79:81=1D/2D/3D/4D/5D im2col@82=IM2COL | [U32 T79], [U24 *2], desc[d40]?76=1
UTMAREDG   | bulk[global store reduce async map uguard] | 3b6 | 90- | dimension@79:81=1D/2D/3D/4D/5D im2col@82=IM2COL operation@87:89=%atomic | [U32 T79], [U24 *2], desc[d40]?76=1
UTMAPF     | bulk[global load async map uguard] | 3b8 | 90- | level=L2 dimension@79:81=1D/2D/3D/4D/5D im2col@82=IM2COL | [U32 T79], [U24 *2], U@64, desc[d40]?76=1
UTMAPF     | bulk[global load async map uguard] | 5b8 | 90- | level=L2 dimension@79:81=1D/2D/3D/4D/5D | [U32 T79], [U24 *2], desc[d40]?76=1
UBLKCP     | bulk[load store copy async uguard] | 3ba | 90- | to@73=G/S from@74=G/S multicast@75=MULTICAST | [U32 *2], [U24 *2], U@64, desc[d40]?76=1
UBLKRED    | bulk[load store reduce async uguard] | 3bb | 90- | to@73=G/S from@74=G/S operation@87:89=%atomic type@81:84=-/S32/U64/S64/F16.RN/F32.RN/F32.FTZ.RN/F64.RN/BF16.RN | [U32 *2], [U24 *2], U@64, desc[d40]?76=1
UBLKPF     | bulk[global load async uguard] | 3bc | 90- | level=L2 | [U24], U@64, desc[d40]?76=1
ARRIVES    | lsu[shared store copy_arrive] | 9b0 | 90 | mode=LDGSTSBAR width@73:75=%width count@70:71=-/ARVCNT/TRANSCNT | [R24 +40:63 U64?91]
STAS       | lsu[shared store async] | dbd | 90- | width@73:75=%width | [R24 +40:63 O64 L], R@32*width
REDAS      | lsu[shared load store atomic reduce async] | dbe | 90- | operation@87:89=%atomic type@73:75=-/S32/64/S64 | [R24 +40:63 O64 L], R@32*type
RPCMOV     | control | 353 | 90- | width=32 | >R@16, =Rpc~31=LO/HI
RPCMOV     | control | 352 | 90- | width=32 | =Rpc~23=LO/HI, R@32
SYNCS      | lsu[shared store mbarrier] | 9b1 | 90- | kind=CCTL operation=IV | [R24 +40:63 U64?91]
UTMACCTL   | bulk[map uguard] | 9b9 | 90- | kind@82=IV/PF | [U24]
UTMACMDFLUSH | bulk[uguard] | 9b7 | 90- | |
HGMMA      | tensor[f16 matrix async] | 9f0 | 90 | sp@73=SP offset@74=REGOFFSET?73=1 shape@53:59=%hgmma to@75=F16/F32 from@76:77=-/BF16/TF32 | >R@16*shape, gdesc[U24*4]~72+63+61:62=%gmma_descriptor, R@64*shape, Q@87:inv:opt, R@40?73=1, I@48:49?73=1, G@84
HGMMA      | tensor[f16 matrix async] | df0 | 90 | sp@73=SP offset@74=REGOFFSET?73=1 shape@53:59=%hgmma to@75=F16/F32 from@76:77=-/BF16/TF32 | >R@16*shape, A:n*4, gdesc[U32*2]~63+62=-/negB/tnspB/negB.tnspB, R@64*shape, Q@87:inv:opt, R@40?73=1, I@48:49?73=1, G@84
QGMMA      | tensor[f8 matrix async] | 9f3 | 90 | sp@73=SP shape@53:58=%qgmma to@75=F16/F32 a@76=E4M3/E5M2 b@77=E4M3/E5M2 | >R@16*shape, gdesc[U24*4]~72+63=-/negA/negB/negA.negB, R@64*shape, Q@87:inv:opt, R@40?73=1, G@84
QGMMA      | tensor[f8 matrix async] | df3 | 90 | sp@73=SP shape@53:58=%qgmma to@75=F16/F32 a@76=E4M3/E5M2 b@77=E4M3/E5M2 | >R@16*shape, A:n*4, gdesc[U32*2]~63=-/negB, R@64*shape, Q@87:inv:opt, R@40?73=1, G@84
IGMMA      | tensor[matrix async] | 9f1 | 90 | sp@73=SP shape@53:58=%igmma a@76=U8/S8 b@82=U8/S8 sat@75=SAT | >R@16*shape, gdesc[U24*4], R@64*shape, Q@87:inv:opt, R@40?73=1, G@84
IGMMA      | tensor[matrix async] | df1 | 90 | sp@73=SP shape@53:58=%igmma a@76=U8/S8 b@82=U8/S8 sat@75=SAT | >R@16*shape, A*4, gdesc[U32*2], R@64*shape, Q@87:inv:opt, R@40?73=1, G@84
BGMMA      | tensor[matrix async] | 9f2 | 90 | shape@53:58=64x8x256/- op@78=XOR/AND popc@80=POPC | >R@16*shape, gdesc[U24*4], R@64*shape, Q@87:inv:opt, G@84
BGMMA      | tensor[matrix async] | df2 | 90 | shape@53:58=64x8x256/- op@78=XOR/AND popc@80=POPC | >R@16*shape, A*4, gdesc[U32*2], R@64*shape, Q@87:inv:opt, G@84
WARPGROUP  | control[products] | 9c5?79:80=2 | 90 | kind=DEPBAR le=LE | G@84, I@72:74
WARPGROUP  | control[products] | 9c5 | 90 | kind@79:80=ARRIVE/WAIT |
USETMAXREG | control[uguard] | 9c8?72:73=2 | 90- | kind=TRY_ALLOC pool@74=CTAPOOL | >Q@81, I@32:41
USETMAXREG | control[uguard] | 9c8 | 90- | kind@72:73=ALLOC/DEALLOC pool@74=CTAPOOL | I@32:41
USETSHMSZ  | control[uguard] | 9c9 | 90- | flush@72=FLUSH | I@32:51?72=0
ELECT      | misc[lanes] | 82f | 90- | kill@85=IGNOREKILL | >P@81, >U@16, P@87?91=0, U@32?91=1
FENCE      | lsu[proxy_fence] | 3c6 | 90- | view=VIEW.ASYNC space@72=S/G |
WARPSYNC   | control[warp_sync] | 348 | 90- | mode@85:86=-/EXCLUSIVE/COLLECTIVE | P@87:opt, R@24, T?86=1
WARPSYNC   | control[warp_sync] | 948 | 90- | mode@85:86=-/EXCLUSIVE/COLLECTIVE all=ALL | P@87:opt, T?86=1
ENDCOLLECTIVE | control | 91b | 90- | | P@87:opt
UCGABAR_ARV  | control[cluster_arrive uguard] | 9c7 | 90- | |
UCGABAR_WAIT | control[cluster_wait uguard] | dc7 | 90- | |
CGAERRBAR  | lsu[error_barrier] | 5ab | 90- | |
PREEXIT    | control | 82d | 90- | |
ACQBULK    | control | 82e | 90- | |
)";

}  // namespace burin::read::isa
