// What sm_100 to sm_121 brought or changed, except tensor memory (table_tcgen.cc). Uniform
// registers have eight bits there, so that flags which stood beside them have moved. form.h
// explains the notation.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kBlackwellTable = R"(
# 64-bit integers and moves of sm_120.
MOV     | alu[move] | c02     | 100-119 | spill@88=SPILL | >R@16, S, I@72:75?72:75!15&88=0
MOV     | alu[move] | 202 c02 | 120- | wide@80=64 spill@88=SPILL?9:11=6 | >R@16*wide, S*wide, I@72:75?72:75!15&80=0&88=0
MOV     | alu[move] | 402     | 120- | wide=64 | >R@16*2, I@24:87
SEL     | alu[pass] | 407     | 120- | wide=64 | >R@16*2, A*2, I@32:64:s, P@87
SEL     | alu[pass] | 607     | 120- | wide=64 | >R@16*2, A*2, R@32*2:reuse123, P@87
SEL     | alu[pass] | e07     | 120- | wide=64 | >R@16*2, A*2, U@32*2, P@87
ISETP   | alu[compare] | _0c:28ac | 120- | compare@76:78=%integer_compare type@73+80=U32/-/U64/S64 logic@74:75=%logic ex@72=EX | >P@81, >P@84, A*type, S:s*type, P@87, P@68?72=1
IADD    | alu[add] | _35:28ac | 120- | wide@73=64 x@74=X | >R@16*wide, >P@81:opt, A:x*wide, S:x*wide, P@87?74=1
IMNMX   | alu[extremum] | _17:28ac | 120- | type@73:74=U32/-/U64/S64 | >P@81, >P@84, >R@16*type, A*type, S:s*type, P@87, P@77
IMNMX   | alu[extremum] | _17:28ac | 110 | u32@73=U32/- | >R@16, A, S:s, P@87
FMNMX3  | alu[f32 extremum] | _76:28c  | 100-119 | ftz@80=FTZ nan@81=NAN | >R@16, A:f, B:f, C:f, P@87
VIMNMX  | alu[extremum] | _48:28ac | 100-119 | type@72:73=U32/-/U16x2/S16x2 relu@76=RELU | >R@16, >P@81, >P@84, A, S:s, P@87
VIMNMX  | alu[extremum] | _48:28ac | 120- | type@72:74=U32/S32/U16x2/S16x2/U8x4/S8x4 relu@76=RELU | >R@16, A, S:s, P@87
VIADD   | alu[add] | c36      | 100-119 | x2@73=16x2 | >R@16, A, S:i
VIADD   | alu[add] | _36:28ac | 120- | type@73:75=-/16x2/S32/INVALID3/INVALID4/S8x4 sat@80=ISAT | >R@16, A:i, S:n

# One flag of an older instruction makes these: .XOR on sm_100, mixed-precision FHADD and FHFMA.
IADD    | alu[add] | _10:28ac?76=1    | 100-119 | x@74=X xor=XOR | >R@16, >P@81, A:x, B:x, C, P@87?74=1
IMUL    | fma[multiply] | _24:2468ace?76=1 | 100-119 | xor=XOR u32@73=U32/- | >R@16, A, B:s, C
IMUL    | fma[multiply] | _25:2468ace?76=1 | 100-119 | wide=WIDE xor=XOR u32@73=U32/- | >R@16*2, A, B:s, C*2
SHF     | alu[shift] | _19:2468ace?77=1 | 100-119 | xor=XOR direction@76=L/R w@75=W type@73:74=S64/U64/S32/U32 hi@80=HI | >R@16, A, B, C
FHADD   | fma[f32 add] | _21:2e?81=1      | 100- | format@82=BF16 round@78:79=%round sat@77=SAT | >R@16, A:f~83=H1, D:f
FHFMA   | fma[f32 multiply_add] | _23:2ce?81=1     | 100- | format@82=BF16 round@78:79=%round sat@77=SAT | >R@16, A:f~83=H1, B:f~84=H1, C:f
MUFU    | xu[f32 special] | _08:39bd?72:73=3 | 103-119 | function@74:77=COS/SIN/EX2/LG2/RCP/RSQ/RCP64H/RSQ64H/SQRT/TANH format=F16x2 | >R@16, S
MOVM    | misc[lanes] | 23a?72:79=72    | 100- | size=U4TO8 shape=M832 | >R@16, R@24

