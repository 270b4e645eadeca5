// FP32, FP64 and packed half arithmetic, and conversions. form.h explains the notation.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kFloatTable = R"(
FADD    | fma[f32 add]           | _21:246e    | 70- | ftz@80=FTZ round@78:79=%round sat@77=SAT | >R@16, A:f, D:f
FMUL    | fma[f32 multiply]      | _20:28ac    | 70- | fmz@76+80=-/FMZ/FTZ/INVALID3 scale@84:86=INVALID0/D8/D4/D2/-/M2/M4/M8 round@78:79=%round sat@77=SAT | >R@16, A:f, S:f
FFMA    | fma[f32 multiply_add]  | _23:2468ace | 70- | fmz@76+80=-/FMZ/FTZ/INVALID3 round@78:79=%round sat@77=SAT | >R@16, A:f, B:f, C:f
FSEL    | alu[f32]               | _08:28ac    | 70- | ftz@80=FTZ | >R@16, A:f, S:f, P@87
FMNMX   | alu[f32 extremum]      | _09:28ac    | 70- | ftz@80=FTZ nan@81=NAN xorsign@82=XORSIGN is_a@65=IS_A | >R@16, >P@66?65=1, A:f, S:f, P@87
FSET    | alu[f32]               | _0a:28ac    | 70- | format=BF compare@76:79=%float_compare ftz@80=FTZ logic@74:75=%logic | >R@16, A:f, S:f, P@87
FSETP   | alu[f32 compare]       | _0b:28ac    | 70- | compare@76:79=%float_compare ftz@80=FTZ logic@74:75=%logic | >P@81, >P@84, A:f, S:f, P@87
FCHK    | xu[f32 division_check] | _02:39bd    | 70- | | >P@81, A:f, S:f
FSWZADD | alu[f32]               | 822         | 70- | ftz@80=FTZ round@78:79=%round ndv@77=NDV | >R@16, R@24, R@64, W@32:39
MUFU    | xu[f32 special]        | _08:39bd?75:77=3 | 70- | function@74=RCP64H/RSQ64H | >R@16, S:d
MUFU    | xu[f32 special]        | _08:39bd    | 70-89 | function@74:77=COS/SIN/EX2/LG2/RCP/RSQ/RCP64H/RSQ64H/SQRT/TANH format@73=F16 | >R@16, S:v
MUFU    | xu[f32 special]        | _08:39bd    | 90- | function@74:77=COS/SIN/EX2/LG2/RCP/RSQ/RCP64H/RSQ64H/SQRT/TANH format@72:73=-/F16/BF16 | >R@16, S:v

DADD    | fp64[add]          | _29:246e    | 70- | round@78:79=%round | >R@16*2, A:d*2, C:d*2
DMUL    | fp64[multiply]     | _28:28ac    | 70- | round@78:79=%round | >R@16*2, A:d*2, S:d*2
DFMA    | fp64[multiply_add] | _2b:2468ace | 70- | round@78:79=%round | >R@16*2, A:d*2, B:d*2, C:d*2
DSETP   | fp64[compare]      | _2a:246e    | 70- | compare@76:79=MIN/LT/EQ/LE/GT/NE/GE/NUM/NAN/LTU/EQU/LEU/GTU/NEU/GEU/MAX logic@74:75=%logic | >P@81, >P@84, A:d*2, D:d*2, P@87

HADD2   | half[add]          | _30:246e    | 70- | format@78+85=-/F32/BF16_V2/INVALID3 ftz@80=FTZ sat@77=SAT | >R@16, A:h, D:h
HMUL2   | half[multiply]     | _32:28ac    | 70- | format@78+85=-/F32/BF16_V2/INVALID3 fmz@76+80=-/FMZ/FTZ/INVALID3 sat@77=SAT | >R@16, A:h, S:h
HFMA2   | half[multiply_add] | _31:2468ace | 70-89 | format@78+85=-/F32/BF16_V2/INVALID3 fmz@76+80=-/FMZ/FTZ/INVALID3 relu@79=RELU sat@77=SAT | >R@16, A:h, B:h, C:h, P@87:opt?79=1
HFMA2   | half[multiply_add] | _31:2468ace | 90- | format@78+85=-/F32/BF16_V2/INVALID3 fmz@76+80=-/FMZ/FTZ/OOB relu@79=RELU sat@77=SAT | >R@16, A:h, B:h, C:h, P@87:opt?79=1
HFMA2   | half[multiply_add] | _35:2468ace | 70-90 | mma=MMA format@78+85=-/INVALID1/BF16_V2/INVALID3 fmz@76+80=-/FMZ/FTZ/INVALID3 relu@79=RELU sat@77=SAT | >R@16, A:m, B:m, C:m, P@87:opt?79=1
HSET2   | half               | _33:246e    | 70- | format@65=BF16_V2 bf@71=BF compare@76:79=%float_compare ftz@80=FTZ logic@69:70=%logic | >R@16, A:h, D:h, P@87
HSETP2  | half[compare]      | _34:246e    | 70- | format@65=BF16_V2 compare@76:79=%float_compare ftz@80=FTZ and@71=H_AND logic@69:70=%logic | >P@81, >P@84, A:h, D:h, P@87
HMNMX2  | half[extremum]     | _40:28ac    | 80- | format@85=BF16_V2 ftz@80=FTZ nan@81=NAN xorsign@82=XORSIGN | >R@16, A:h, S:h, P@87

