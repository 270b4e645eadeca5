// Pictures of hair: each pixel has a linked list of the transparent fragments that cover it, from
// front to back, whose end is a place outside the pool. A fragment is lit by all lamps, and the
// colours of the first layers are laid over each other.

struct Fragment {
  unsigned normal;  // two coordinates of 10 bits, in the octahedral map
  unsigned colour;  // red, green and blue of 6 bits each
  unsigned cover;   // opacity, 20 bits
  unsigned next;    // the fragment behind it
};

struct Screen {
  int width, height, lamps, layers;
  unsigned fragments;
};

__device__ inline Fragment fetch(const uint4* __restrict__ pool, unsigned place) {
  uint4 words = pool[place];
  return Fragment{words.x, words.y, words.z, words.w};
}

__device__ inline float3 unpack_normal(unsigned word) {
  float x = (word & 1023u) * (2.0f / 1023.0f) - 1.0f;
  float y = (word >> 10 & 1023u) * (2.0f / 1023.0f) - 1.0f;
  float z = 1.0f - fabsf(x) - fabsf(y);
  float scale = rsqrtf(x * x + y * y + z * z);
  return make_float3(x * scale, y * scale, z * scale);
}

__global__ void shade_fragments(const uint4* __restrict__ pool, const unsigned* __restrict__ heads,
                                const float4* __restrict__ lamps, float4* __restrict__ picture,
                                Screen screen) {
  __shared__ float4 directions[64];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (thread < screen.lamps) directions[thread] = lamps[thread];
  __syncthreads();

  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= screen.width || y >= screen.height) return;
  int pixel = y * screen.width + x;
  unsigned place = heads[pixel];
  float3 colour = make_float3(0.0f, 0.0f, 0.0f);
  float through = 1.0f;

  for (int k = 0; k < screen.layers && place < screen.fragments; ++k) {
    Fragment fragment = fetch(pool, place);
    float3 normal = unpack_normal(fragment.normal);
    float light = 0.1f;
    for (int l = 0; l < screen.lamps; ++l) {
      float4 lamp = directions[l];
      float cosine = normal.x * lamp.x + normal.y * lamp.y + normal.z * lamp.z;
      light += lamp.w * fmaxf(cosine, 0.0f);
    }
    float alpha = fragment.cover * (0.125f / 1048576.0f);
    float amount = light * alpha * through;
    colour.x += amount * (fragment.colour & 63u);
    colour.y += amount * (fragment.colour >> 6 & 63u);
    colour.z += amount * (fragment.colour >> 12 & 63u);
    through *= 1.0f - alpha;
    place = fragment.next;
  }
  picture[pixel] = make_float4(colour.x, colour.y, colour.z, through);
}
