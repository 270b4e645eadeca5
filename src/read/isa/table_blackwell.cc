// What sm_100 to sm_121 brought or changed, except tensor memory (table_tcgen.cc). Uniform
// registers have eight bits there, so that flags which stood beside them have moved. form.h
// explains the notation.
#include "read/isa/form.h"

namespace burin::isa {

const char* const kBlackwellTable = R"(
# 64-bit integers and moves of sm_120.
MOV     | alu | c02     | 100-119 | spill@88=SPILL | >R@16, S, I@72:75?72:75!15&88=0
MOV     | alu | 202 c02 | 120- | wide@80=64 spill@88=SPILL?9:11=6 | >R@16*wide, S*wide, I@72:75?72:75!15&80=0&88=0
MOV     | alu | 402     | 120- | wide=64 | >R@16*2, I@24:87
SEL     | alu | 407     | 120- | wide=64 | >R@16*2, A*2, I@32:64:s, P@87
SEL     | alu | 607     | 120- | wide=64 | >R@16*2, A*2, R@32*2:reuse123, P@87
SEL     | alu | e07     | 120- | wide=64 | >R@16*2, A*2, U@32*2, P@87
ISETP   | alu | _0c:28ac | 120- | compare@76:78=%integer_compare type@73+80=U32/-/U64/S64 logic@74:75=%logic ex@72=EX | >P@81, >P@84, A*type, S:s*type, P@87, P@68?72=1
IADD    | alu | _35:28ac | 120- | wide@73=64 x@74=X | >R@16*wide, >P@81:opt, A:x*wide, S:x*wide, P@87?74=1
IMNMX   | alu | _17:28ac | 120- | type@73:74=U32/-/U64/S64 | >P@81, >P@84, >R@16*type, A*type, S:s*type, P@87, P@77
FMNMX3  | alu | _76:28c  | 100-119 | ftz@80=FTZ nan@81=NAN | >R@16, A:f, B:f, C:f, P@87
VIMNMX  | alu | _48:28ac | 100-119 | type@72:73=U32/-/U16x2/S16x2 relu@76=RELU | >R@16, >P@81, >P@84, A, S:s, P@87
VIMNMX  | alu | _48:28ac | 120- | type@72:74=U32/S32/U16x2/S16x2/U8x4/S8x4 relu@76=RELU | >R@16, A, S:s, P@87
VIADD   | alu | c36 | 100- | x2@73=16x2 | >R@16, A, S:i

# One flag of an older instruction makes these: .XOR on sm_100, mixed-precision FHADD and FHFMA.
IADD    | alu | _10:28ac?76=1    | 100-119 | x@74=X xor=XOR | >R@16, >P@81, A:x, B:x, C, P@87?74=1
IMUL    | fma | _24:2468ace?76=1 | 100-119 | xor=XOR u32@73=U32/- | >R@16, A, B:s, C
IMUL    | fma | _25:2468ace?76=1 | 100-119 | wide=WIDE xor=XOR u32@73=U32/- | >R@16*2, A, B:s, C*2
SHF     | alu | _19:2468ace?77=1 | 100-119 | xor=XOR direction@76=L/R w@75=W type@73:74=S64/U64/S32/U32 hi@80=HI | >R@16, A, B, C
F2FP    | half | _3e:2c?81=1&78=0 | 100-119 | satfinite@77=SATFINITE relu@75=RELU to@76+86:87=F16/BF16/INVALID2/TF32/E5M2/E4M3 from=F32 pack=PACK_AB round=RS | >R@16, A:g, S:g, R@64
FHADD   | fma | _21:2e?81=1      | 100- | format@82=BF16 round@78:79=%round sat@77=SAT | >R@16, A:f~83=H1, D:f
FHFMA   | fma | _23:2ce?81=1     | 100- | format@82=BF16 round@78:79=%round sat@77=SAT | >R@16, A:f~83=H1, B:f~84=H1, C:f

# The uniform datapath. Bit 91 tells these from FMUL2 and others of sm_100.
UMOV    | uniform | c82 | 120- | wide@80=64 | >U@16*wide, S*wide
UMOV    | uniform | 482 | 120- | wide=64 | >U@16*2, I@24:87
USEL    | uniform | 487 | 120- | wide=64 | >U@16*2, A*2, I@32:64:s, Q@87
UISETP  | uniform | 28c 88c | 120- | compare@76:78=%integer_compare type@73+80=U32/-/U64/S64 logic@74:75=%logic ex@72=EX | >Q@81, >Q@84, A*type, S:s*type, Q@87, Q@68?72=1
UIMNMX  | uniform | 285?91=1 885?91=1 | 120- | type@73:74=U32/-/U64/S64 | >Q@81, >Q@84, >U@16*type, A*type, S:s*type, Q@87, Q@77
UVIMNMX | uniform | 24a?91=1 84a?91=1 | 120- | type@72:74=U32/S32/U16x2/S16x2/U8x4/S8x4 relu@76=RELU | >U@16, A, S:s, Q@87
UIMAD   | uniform | 2a6 4a6 8a6 | 120- | hi=HI u32@73=U32/- x@74=X | >U@16, >Q@81:opt, A, B:s, C:x*2, Q@87?74=1
UFHADD  | uniform | 254?81=1&91=1 454?81=1&91=1 | 120- | format@82=BF16 round@78:79=%round sat@77=SAT | >U@16, A:f~83=H1, C:f
UFADD   | uniform | 254?91=1 454?91=1 | 120- | ftz@80=FTZ round@78:79=%round sat@77=SAT | >U@16, A:f, C:f
UFMUL   | uniform | 256?91=1 856?91=1 | 120- | fmz@76+80=-/FMZ/FTZ/INVALID3 scale@84:86=INVALID0/D8/D4/D2/-/M2/M4/M8 round@78:79=%round sat@77=SAT | >U@16, A:f, S:f
UFFMA   | uniform | 255?91=1 455?91=1 855?91=1 | 120- | fmz@76+80=-/FMZ/FTZ/INVALID3 round@78:79=%round sat@77=SAT | >U@16, A:f, B:f, C:f
UFSEL   | uniform | 251?91=1 851?91=1 | 120- | ftz@80=FTZ | >U@16, A:f, S:f, Q@87
UFSETP  | uniform | 253?91=1 853?91=1 | 120- | compare@76:79=%float_compare ftz@80=FTZ logic@74:75=%logic | >Q@81, >Q@84, A:f, S:f, Q@87
UI2F    | uniform | 25a?91=1 85a?91=1 | 120- | to@75:77=%float_source from@74+84:85=U8/S8/U16/S16/U32/- round@78:79=%round | >U@16, S
UI2FP   | uniform | 25e?91=1 85e?91=1 | 120- | to@75:77=INVALID0/INVALID1/F32 from@74+84:85=INVALID0/INVALID1/INVALID2/INVALID3/U32/S32 round@78:79=-/INVALID1/INVALID2/RZ | >U@16, S
UF2I    | uniform | 25c?91=1 85c?91=1 | 120- | ftz@80=FTZ to@72+75:76=U8/S8/U16/S16/U32/- from@84:86=%float_source round@78:79=%integer_round ntz@77=NTZ | >U@16, S:f
UFRND   | uniform | 25d?91=1 85d?91=1 | 120- | ftz@80=FTZ from@84:86=%float_source round@78:79=%integer_round | >U@16, S:f
LDCU    | uniform[constant load] | 7ac | 100-119 | width@73:75=%width unpack@80=TEXUNPACK | >U@16*width, c[U24 +37:53]
LDCU    | uniform[constant load] | 7ac | 120- | width@73:75=%width unpack@80:81=-/TEXUNPACK/HDRUNPACK | >U@16*width, c[U24 +37:53]
CS2UR   | misc[uguard] | 8cb?80=0 | 100- | width=32 | >U@16, SR@72:79
CS2UR   | misc[uguard] | 8cb?80=1 | 100- | | >U@16*2, SR@72:79
R2UR    | misc | 2ca | 100- | or@84=OR spread@86:87=-/FILL/BROADCAST | >P@81:opt?84=0, >P@81?84=1, >U@16, R@24
CREDUX  | misc | 2cc | 100- | operation@78:79=MAX/MAXABS/MIN/MINABS type@73:74=-/S32/F32 nan@77=NAN | >U@16, R@24

# Memory.
LDG     | lsu[global load]  | 97e | 100- | e=E cache@84:86=%cache l2@81:82=EFL2/ENL2/ELL2 ltc@73:74=%ltc width=256 order@77:80=%load_order | >R@64*4, >R@16*4, [R24 +40:56<<5 U32?91 W75 D76], I@57:63+72?57:63+72!255, P@87:inv:opt
STG     | lsu[global store] | 97f | 100- | e=E cache@84:86=%cache l2@81:82=EFL2/ENL2/ELL2 width=256 order@77:80=%store_order | [R24 +40:58<<5 U64?91 W75 D76], R@32*4, R@16*4, I@59:63+88:90?59:63+88:90!255
STG     | lsu[global store] | 986 | 100- | e@72=E cache@84:86=%cache width@73:75=%width order@77:80=%store_order | [R24 +40:63 U64?91 W90 D76], R@32*width
LDGSTS  | lsu[global load store] | dae fae | 100- | e=E bypass@81=BYPASS/- cache@84:86=%cache ltc@72:73=%ltc width@74:75=-/64/128 order@77:80=%copy_order zfill@82=ZFILL | [R16 +44:63], [R24 +32:43 U64?91 W83 D76], P@87:opt
ATOM    | lsu[generic load store] | 98a | 100- | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D76], R@32*type
ATOM    | lsu[generic load store] | 9a2 | 100- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76+87=%float_atomic order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D90], R@32*type
ATOMG   | lsu[global load store] | 9a8 | 100- | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D76], R@32*type
ATOMG   | lsu[global load store] | 9a3 | 100- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76+87=%float_atomic order@77:80=%order | >P@81, >R@16*type, [R24 +40:62 U64?91 W63 D90], R@32*type
ATOMG   | lsu[global load store] | 3a9 | 100- | e@72=E operation=CAS cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 W72], R@32*type, R@64*type
ATOMS   | lsu[shared load store] | 58d | 100- | operation@87:88=CAS/CAST/CAS/CAST.SPIN type@73:75=-/S32/64/S64/128 | >P@81, [R24 +40:63 X78], R@32*type, R@64*type
REDG    | lsu[global store] | 98e | 100- | e@72=E operation@87:89=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | [R24 +40:63 U64?91 W90 D81], R@32*type
REDG    | lsu[global store] | 9a6 | 100- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76+87=%float_atomic order@77:80=%order | [R24 +40:63 U64?91 W90 D81], R@32*type
LDGMC   | lsu[global load]  | 9a5 | 100- | e@72=E operation@88:89=ADD/MIN/MAX/HPADD type@73:76+87=%multimem order@77:80=%order | >R@16*type, [R24 +40:63 U64?91 W81 D82]
LDSM    | lsu[shared load] | 83b?78:80=4 | 100- | size@75:77=16/INVALID1/INVALID2/INVALID3/INVALID4/U4x16P64TO8/U6x16P32TO8/8 shape=MT1616 number@72:73=-/2/4 | >R@16*2*number, [R24 +40:63 U32?91]
LDSM    | lsu[shared load] | 83b | 100- | size@75:77=16/INVALID1/INVALID2/INVALID3/INVALID4/U4x16P64TO8/U6x16P32TO8/8 shape@78:80=M88/MT88/M816/M832 number@72:73=-/2/4 | >R@16*number, [R24 +40:63 U32?91]
STSM    | lsu[shared store] | 844 | 100- | size@75=16/8 shape@78:79=M88/MT88/MT168 number@72:73=-/2/4 | [R24 +40:63 U64?91], R@32*number
CCTL    | lsu | 540 | 100- | e=E cache@78:80=INVALID0/INVALID1/C kind=LDCU operation@87:90=INVALID0/INVALID1/INVALID2/IV deep@86=DEEP | [U24 +32:63 *2]

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
SYNCS   | lsu[shared] | 9b1?91=0 | 100- | kind=CCTL operation@72=IVALL/WBALL |
SYNCS   | lsu[shared] | 9b1?91=1 | 100- | kind=CCTL operation@72=IV/WB | [R24 +40:63 U64?91]
UTMALDG | bulk[shared store uguard] | 3b4 | 100- | dimension@79:81=1D/2D/3D/4D/5D mode@82:84=-/IM2COL/W128/W/GATHER4 multicast@75=MULTICAST pair@85=2CTA | [U32], [U24], U@64, desc[d40]?76=1
UTMALDG | bulk[shared store uguard] | 5b4 | 100- | dimension@79:81=1D/2D/3D/4D/5D mode@82:84=-/INVALID1/INVALID2/INVALID3/GATHER4 pair@85=2CTA | [U32], [U24], desc[d40]?76=1
UTMASTG | bulk[global store uguard] | 3b5 | 100- | dimension@79:81=1D/2D/3D/4D/5D mode@82:83=-/IM2COL/SCATTER4 | [U32], [U24], desc[d40]?76=1
FENCE   | lsu | 3c6 | 100- | view=VIEW.ASYNC space@72:73=S/G/T |
UGETNEXTWORKID | bulk[shared store uguard] | 3ca | 100- | mode@72=SELFCAST/BROADCAST | [U24], [V24]
UVIRTCOUNT | control[uguard] | 84c | 100- | kind=DEALLOC pool=SMPOOL | I@32:63

# Warp-wide products.
QMMA    | tensor | 27a | 120- | sp@80=SP shape@75:76=16816/16832/16864 to@77=F16/F32 a@78+82:83=E4M3/E5M2/INVALID2/E3M2/E2M3/E2M1 b@79+84:85=E4M3/E5M2/INVALID2/E3M2/E2M3/E2M1 | >R@16*4, A:n*4, B:n*2, C*4, Q@87:inv:opt, R@40:reuse50?80=1, I@48:49?80=1
)";

}  // namespace burin::isa
