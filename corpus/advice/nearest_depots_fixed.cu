// How far each of many vehicles is from the nearest depot, by the positions that they sent, in
// degrees: on a plane that touches the earth at the vehicle, which is good enough within a city.
// The depots are in shared memory. Besides, how many depots are near, each counted by its nearness.

constexpr int kMost = 256;  // depots

struct Position {
  float latitude, longitude;
};

struct Answer {
  float kilometres, nearness;
};

__device__ __forceinline__ Position in_city(Position raw) {
  return {52.4f + 0.2f * raw.latitude, 13.2f + 0.4f * raw.longitude};
}

__device__ __forceinline__ float squared_distance(Position a, Position b, float shrink) {
  float north = (a.latitude - b.latitude) * 111.195f;
  float east = (a.longitude - b.longitude) * 111.195f * shrink;
  return north * north + east * east;
}

__global__ void nearest_depots(const Position* __restrict__ vehicles,
                               const Position* __restrict__ depots, Answer* __restrict__ answers,
                               int count, int depot_count) {
  __shared__ Position known[kMost];
  for (int k = threadIdx.x; k < depot_count; k += blockDim.x) known[k] = in_city(depots[k]);
  __syncthreads();
  int vehicle = blockIdx.x * blockDim.x + threadIdx.x;
  if (vehicle >= count) return;
  Position here = in_city(vehicles[vehicle]);
  float shrink = __cosf(here.latitude * 0.0174533f);

  float least = 1e30f, nearness = 0;
#pragma unroll 4
  for (int k = 0; k < depot_count; ++k) {
    float squared = squared_distance(here, known[k], shrink);
    least = fminf(least, squared);
    nearness += fmaxf(9.0f - squared, 0.0f);
  }
  answers[vehicle] = {sqrtf(least), nearness};
}
