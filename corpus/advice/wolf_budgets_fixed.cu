// What wolves with a collar do all day. A record of a collar is a byte: the behaviour (resting,
// walking, hunting, ...) in its low three bits and how much the wolf moved in the others. For each
// wolf, how many records each behaviour has and how much it moved in all of them.

constexpr int behaviours = 8;

struct Moment {
  int behaviour, movement;
};

__device__ __forceinline__ Moment decoded(unsigned char record) {
  return Moment{record & 7, record >> 3};
}

// The records of one time are together, those of all wolves.
__global__ void wolf_budgets(const unsigned char* __restrict__ records, int* __restrict__ times,
                             int* __restrict__ movements, int wolves, int record_count) {
  int wolf = blockIdx.x * blockDim.x + threadIdx.x;
  if (wolf >= wolves) return;

  int time[behaviours] = {}, moved[behaviours] = {};
  for (int k = 0; k < record_count; ++k) {
    Moment moment = decoded(records[k * wolves + wolf]);
#pragma unroll
    for (int b = 0; b < behaviours; ++b) {
      time[b] += moment.behaviour == b ? 1 : 0;
      moved[b] += moment.behaviour == b ? moment.movement : 0;
    }
  }

#pragma unroll
  for (int b = 0; b < behaviours; ++b) {
    times[b * wolves + wolf] = time[b];
    movements[b * wolves + wolf] = moved[b];
  }
}
