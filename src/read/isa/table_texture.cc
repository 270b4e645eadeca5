// Textures and surfaces. form.h explains the notation. A handle is a register (bindless, `.B`), a
// pair of bank and slot, or a uniform register.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kTextureTable = R"(
TEX  | texture[load] | 361 | 70- | scr@60=SCR b@59=B f16@79=F16.RN lod@87:89=-/LZ/LB/LL/LBA/LLA offset@76=AOFFI depth@78=DC ndv@77=NDV nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, =~61:63=%texture, I@72:75?72:75!15
TEX  | texture[load] | b60 | 70- | scr@60=SCR f16@79=F16.RN lod@87:89=-/LZ/LB/LL/LBA/LLA offset@76=AOFFI depth@78=DC ndv@77=NDV nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, I@54:58, I@40:53, =~61:63=%texture, I@72:75?72:75!15
TEX  | texture[load] | f60 | 70-90 | scr@60=SCR f16@79=F16.RN lod@87:89=-/LZ/LB/LL/LBA/LLA offset@76=AOFFI depth@78=DC ndv@77=NDV nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, U@40, I@48:53, =~61:63=%texture, I@72:75?72:75!15
TLD4 | texture[load] | 364 | 70- | scr@60=SCR component@87:88=R/G/B/A b@59=B f16@79=F16.RN offset@76:77=-/AOFFI/PTP depth@78=DC nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, =~61:63=%texture, I@72:75?72:75!15
TLD4 | texture[load] | b63 | 70- | scr@60=SCR component@87:88=R/G/B/A f16@79=F16.RN offset@76:77=-/AOFFI/PTP depth@78=DC nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, I@54:58, I@40:53, =~61:63=%texture, I@72:75?72:75!15
TLD4 | texture[load] | f63 | 70-90 | scr@60=SCR component@87:88=R/G/B/A f16@79=F16.RN offset@76:77=-/AOFFI/PTP depth@78=DC nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, U@40, I@48:53, =~61:63=%texture, I@72:75?72:75!15
TLD  | texture[load] | 367 | 70- | scr@60=SCR b@59=B f16@79=F16.RN lod@87:89=-/LZ/LB/LL offset@76=AOFFI samples@78=MS nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, =~61:63=%texture, I@72:75?72:75!15
TLD  | texture[load] | b66 | 70- | scr@60=SCR f16@79=F16.RN lod@87:89=-/LZ/LB/LL offset@76=AOFFI samples@78=MS nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, I@54:58, I@40:53, =~61:63=%texture, I@72:75?72:75!15
TLD  | texture[load] | f66 | 70-90 | scr@60=SCR f16@79=F16.RN lod@87:89=-/LZ/LB/LL offset@76=AOFFI samples@78=MS nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*place1:opt, U@40, I@48:53, =~61:63=%texture, I@72:75?72:75!15
TXD  | texture[load] | 36d | 70- | b@59=B f16@79=F16.RN offset@76=AOFFI nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*2, =~61:63=%texture, I@72:75?72:75!15
TXD  | texture[load] | b6c | 70- | f16@79=F16.RN offset@76=AOFFI nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*2, I@54:58, I@40:53, =~61:63=%texture, I@72:75?72:75!15
TXD  | texture[load] | f6c | 70-90 | f16@79=F16.RN offset@76=AOFFI nodep@90=NODEP | >P@81:opt, >R@64*result1, >R@16*result0, R@24*place0, R@32*2, U@40, I@48:53, =~61:63=%texture, I@72:75?72:75!15
TXQ  | texture[load] | 370 | 70- | b@59=B nodep@90=NODEP | >R@64*result1, >R@16*result0, R@24, =~61:63=%texture_query, I@72:75?72:75!15
TXQ  | texture[load] | b6f | 70- | nodep@90=NODEP | >R@64*result1, >R@16*result0, R@24, =~61:63=%texture_query, I@54:58, I@40:53, I@72:75?72:75!15
TXQ  | texture[load] | f6f | 70-90 | nodep@90=NODEP | >R@64*result1, >R@16*result0, R@24, =~61:63=%texture_query, U@40, I@48:53, I@72:75?72:75!15

SULD  | texture[global load] | 99a | 70-75 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], R@64
SULD  | texture[global load] | b99 | 70-75 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], I@54:58, I@40:53
SULD  | texture[global load] | f99 | 70-75 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], U@40, I@48:53
SULD  | texture[global load] | 99a | 80- | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%load_order clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], R@64
SULD  | texture[global load] | b99 | 80- | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%load_order clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], I@54:58, I@40:53
SULD  | texture[global load] | f99 | 80-90 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%load_order clamp@59:60=IGN/-/TRAP | >P@81:opt, >R@16*width, [R24 S61], U@40, I@48:53
SUST  | texture[global store] | 99e | 70-75 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, R@64
SUST  | texture[global store] | b9d | 70-75 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, I@54:58, I@40:53
SUST  | texture[global store] | f9d | 70-75 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, U@40, I@48:53
SUST  | texture[global store] | 99e | 80- | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, R@64
SUST  | texture[global store] | b9d | 80- | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, I@54:58, I@40:53
SUST  | texture[global store] | f9d | 80-90 | kind=D ba@72=BA dimension@61:63=%surface cache@84:86=%cache width@73:75=%width order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*width, U@40, I@48:53
SUST  | texture[global store] | 99c | 70-75 | kind=P dimension@61:63=%surface cache@84:86=%cache order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, R@64
SUST  | texture[global store] | b9b | 70-75 | kind=P dimension@61:63=%surface cache@84:86=%cache order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, I@54:58, I@40:53
SUST  | texture[global store] | f9b | 70-75 | kind=P dimension@61:63=%surface cache@84:86=%cache order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, U@40, I@48:53
SUST  | texture[global store] | 99c | 80- | kind=P dimension@61:63=%surface cache@84:86=%cache order@77:80=%order mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, R@64
SUST  | texture[global store] | b9b | 80- | kind=P dimension@61:63=%surface cache@84:86=%cache order@77:80=%order mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, I@54:58, I@40:53
SUST  | texture[global store] | f9b | 80-90 | kind=P dimension@61:63=%surface cache@84:86=%cache order@77:80=%order mask@72:75=%channels clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*4, U@40, I@48:53
SURED | texture[global load store atomic reduce] | 3a0 | 70-75 | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, R@64
SURED | texture[global load store atomic reduce] | 59f | 70-75 | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, I@54:58, I@40:53
SURED | texture[global load store atomic reduce] | f9f | 70-75 | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@79:80=CONSTANT/-/STRONG/MMIO scope@77:78=CTA/SM/GPU/SYS clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, U@40, I@48:53
SURED | texture[global load store atomic reduce] | 3a0 | 80- | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, R@64
SURED | texture[global load store atomic reduce] | 59f | 80- | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, I@54:58, I@40:53
SURED | texture[global load store atomic reduce] | f9f | 80-90 | kind=D ba@72=BA dimension@61:63=%surface operation@87:89=%atomic type@73:75=%surface_type order@77:80=%order clamp@59:60=IGN/-/TRAP | [R24 S61], R@32*type, U@40, I@48:53
)";

}  // namespace burin::read::isa