# Conversions between packed formats of 4 to 32 bits. Rounding RS reads random bits as the third
# source; a source of 16 or 8 bits is one half or quarter of its register.
F2FP    | half[f32>f16] | _3e:28ac?89:90=1 | 100- | satfinite@77=SATFINITE relu@75=RELU to@76+85:87=%packed_to from@73:74+82:83=%packed_from pack@78=UNPACK_B/PACK_B round@79:81=-/INVALID1/RP/RZ/RS | >R@16, S:g~72+88=-/B1/B2/B3?73:74=1, S:g~88=H1?73:74!1
F2FP    | half[f32>f16] | _3e:28ace?89:90=2 | 100- | satfinite@77=SATFINITE relu@75=RELU to@76+85:87=%packed_to from@73:74+82:83=%packed_from pack@78=UNPACK_B_MERGE_C/PACK_AB_MERGE_C round@79:81=-/INVALID1/RP/RZ/RS | >R@16, A:g?78=1, B:g, C
F2FP    | half[f32>f16] | _3e:28ace?89:90=0 | 100- | satfinite@77=SATFINITE relu@75=RELU to@76+85:87=%packed_to from=F32 pack@78=PACK_AB/MERGE_C round@79:81=-/INVALID1/RP/RZ/RS | >R@16, A:g?78=0, B:g, C?78=1, C?78=0&81=1

# Pairs of FP32. HI_LO: the pair is in its natural order; the bit that adds NP comes with the sign.
FFMA2   | fma[f32 pair multiply_add] | _49:248ce | 100-119 | fmz@76+80=-/FMZ/FTZ/INVALID3 round@78:79=%round | >R@16*2, A:f*2~81:83=%float_pair, B:f*2~87:88=%float_pair, C:f*2~84:86=%float_pair
FADD2   | fma[f32 pair add] | _4b:24e | 100-119 | ftz@80=FTZ round@78:79=%round | >R@16*2, A:f*2~81:83=%float_pair, D:f*2~84:86=%float_pair
FMUL2   | fma[f32 pair multiply] | _4a:28?91=0 c4a | 100-119 | fmz@76+80=-/FMZ/FTZ/INVALID3 round@78:79=%round | >R@16*2, A:f*2~81:83=%float_pair, S:f*2~87:88=%float_pair

