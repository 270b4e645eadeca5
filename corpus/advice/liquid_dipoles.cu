// The electrostatic energy of each molecule of a polar liquid with those within a cutoff: every
// molecule is a point dipole in a periodic box, and the medium beyond the cutoff answers with a
// reaction field. Many boxes are done at once, two blocks for each.

constexpr int kTile = 256;

struct Liquid {
  float side;      // of the box
  float cutoff;    // less than half of it
  float reaction;  // strength of the reaction field
};

__device__ __forceinline__ float nearest_image(float distance, const Liquid& liquid) {
  return distance - liquid.side * rintf(distance / liquid.side);
}

__global__ void __launch_bounds__(kTile)
    liquid_dipoles(const float4* __restrict__ places, const float4* __restrict__ dipoles,
                   float* __restrict__ energies, int count, Liquid liquid) {
  __shared__ float4 others[kTile], moments[kTile];
  int first = blockIdx.y * count, mine = blockIdx.x * kTile + threadIdx.x;
  float4 own = places[first + mine], moment = dipoles[first + mine];
  float reach = liquid.cutoff * liquid.cutoff;

  float energy = 0.0f;
  for (int start = 0; start < count; start += kTile) {
    others[threadIdx.x] = places[first + start + threadIdx.x];
    moments[threadIdx.x] = dipoles[first + start + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      float4 other = others[k], turned = moments[k];
      float x = nearest_image(liquid.side * (own.x - other.x), liquid);
      float y = nearest_image(liquid.side * (own.y - other.y), liquid);
      float z = nearest_image(liquid.side * (own.z - other.z), liquid);
      float square = x * x + y * y + z * z;
      float inverse = rsqrtf(square + 0.25f);
      float cube = inverse * inverse * inverse;
      float along = (moment.x * x + moment.y * y + moment.z * z) * inverse;
      float across = (turned.x * x + turned.y * y + turned.z * z) * inverse;
      float both = moment.x * turned.x + moment.y * turned.y + moment.z * turned.z;
      float pair = cube * (both - 3.0f * along * across) - liquid.reaction * both;
      energy += square < reach && start + k != mine ? pair : 0.0f;
    }
    __syncthreads();
  }
  energies[first + mine] = 0.5f * energy;
}
