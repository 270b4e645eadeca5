// Statistics of the sea from the records of wave buoys: a wave goes from one upward crossing of
// the mean level to the next, and its height from its trough to its crest. A thread has a record;
// the samples of all records at one time lie side by side.

struct Sea {
  int waves;
  float sum;      // of the heights
  float squares;  // of the heights
  float greatest;
};

// The wave that is under way.
struct Wave {
  float crest, trough, before;
};

__device__ __forceinline__ void follow(Sea& sea, Wave& wave, float level) {
  bool crossed = wave.before < 0.0f && level >= 0.0f;
  float height = crossed ? wave.crest - wave.trough : 0.0f;
  sea.waves += crossed;
  sea.sum += height;
  sea.squares += height * height;
  sea.greatest = fmaxf(sea.greatest, height);
  wave.crest = fmaxf(crossed ? 0.0f : wave.crest, level);
  wave.trough = fminf(crossed ? 0.0f : wave.trough, level);
  wave.before = level;
}

__global__ void __launch_bounds__(256)
    wave_heights(const float* __restrict__ levels, int* __restrict__ waves,
                 float* __restrict__ means, float* __restrict__ deviations,
                 float* __restrict__ greatest, int records, int samples, float mean) {
  int record = blockIdx.x * blockDim.x + threadIdx.x;
  if (record >= records) return;
  const float* first = levels + record;
  const float* last = first + static_cast<size_t>(samples) * records;

  Sea sea = {};
  Wave wave = {};
  for (const float* sample = first; sample != last; sample += records) {
    follow(sea, wave, *sample - mean);
  }

  float share = __fdividef(1.0f, fmaxf(sea.waves, 1.0f)), height = sea.sum * share;
  waves[record] = sea.waves;
  means[record] = height;
  deviations[record] = __fsqrt_rn(fmaxf(sea.squares * share - height * height, 0.0f));
  greatest[record] = sea.greatest;
}