# The uniform datapath. Bit 91 tells these from FMUL2 and others of sm_100.
UMOV    | uniform[move] | c82 | 120- | wide@80=64 | >U@16*wide, S*wide
UMOV    | uniform[move] | 482 | 120- | wide=64 | >U@16*2, I@24:87
USEL    | uniform[pass] | c87 | 120- | wide=64 | >U@16*2, A*2, S*2, Q@87
USEL    | uniform[pass] | 487 | 120- | wide=64 | >U@16*2, A*2, I@32:64:s, Q@87
UISETP  | uniform[compare] | 28c 88c | 120- | compare@76:78=%integer_compare type@73+80=U32/-/U64/S64 logic@74:75=%logic ex@72=EX | >Q@81, >Q@84, A*type, S:s*type, Q@87, Q@68?72=1
UIMNMX  | uniform[extremum] | 285?91=1 885?91=1 | 120- | type@73:74=U32/-/U64/S64 | >Q@81, >Q@84, >U@16*type, A*type, S:s*type, Q@87, Q@77
UVIMNMX | uniform[extremum] | 24a?91=1 84a?91=1 | 120- | type@72:74=U32/S32/U16x2/S16x2/U8x4/S8x4 relu@76=RELU | >U@16, A, S:s, Q@87
UIMAD   | uniform[multiply_add] | 2a6 4a6 8a6 | 120- | hi=HI u32@73=U32/- x@74=X | >U@16, >Q@81:opt, A, B:s, C:x*2, Q@87?74=1
UFHADD  | uniform[f32 add] | 254?81=1&91=1 454?81=1&91=1 | 120- | format@82=BF16 round@78:79=%round sat@77=SAT | >U@16, A:f~83=H1, C:f
UFADD   | uniform[f32 add] | 254?91=1 454?91=1 | 120- | ftz@80=FTZ round@78:79=%round sat@77=SAT | >U@16, A:f, C:f
UFMUL   | uniform[f32 multiply] | 256?91=1 856?91=1 | 120- | fmz@76+80=-/FMZ/FTZ/INVALID3 scale@84:86=INVALID0/D8/D4/D2/-/M2/M4/M8 round@78:79=%round sat@77=SAT | >U@16, A:f, S:f
UFFMA   | uniform[f32 multiply_add] | 255?91=1 455?91=1 855?91=1 | 120- | fmz@76+80=-/FMZ/FTZ/INVALID3 round@78:79=%round sat@77=SAT | >U@16, A:f, B:f, C:f
UFSEL   | uniform[f32] | 251?91=1 851?91=1 | 120- | ftz@80=FTZ | >U@16, A:f, S:f, Q@87
UFSETP  | uniform[f32 compare] | 253?91=1 853?91=1 | 120- | compare@76:79=%float_compare ftz@80=FTZ logic@74:75=%logic | >Q@81, >Q@84, A:f, S:f, Q@87
UI2F    | uniform[int>f32] | 25a?91=1 85a?91=1 | 120- | to@75:77=%float_source from@74+84:85=U8/S8/U16/S16/U32/- round@78:79=%round | >U@16, S
UI2FP   | uniform[int>f32] | 25e?91=1 85e?91=1 | 120- | to@75:77=INVALID0/INVALID1/F32 from@74+84:85=INVALID0/INVALID1/INVALID2/INVALID3/U32/S32 round@78:79=-/INVALID1/INVALID2/RZ | >U@16, S
UF2F    | uniform[f32>f32] | 25b?91=1 85b?91=1 | 120- | ftz@80=FTZ to@75:77=%float_type from@84:86=%float_type round@78:79=%round | >U@16, S:v
UF2I    | uniform[f32>int] | 25c?91=1 85c?91=1 | 120- | ftz@80=FTZ to@72+75:76=U8/S8/U16/S16/U32/- from@84:86=%float_source round@78:79=%integer_round ntz@77=NTZ | >U@16, S:v
UFRND   | uniform[f32>f32] | 25d?91=1 85d?91=1 | 120- | ftz@80=FTZ from@84:86=%float_source round@78:79=%integer_round | >U@16, S:v
LDCU    | uniform[constant load] | 7ac | 100-119 | width@73:75=%width unpack@80=TEXUNPACK | >U@16*width, c[U24 +37:53]
LDCU    | uniform[constant load] | 7ac | 120- | width@73:75=%width unpack@80:81=-/TEXUNPACK/HDRUNPACK | >U@16*width, c[U24 +37:53]
CS2UR   | misc[transfer uguard] | 8cb?80=0 | 100- | width=32 | >U@16, SR@72:79
CS2UR   | misc[transfer uguard] | 8cb?80=1 | 100- | | >U@16*2, SR@72:79
R2UR    | misc[transfer] | 2ca | 100- | or@84=OR spread@86:87=-/FILL/BROADCAST | >P@81:opt?84=0, >P@81?84=1, >U@16, R@24:reuse122
CREDUX  | misc[lanes] | 2cc | 100- | operation@78:79=MAX/MAXABS/MIN/MINABS type@73:74=-/S32/F32 nan@77=NAN | >U@16, R@24

