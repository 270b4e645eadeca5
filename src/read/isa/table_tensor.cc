// Tensor cores: the warp-wide matrix products. form.h explains the notation.
#include "read/isa/form.h"

namespace burin::read::isa {

const char* const kTensorTable = R"(
HMMA | tensor[f16 matrix] | 236 | 70-75 | shape=884 to@76=F16/F32 from@78=F16/F32 step@79:80=STEP0/STEP1/STEP2/STEP3 | >R@16*2, A*2~73=ROW/COL, B*2~74=ROW/COL, C*2
HMMA | tensor[f16 matrix] | 23c | 70-75 | shape@75+78=1688/16816/1684/16832 to@76=F16/F32 | >R@16*fragC, A:n*fragA, B:n*fragB, C*fragC
HMMA | tensor[f16 matrix] | 23c | 80- | sp@73=SP shape@75+78=1688/16816/1684/16832 to@76=F16/F32 from@82:83=-/BF16/TF32 | >R@16*fragC, A:n*fragA, B:n*fragB, C*fragC, Q@87:inv:opt, R@40:reuse50?73=1, I@48:49?73=1
IMMA | tensor[matrix] | 237 | 75- | sp@72=SP shape@75+85:86=8816/INVALID1/8832/INVALID3/16816/16832/16864/168128 a@76:77+83=U8/S8/INVALID2/INVALID3/U4/S4 b@78:79+84=U8/S8/INVALID2/INVALID3/U4/S4 sat@82=SAT | >R@16*fragC, A*fragA~73=ROW/COL, B*fragB~74=ROW/COL, C*fragC, Q@87:inv:opt, R@40:reuse50?72=1, I@48:49?72=1
QMMA | tensor[f8 matrix] | 27a | 89- | sp@80=SP shape@75:76=16816/16832/16864 to@77=F16/F32 a@78=E4M3/E5M2 b@79=E4M3/E5M2 | >R@16*fragC, A:n*fragA~73=ROW/COL, B:n*fragB~74=ROW/COL, C*fragC, Q@87:inv:opt, R@40:reuse50?80=1, I@48:49?80=1
DMMA | tensor[f64 matrix] | 23f | 80-89 | shape=884 round@78:79=%round | >R@16*fragC, A:n*fragA, B:n*fragB, C:n*fragC
DMMA | tensor[f64 matrix] | 23f | 90- | shape@76:77=8x8x4/16x8x4/16x8x8/16x8x16 round@78:79=%round | >R@16*fragC, A:n*fragA, B:n*fragB, C:n*fragC
BMMA | tensor[matrix] | 23d | 75- | shape@75:76=88128/168128/168256 op@78=XOR/AND popc@80=POPC | >R@16*fragC, A*fragA~73=ROW/COL, B*fragB~74=ROW/COL, C*fragC
)";

}  // namespace burin::read::isa
