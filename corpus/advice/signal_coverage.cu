// How well a phone would hear its best mast at each place of a map: the strength of the best over
// the noise and all others, in decibels. Strength falls with the logarithm of the distance, as the
// planners' models have it, and with how far the mast's antenna turns away.

constexpr int kMost = 128;

struct Mast {
  float x, y;      // kilometres
  float power;     // decibels over a milliwatt
  float heading;   // the cosine's offset: where the antenna looks
};

struct Model {
  float at_one_km, per_decade, noise;  // decibels
  float step;                          // kilometres between places
};

__device__ __forceinline__ float milliwatts(float decibels) { return exp10f(decibels * 0.1f); }

__device__ __forceinline__ float received(const Mast& mast, float x, float y, const Model& model) {
  float dx = x - mast.x, dy = y - mast.y;
  float distance = sqrtf(dx * dx + dy * dy + 0.0004f);
  float turned = (dx * mast.heading + dy) / distance;
  return mast.power - model.at_one_km - model.per_decade * log10f(distance) + 3.0f * turned;
}

__global__ void __launch_bounds__(256)
    signal_coverage(const Mast* __restrict__ masts, float* __restrict__ quality,
                    int* __restrict__ servers, int count, int width, Model model) {
  __shared__ Mast near[kMost];
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = thread; k < count; k += blockDim.x * blockDim.y) near[k] = masts[k];
  __syncthreads();
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float x = column * model.step, y = row * model.step;

  float best = 0, all = milliwatts(model.noise);
  int server = -1;
  for (int k = 0; k < count; ++k) {
    float power = milliwatts(received(near[k], x, y, model));
    all += power;
    if (power > best) {
      best = power;
      server = k;
    }
  }
  quality[row * width + column] = 10.0f * log10f(best / (all - best));
  servers[row * width + column] = server;
}