# Memory.
LDG     | lsu[global load] | 97e | 100- | e=E cache@84:86=%cache l2@81:82=EFL2/ENL2/ELL2 ltc@73:74=%ltc width=256 order@77:80=%load_order | >R@64*4, >R@16*4, [R24 +40:56<<5 U32?91 W75 D76], I@57:63+72?57:63+72!255, P@87:inv:opt
STG     | lsu[global store] | 97f | 100- | e=E cache@84:86=%cache l2@81:82=EFL2/ENL2/ELL2 width=256 order@77:80=%store_order | [R24 +40:58<<5 U64?91 W75 D76], R@32*4, R@16*4, I@59:63+88:90?59:63+88:90!255
STG     | lsu[global store] | 986 | 100- | e@72=E cache@84:86=%cache width@73:75=%width order@77:80=%store_order | [R24 +40:63 U64?91 W90 D76], R@32*width
LDGSTS  | lsu[global load store copy async] | dae | 100- | e=E bypass@81=BYPASS/- cache@84:86=%cache ltc@72:73=%ltc width@74:75=-/64/128 order@77:80=%copy_order zfill@82=ZFILL | [R16 +44:63 U64], [R24 +32:43 V64?76 W83 D76], P@87:opt
LDGSTS  | lsu[global load store copy async] | fae | 100- | e=E bypass@81=BYPASS/- cache@84:86=%cache ltc@72:73=%ltc width@74:75=-/64/128 order@77:80=%copy_order zfill@82=ZFILL | [R16 +44:63], [R24 +32:43 U64?91 W83 D76], P@87:opt
ATOM    | lsu[generic load store atomic] | 98a | 100- | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D76], R@32*type
ATOM    | lsu[generic load store atomic] | 9a2 | 100- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76+87=%float_atomic order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D90], R@32*type
ATOMG   | lsu[global load store atomic] | 9a8 | 100- | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D76], R@32*type
ATOMG   | lsu[global load store atomic] | 9a3 | 100- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76+87=%float_atomic order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D90], R@32*type
ATOMG   | lsu[global load store atomic] | 3a9 | 100- | e@72=E operation=CAS cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 W72], R@32*type, R@64*type
ATOMS   | lsu[shared load store atomic] | 58d | 100- | operation@87:88=CAS/CAST/CAS/CAST.SPIN type@73:75=-/S32/64/S64/128 | >P@81, [R24 +40:63 X78], R@32*type, R@64*type
REDG    | lsu[global store atomic reduce] | 98e | 100- | e@72=E operation@87:89=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | [R24 +40:63 U64?91 W90 D81], R@32*type
REDG    | lsu[global store atomic reduce] | 9a6 | 100- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76+87=%float_atomic order@77:80=%order | [R24 +40:63 U64?91 W90 D81], R@32*type
LDGMC   | lsu[global load] | 9a4 | 100- | e@72=E operation@87:89=%atomic type@73:75=32/S32/64/S64 order@77:80=%order | >R@16*type, [R24 +40:63 U64?91 W81 D82]
LDGMC   | lsu[global load] | 9a5 | 100- | e@72=E operation@88:89=ADD/MIN/MAX/HPADD type@73:76+87=%multimem order@77:80=%order | >R@16*type, [R24 +40:63 U64?91 W81 D82]
LDSM    | lsu[shared load] | 83b?78:80=4 | 100- | size@75:77=16/INVALID1/INVALID2/INVALID3/INVALID4/U4x16P64TO8/U6x16P32TO8/8 shape=MT1616 number@72:73=-/2/4 | >R@16*2*number, [R24 +40:63 U32?91]
LDSM    | lsu[shared load] | 83b | 100- | size@75:77=16/INVALID1/INVALID2/INVALID3/INVALID4/U4x16P64TO8/U6x16P32TO8/8 shape@78:80=M88/MT88/M816/M832 number@72:73=-/2/4 | >R@16*number, [R24 +40:63 U32?91]
STSM    | lsu[shared store] | 844 | 100- | size@75=16/8 shape@78:79=M88/MT88/MT168 number@72:73=-/2/4 | [R24 +40:63 U64?91], R@32*number
USTGR   | lsu[global store uguard] | 377 | 100- | e=E cache@83=NA width@73:75=%width order@77:80=%order | [U24 +40:63 *2], U@32*width
ARRIVES | lsu[shared store copy_arrive] | 9b0 | 100- | mode=LDGSTSBAR width@73:75=%width count@76:77=-/ARVCNT/TRANSCNT | [R24 +40:63 U64?91]
CCTL    | lsu[cache] | 540 | 100- | e=E cache@78:80=INVALID0/INVALID1/C kind=LDCU operation@87:90=INVALID0/INVALID1/INVALID2/IV deep@86=DEEP | [U24 +32:63 *2]

