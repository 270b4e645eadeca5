// Fed-batch fermentations, many strains at once: cells grow on sugar, which too much of slows down
// (Haldane), make a product, and are thinned by the feed. Each thread follows one strain through
// the hours of a batch by the midpoint rule; kept are the best yield and the sugar that is left.

struct Feed {
  float rate;   // per hour
  float sugar;  // g/l
  float step;   // hours
};

struct Strain {
  float fastest, upkeep, product;  // per hour
};

struct Broth {
  float cells, sugar, product;  // g/l
};

__device__ __forceinline__ float growth(const Strain& strain, float sugar) {
  return strain.fastest * sugar / (1.4 + sugar * (1.0f + 0.02f * sugar));
}

__device__ __forceinline__ Broth change(const Broth& broth, const Strain& strain,
                                        const Feed& feed) {
  float speed = growth(strain, broth.sugar);
  float eaten = (2.1f * speed + strain.upkeep) * broth.cells;
  return {(speed - feed.rate - 0.01f) * broth.cells,
          feed.rate * (feed.sugar - broth.sugar) - eaten,
          (0.3f * speed + strain.product) * broth.cells - feed.rate * broth.product};
}

__device__ __forceinline__ Broth after(const Broth& broth, const Broth& change, float time) {
  return {fmaxf(broth.cells + time * change.cells, 0.0f),
          fmaxf(broth.sugar + time * change.sugar, 0.0f),
          fmaxf(broth.product + time * change.product, 0.0f)};
}

__global__ void __launch_bounds__(256)
    grow_cultures(const float* __restrict__ traits, float* __restrict__ yields,
                  float* __restrict__ leftovers, int strains, int steps, Feed feed) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= strains) return;
  Strain strain = {0.25f + 0.3f * traits[thread], 0.01f + 0.02f * traits[strains + thread],
                   0.02f + 0.05f * traits[2 * strains + thread]};
  Broth broth = {0.5f, 12.0f, 0.0f};
  float best = 0;
  for (int step = 0; step < steps; ++step) {
    Broth middle = after(broth, change(broth, strain, feed), 0.5f * feed.step);
    broth = after(broth, change(middle, strain, feed), feed.step);
    best = fmaxf(best, broth.product * (1.0f - 0.02f * step * feed.step));
  }
  yields[thread] = best;
  leftovers[thread] = broth.sugar;
}
