// First arrivals of an earthquake at an array of seismometers: a trace is followed until its
// short-term average of energy exceeds the long-term average by a factor. One thread per trace;
// the samples of all traces at one time are next to each other.

struct Picker {
  float quick, slow;  // weights of a new sample in the two averages
  float ratio;
  int settle;  // samples before the first possible pick
};

__global__ void __launch_bounds__(256)
    pick_arrivals(const float* __restrict__ samples, int* __restrict__ arrivals,
                  float* __restrict__ strengths, int traces, int length, Picker picker) {
  int trace = blockIdx.x * blockDim.x + threadIdx.x;
  if (trace >= traces) return;
  const float* sample = samples + trace;
  float brief = 0.333f, lasting = 0.333f;
  int time = 0;
  while (time < length) {
    float value = *sample;
    float energy = value * value;
    brief += picker.quick * (energy - brief);
    lasting += picker.slow * (energy - lasting);
    if (time >= picker.settle && brief > picker.ratio * lasting) break;
    sample += traces;
    ++time;
  }
  arrivals[trace] = time < length ? time : -1;
  strengths[trace] = __fdividef(brief, lasting);
}