# Control, convergence, clusters.
BRA     | control[branch] | 947 | 100- | inc@85:86=-/INC/DEC mode@32:33=-/U/DIV/CONV any@84=ANY?32:33=1 | P@87:opt, U@24:not82?91=1, T
BRA     | control[branch] | 547 | 100- | inc@85:86=-/INC/DEC u=U any@84=ANY | P@87:opt, Q@24, T
NANOSLEEP | control | 95d?83=1 | 100- | clear=CLEAR | P@87:opt
NANOSLEEP | control | 35d | 100- | random@86=RAND warp@85=WARP syncs@84=SYNCS | P@87:opt, R@32
NANOSLEEP | control | 95d | 100- | random@86=RAND warp@85=WARP syncs@84=SYNCS | P@87:opt, I@32:63
BSSY    | control[push] | 945 | 100- | mode@72:73=-/RELIABLE/RECONVERGENT | P@87:opt, >b@16, T@34:63
BSYNC   | control[sync] | 941 | 100- | mode@72:73=-/RELIABLE/RECONVERGENT | P@87:opt, b@16
BREAK   | control | 942 | 100- | mode@72:73=-/RELIABLE/RECONVERGENT | P@87:opt, b@16
RPCMOV  | control | 352 | 100- | width=32 | =Rpc.LO?31=0, =Rpc.HI?31=1, R@32
RPCMOV  | control | 353 | 100- | width=32 | >R@16, =Rpc.LO?31=0, =Rpc.HI?31=1
SYNCS   | lsu[shared mbarrier] | 9b1?91=0 | 100- | kind=CCTL operation@72=IVALL/WBALL |
SYNCS   | lsu[shared mbarrier] | 9b1?91=1 | 100- | kind=CCTL operation@72=IV/WB | [R24 +40:63 U64?91]
UTMALDG | bulk[shared store copy async map uguard] | 3b4 | 100- | dimension@79:81=1D/2D/3D/4D/5D mode@82:84=-/IM2COL/W128/W/GATHER4 multicast@75=MULTICAST pair@85=2CTA | [U32 *2 T79], [U24 *2], U@64, desc[d40]?76=1
UTMALDG | bulk[shared store copy async map uguard] | 5b4 | 100- | dimension@79:81=1D/2D/3D/4D/5D mode@82:84=-/INVALID1/INVALID2/INVALID3/GATHER4 pair@85=2CTA | [U32 *2 T79], [U24 *2], desc[d40]?76=1
UTMASTG | bulk[global store copy async map uguard] | 3b5 | 100- | dimension@79:81=1D/2D/3D/4D/5D mode@82:83=-/IM2COL/SCATTER4 | [U32 T79], [U24 *2], desc[d40]?76=1
UTMAPF  | bulk[global load async map uguard] | 3b8 | 100- | level=L2 dimension@79:81=1D/2D/3D/4D/5D mode@82:84=-/IM2COL/W128/W/GATHER4 | [U32 T79], [U24 *2], U@64, desc[d40]?76=1
UTMAPF  | bulk[global load async map uguard] | 5b8 | 100- | level=L2 dimension@79:81=1D/2D/3D/4D/5D mode@82:84=-/INVALID1/INVALID2/INVALID3/GATHER4 | [U32 T79], [U24 *2], desc[d40]?76=1
UBLKCP  | bulk[load store copy async uguard] | 3ba | 100- | to@73=G/S from@74=G/S multicast@75=MULTICAST mask@84=DST_G_BYTE_MASK | [U32 *2], [U24 *2], U@64, desc[d40]?76=1
FENCE   | lsu[proxy_fence] | 3c6 | 100- | view=VIEW.ASYNC space@72:73=S/G/T |
UGETNEXTWORKID | bulk[shared store uguard] | 3ca | 100- | mode@72=SELFCAST/BROADCAST | [U24], [V24]
UVIRTCOUNT | control[uguard] | 84c | 100- | kind=DEALLOC pool=SMPOOL | I@32:63

