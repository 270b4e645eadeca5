// In which key is a piece of music? For each moment, the strengths of its tones are summed over
// the octaves into twelve classes (C, C sharp, ...), which are compared with the profiles of the
// twelve major and twelve minor keys. A thread has a moment; the strengths of one tone at all
// moments lie side by side. Tunings differ, so a table says which class a tone belongs to.

constexpr int kClasses = 12, kThreads = 256;

__constant__ float major[kClasses] = {6.35f, 2.23f, 3.48f, 2.33f, 4.38f, 4.09f,
                                      2.52f, 5.19f, 2.39f, 3.66f, 2.29f, 2.88f};
__constant__ float minor[kClasses] = {6.33f, 2.68f, 3.52f, 5.38f, 2.60f, 3.53f,
                                      2.54f, 4.75f, 3.98f, 2.69f, 3.34f, 3.17f};

// The keys from 0 to 11 are major, those from 12 to 23 minor.
__global__ void __launch_bounds__(kThreads)
    key_profiles(const unsigned char* __restrict__ strengths, const int* __restrict__ classes,
                 int* __restrict__ keys, float* __restrict__ fits, int moments, int tones) {
  __shared__ int chroma[kThreads][kClasses];
  int moment = blockIdx.x * kThreads + threadIdx.x;
  if (moment >= moments) return;
  int* own = chroma[threadIdx.x];
  for (int k = 0; k < kClasses; ++k) own[k] = 0;
  for (int tone = 0; tone < tones; ++tone) {
    own[classes[tone]] += strengths[tone * moments + moment];
  }

  int key = 0;
  float best = 0.0f;
  for (int tonic = 0; tonic < kClasses; ++tonic) {
    float bright = 0.0f, dark = 0.0f;
    int place = tonic;
    for (int k = 0; k < kClasses; ++k) {
      bright += major[k] * own[place];
      dark += minor[k] * own[place];
      if (++place == kClasses) place = 0;
    }
    if (bright > best) key = tonic;
    best = fmaxf(best, bright);
    if (dark > best) key = kClasses + tonic;
    best = fmaxf(best, dark);
  }
  keys[moment] = key;
  fits[moment] = best;
}