F2F     | xu[f32>f32]   | _04:39bd    | 70- | ftz@80=FTZ to@75:77=%float_type from@84:86=%float_type round@78:79=%round | >R@16, S:v
F2F     | xu[f32>f32]   | _10:39bd    | 70- | ftz@80=FTZ to@75:77=%float_type from@84:86=%float_type round@78:79=%round | >R@16*to, S:v*from
F2I     | xu[f32>int]   | _05:39bd    | 70- | ftz@80=FTZ to@72+75:76=U8/S8/U16/S16/U32/-/U64/S64 from@84:86=%float_source round@78:79=%integer_round ntz@77=NTZ | >R@16, S:v
F2I     | xu[f32>int]   | _11:39bd    | 70- | ftz@80=FTZ to@72+75:76=U8/S8/U16/S16/U32/-/U64/S64 from@84:86=%float_source round@78:79=%integer_round ntz@77=NTZ | >R@16*to, S:v*from
I2F     | xu[int>f32]   | _06:39bd    | 70- | to@75:77=%float_source from@74+84:85=U8/S8/U16/S16/U32/-/U64/S64 round@78:79=%round | >R@16, S:w
I2F     | xu[int>f32]   | _12:39bd    | 70- | to@75:77=%float_source from@74+84:85=U8/S8/U16/S16/U32/-/U64/S64 round@78:79=%round | >R@16*to, S:w*from
FRND    | xu[f32>f32]   | _07:39bd    | 70- | ftz@80=FTZ from@84:86=%float_source round@78:79=%integer_round | >R@16, S:v
FRND    | xu[f32>f32]   | _13:39bd    | 70- | ftz@80=FTZ from@84:86=%float_source round@78:79=%integer_round | >R@16*2, S:v*2
F2FP    | half[f32>f16] | _3e:28ac    | 80-86 | satfinite@77=SATFINITE relu@75=RELU format@76=-/BF16 pack@78=PACK_AB/MERGE_C round@79:80=-/-/-/RZ | >R@16, A:g?78=0, S:g, C?78=1
F2FP    | half[f32>f16] | _3e:28ac?89:90=2 | 89- | satfinite@77=SATFINITE relu@75=RELU to@76=E5M2/E4M3 from@73=F32/F16 pack@78=UNPACK_B_MERGE_C/PACK_AB_MERGE_C round@79:80=-/-/-/RZ | >R@16, A:g?78=1, S:g, C
F2FP    | half[f32>f16] | _3e:28ac?89:90=1 | 89- | satfinite@77=SATFINITE relu@75=RELU to@76+86=F16/BF16/INVALID2/TF32 from@73:74=F32/INVALID1/E5M2/E4M3 pack@78=UNPACK_B/PACK_B round@79:80=-/-/-/RZ | >R@16, S:g~88=H1
F2FP    | half[f32>f16] | _3e:28ac    | 89- | satfinite@77=SATFINITE relu@75=RELU to@76=F16/BF16 from=F32 pack@78=PACK_AB/MERGE_C round@79:80=-/-/-/RZ | >R@16, A:g?78=0, S:g, C?78=1
I2FP    | half[int>f32] | _45:28ac    | 86- | to@75:77=INVALID0/INVALID1/F32 from@74+84:85=INVALID0/INVALID1/INVALID2/INVALID3/U32/S32 round@78:79=%round | >R@16, S
F2IP    | half[f32>int] | _43:28ac    | 75- | to@72=U8/S8 from=F32 round@78:79=%integer_round ntz@74=NTZ | >R@16, A:f, S:f, R@64
)";

}  // namespace burin::read::isa