# Textures and surfaces by uniform handle; the number behind it is left out when it is 0xff.
TEX     | texture[load] | f60 | 100- | scr@60=SCR f16@79=F16.RN lod@59+87:89=-/LZ/LB/LL/LBA/LLA offset@76=AOFFI depth@78=DC ndv@77=NDV nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, U@40, I@48:55?48:55!255, =~61:63=%texture, I@72:75?72:75!15
TLD4    | texture[load] | f63 | 100- | scr@60=SCR component@87:88=R/G/B/A f16@79=F16.RN offset@76:77=-/AOFFI/PTP depth@78=DC nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, U@40, I@48:55?48:55!255, =~61:63=%texture, I@72:75?72:75!15
TLD     | texture[load] | f66 | 100- | scr@60=SCR f16@79=F16.RN lod@59+87:89=LZ/INVALID1/INVALID2 offset@76=AOFFI samples@77=MS nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, U@40, I@48:55?48:55!255, =~61:63=%texture, I@72:75?72:75!15
TXD     | texture[load] | f6c | 100- | f16@79=F16.RN offset@76=AOFFI nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*2, U@40, I@48:55?48:55!255, =~61:63=%texture, I@72:75?72:75!15
TXQ     | texture[load] | f6f | 100- | nodep@90=NODEP | >R@64*result1, >R@16*result0, R@24, =~61:63=%texture_query, U@40, I@48:55?48:55!255, I@72:75?72:75!15
SULD    | texture[global load] | f99 | 100- | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%load_order clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], U@40, I@48:55?48:55!255
SUST    | texture[global store] | f9d | 100- | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, U@40, I@48:55?48:55!255
SUST    | texture[global store] | f9b | 100- | kind=P dimension@61:63=%surface cache@84:86=%cache order@77:80=%order mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, U@40, I@48:55?48:55!255
SURED   | texture[global load store atomic reduce] | f9f | 100- | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, U@40, I@48:55?48:55!255

# Warp-wide products. With SF, the registers behind the accumulator hold the scale factors of A and of
# B, the uniform register says which of their bytes to take; with SP, the metadata and the factors of A
# are a pair.
QMMA    | tensor[f8 matrix] | 27a | 120- | sp@80=SP shape@75:76=16816/16832/16864 to@77=F16/F32 a@78+82:83=%narrow b@79+84:85=%narrow | >R@16*2?77=0, >R@16*4?77=1, A:n*2?75:76=0, A:n*4?75:76!0, B:n?75:76=0, B:n*2?75:76=1, B:n*4?75:76=2, C*2?77=0, C*4?77=1, Q@87:inv:opt, R@40:reuse50?80=1, I@48:49?80=1
QMMA    | tensor[f8 matrix] | 47a | 120- | sf=SF sp@80=SP shape@80=16832/16864 to=F32 a@78+82:83=%narrow b@79+84:85=%narrow scale=E8 | >R@16*4, R@24*4:reuse122, R@32*2:reuse123?80=0, R@32*4:reuse123?80=1, R@64*4:reuse124, Q@87:inv:opt, R@40?80=0, R@40*2?80=1, R@52, U@60:62+73:77, I@48:49?80=1
OMMA    | tensor[f8 matrix] | 47f | 120- | sf=SF sp@80=SP shape@80=16864/168128 to=F32 a=E2M1 b=E2M1 scale@82:83=INVALID0/UE4M3.4X/E8 | >R@16*4, R@24*4:reuse122, R@32*2:reuse123?80=0, R@32*4:reuse123?80=1, R@64*4:reuse124, Q@87:inv:opt, R@40?80=0, R@40*2?80=1, R@52, U@60:62+73:77, I@48:49?80=1
)";

}  // namespace burin::read::isa
