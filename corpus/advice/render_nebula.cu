// Picture of a gas nebula, seen along an axis of the simulation's grid: slice by slice from the
// front, the gas adds light of its own, the more the denser it is, and absorbs some of the light
// from behind. Several volumes can be rendered into one picture, one behind the other.

struct Gas {
  float absorption, glow;
  float floor;  // density of the surrounding space
};

class Volume {
 public:
  __device__ Volume(const float* __restrict__ values, int pixels, int pixel)
      : values_(values + pixel), pixels_(pixels) {}
  __device__ float at(int slice) const { return __ldg(values_ + slice * pixels_); }

 private:
  const float* values_;
  int pixels_;
};

// `light` and `clearness` are the picture so far and how much can still be seen through it.
__global__ void __launch_bounds__(256)
    render_nebula(const float* __restrict__ density, float* light, float* clearness, int pixels,
                  int slices, Gas gas) {
  int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  if (pixel >= pixels) return;
  Volume volume(density, pixels, pixel);
  for (int slice = 0; slice < slices; ++slice) {
    float dense = fmaxf(volume.at(slice) - gas.floor, 0.0f);
    float passing = __expf(-gas.absorption * dense);
    light[pixel] += clearness[pixel] * (1.0f - passing) * gas.glow * dense;
    clearness[pixel] *= passing;
  }
}
