// Global, shared, local and constant memory; atomics; fences and cache control.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kMemoryTable = R"(
LD     | lsu[generic load] | 980 | 70-75 | e@72=E cache@84:86=%cache ltc@68:69=%ltc width@73:75=%load_width_75 order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | >R@16*width, [R24 +40:63 U32?91 W90]?91=1, [R24 +32:63 W90]?91=0, P@64:inv:opt
LD     | lsu[generic load] | 980 | 80- | e@72=E cache@84:86=%cache ltc@68:69=%ltc width@73:75=%width order@77:80=%load_order | >R@16*width, [R24 +40:63 U32?91 W90 D76]?91=1, [R24 +32:63 W90]?91=0, P@64:inv:opt
LDG    | lsu[global load] | 381 981 | 70-75 | e@72=E cache@84:86=%cache ltc@68:69=%ltc width@73:75=%load_width_75 order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE zd@87=ZD | >P@81:opt, >R@16*width, [R24 +40:63 U32?91 W90], P@64:inv:opt
LDG    | lsu[global load] | 381 981 | 80- | e@72=E cache@84:86=%cache ltc@68:69=%ltc width@73:75=%width order@77:80=%load_order | >P@81:opt, >R@16*width, [R24 +40:63 U32?91 W90 D76], P@64:inv:opt
LDL    | lsu[local load] | 983 | 75- | cache@84:86=%cache width@73:75=%width | >R@16*width, [R24 +40:63 U32?91 D76]
LDS    | lsu[shared load] | 984 | 70-75 | u@76=U width@73:75=%width | >R@16*width, [R24 +40:63 U32?91 X78]
LDS    | lsu[shared load] | 984 | 80- | width@73:75=%width | >R@16*width, [R24 +40:63 U32?91 X78]
LDSM   | lsu[shared load] | 83b | 75- | size=16 shape@78:79=M88/MT88/M816/M832 number@72:73=-/2/4 | >R@16*number, [R24 +40:63 U32?91]
LDC    | constant[constant load] | b82 | 70- | width@73:75=%width mode@78:79=-/IL/IS/ISL | >R@16*width, c[R24 +38:53]
ST     | lsu[generic store] | 385 985 | 70-75 | e@72=E cache@84:86=%cache width@73:75=%load_width_75 order@79:80=INVALID0/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | [R24 +40:63 U64?91 W90]?91=1, [R24 +32:63 W90]?91=0, R@32*width?91=1, R@64*width?91=0
ST     | lsu[generic store] | 385 985 | 80- | e@72=E cache@84:86=%cache width@73:75=%width order@77:80=%order | [R24 +40:63 U64?91 W90 D76]?91=1, [R24 +32:63 W90]?91=0, R@32*width?91=1, R@64*width?91=0
STG    | lsu[global store] | 386 986 | 70-75 | e@72=E cache@84:86=%cache width@73:75=%load_width_75 order@79:80=INVALID0/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | [R24 +40:63 U64?91 W90], R@32*width
STG    | lsu[global store] | 386 986 | 80- | e@72=E cache@84:86=%cache width@73:75=%width order@77:80=%order | [R24 +40:63 U64?91 W90 D76], R@32*width
STL    | lsu[local store] | 387 987 | 75- | cache@84:86=%cache width@73:75=%width | [R24 +40:63 U64?91 D76], R@32*width
STS    | lsu[shared store] | 388 988 | 70- | width@73:75=%width | [R24 +40:63 U64?91 X78], R@32*width
STSM   | lsu[shared store] | 844 | 90- | size=16 shape@78:79=M88/MT88/M816/M832 number@72:73=-/2/4 | [R24 +40:63 U64?91], R@32*number
ATOM   | lsu[generic load store atomic] | 38a 98a | 70-75 | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%atomic_type order@79:80=INVALID0/-/STRONG scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | >P@81, >R@16*type, [R24 +40:63 U64?91 W70], R@32*type
ATOM   | lsu[generic load store atomic] | 38a 98a | 80-89 | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%atomic_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 U64?91 W70 D71], R@32*type
ATOM   | lsu[generic load store atomic] | 38a 98a | 90- | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 U64?91 W70 D71], R@32*type
ATOM   | lsu[generic load store atomic] | 38b | 70-75 | e@72=E operation@87:88=CAS/CAST/CAS/CAST.SPIN cache@84:86=%cache type@73:75=%cas_type order@79:80=INVALID0/-/STRONG scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | >P@81, >R@16*type, [R24 +40:63 W70], R@32*type, R@64*type
ATOM   | lsu[generic load store atomic] | 38b | 80- | e@72=E operation@87:88=CAS/CAST/CAS/CAST.SPIN cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 W70], R@32*type, R@64*type
ATOMG  | lsu[global load store atomic] | 3a8 9a8 | 70-75 | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%atomic_type order@79:80=INVALID0/-/STRONG scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | >P@81, >R@16*type, [R24 +40:63 U64?91 W70], R@32*type
ATOMG  | lsu[global load store atomic] | 3a8 9a8 | 80-89 | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%atomic_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 U64?91 W70 D71], R@32*type
ATOMG  | lsu[global load store atomic] | 3a8 9a8 | 90- | e@72=E operation@87:90=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 U64?91 W70 D71], R@32*type
ATOMG  | lsu[global load store atomic] | 3a9 | 70-75 | e@72=E operation@87:88=CAS/CAST/CAS/CAST.SPIN cache@84:86=%cache type@73:75=%cas_type order@79:80=INVALID0/-/STRONG scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | >P@81, >R@16*type, [R24 +40:63 W70], R@32*type, R@64*type
ATOMG  | lsu[global load store atomic] | 3a9 | 80- | e@72=E operation@87:88=CAS/CAST/CAS/CAST.SPIN cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 W70], R@32*type, R@64*type
ATOMS  | lsu[shared load store atomic] | 38c 98c | 70- | operation@87:90=%atomic type@73:75=%cas_type | >R@16*type, [R24 +40:63 U64?91 X78], R@32*type
ATOMS  | lsu[shared load store atomic] | 38d 98d | 70- | operation@87:88=CAS/CAST/CAS/CAST.SPIN type@73:75=%cas_type | >R@16*type, [R24 +40:63 U64?91 X78], R@32*type, R@64*type
ATOMS  | lsu[shared load store atomic] | f8c | 70-89 | operation@87=POPC.INC/ARRIVE type@73:75=32/INVALID1/64 | >R@16*type, [R24 +40:63 U64?91 X78]
ATOMS  | lsu[shared load store atomic] | f8c | 90- | operation@87=ARRIVE/POPC.INC type@73:75=32/- | >R@16, [R24 +40:63 U64?91 X78]
RED    | lsu[global store atomic reduce] | 98e | 70-75 | e@72=E operation@87:89=%atomic cache@84:86=%cache type@73:75=%atomic_type order@79:80=INVALID0/-/STRONG scope@77:78=CTA/SM/GPU/SYS private@76=PRIVATE | [R24 +40:63 U64?91 W90], R@32*type
RED    | lsu[global store atomic reduce] | 98e | 80-89 | e@72=E operation@87:89=%atomic cache@84:86=%cache type@73:76=%red_type order@77:80=%order | [R24 +40:63 U64?91 W90 D71], R@32*type
REDG   | lsu[global store atomic reduce] | 98e | 90- | e@72=E operation@87:89=%atomic cache@84:86=%cache type@73:75=%cas_type order@77:80=%order | [R24 +40:63 U64?91 W90 D71], R@32*type
REDG   | lsu[global store atomic reduce] | 9a6 | 90- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76=%float_atomic order@77:80=%order | [R24 +40:63 U64?91 W90 D71], R@32*type
ATOM   | lsu[generic load store atomic] | 9a2 | 90- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76=%float_atomic order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 U64?91 W70 D71], R@32*type
ATOMG  | lsu[global load store atomic] | 9a3 3a3 | 90- | e@72=E operation@88:89=ADD/MIN/MAX cache@84:86=%cache type@73:76=%float_atomic order@77:80=%order | >P@81, >R@16*type, [R24 +40:63 U64?91 W70 D71], R@32*type
LDGMC  | lsu[global load] | 9a4 | 90- | e@72=E operation@87:89=%atomic type@73:75=32/S32/64/S64 order@77:80=%order | >R@16*type, [R24 +40:63 U64?91 W70 D71]
LDGMC  | lsu[global load] | 9a5 | 90- | e@72=E operation@88:89=ADD/MIN/MAX/F32ADD type@73:76=%float_atomic order@77:80=%order | >R@16*type, [R24 +40:63 U64?91 W70 D71]
LDGSTS | lsu[global load store copy async] | dae | 80- | e=E bypass@81=BYPASS/- cache@84:86=%cache ltc@71:72=%ltc width@73:75=%width order@77:80=%load_order zfill@82=ZFILL | [R16 +44:63 U64], [R24 +32:43 V64?76 W70 D76], P@87:opt
LDGSTS | lsu[global load store copy async] | fae | 80- | e=E bypass@81=BYPASS/- cache@84:86=%cache ltc@71:72=%ltc width@73:75=%width order@77:80=%load_order zfill@82=ZFILL | [R16 +44:63], [R24 +32:43 U64?91 W70 D76], P@87:opt
LDGDEPBAR | lsu[copy_commit] | 9af | 80- | |
ARRIVES | lsu[shared store copy_arrive] | 9b0 | 80-89 | mode=LDGSTSBAR width@73:75=%width | [R24 +40:63 U64?91]
CCTLL  | lsu[local] | 990 | 70- | operation@87:90=PF1/PF2/WB/IV/IVALL/RS | [R24 +40:63]
CCTL   | lsu[cache] | 98f?87:90=4 98f?87:90=6 98f?87:90=7 98f?87:90=8 | 70- | cache@78:79=-/U/C/I operation@87:90=PF1/PF2/WB/IV/IVALL/RS/IVALLP/WBALL/WBALLP |
CCTL   | lsu[global cache] | 98f | 70- | e@72=E cache@78:79=-/U/C/I operation@87:90=PF1/PF2/WB/IV/IVALL/RS/IVALLP/WBALL/WBALLP/PML2/DML2/RML2 | [R24 +32:63 W90]
MEMBAR | lsu[fence] | 992 | 70- | kind@79:80=SC/ALL/-/MMIO scope@76:78=CTA/SM/GPU/SYS/INVALID4/VC/CTA.PARTIAL |
ERRBAR | lsu[error_barrier] | 9ab | 75- | |
QSPC   | lsu[generic] | 3aa 9aa | 70- | e@72=E space@73:74=G/L/S/D | >P@81, >R@16, [R24 +40:63 U32?91 W90]
)";

}  // namespace burin::read::isa
