// A depth picture taken into a volume of signed distances (as KinectFusion does): a thread goes
// along z at its x and y, looks up what depth the camera saw there, and updates the mean distance
// and its weight, both halves.

#include <cuda_fp16.h>

struct Camera {
  float focal_x, focal_y, centre_x, centre_y;
  int width, height;
};

__global__ void fuse_depth(const float* __restrict__ depths, __half2* __restrict__ volume,
                           Camera camera, int size, int deep, float voxel, float start,
                           float truncation) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x;
  int iy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= size || iy >= size) return;
  float x = voxel * (static_cast<float>(ix) - 0.5f * static_cast<float>(size));
  float y = voxel * (static_cast<float>(iy) - 0.5f * static_cast<float>(size));

  for (int iz = 0; iz < deep; ++iz) {
    float z = start + voxel * static_cast<float>(iz);
    int u = __float2int_rn(__fdividef(camera.focal_x * x, z) + camera.centre_x);
    int v = __float2int_rn(__fdividef(camera.focal_y * y, z) + camera.centre_y);
    bool inside = u >= 0 && u < camera.width && v >= 0 && v < camera.height;
    u = min(max(u, 0), camera.width - 1);
    v = min(max(v, 0), camera.height - 1);
    float depth = depths[v * camera.width + u];
    float distance = depth - z;
    bool taken = z > 0.0f && inside && depth > 0.0f && distance >= -truncation;

    size_t place = (static_cast<size_t>(iz) * size + iy) * size + ix;
    float2 old = __half22float2(volume[place]);
    float seen = fminf(__fdividef(distance, truncation), 1.0f);
    float weight = fminf(old.y + 1.0f, 64.0f);
    float mean = old.x + __fdividef(seen - old.x, weight);
    volume[place] = __floats2half2_rn(taken ? mean : old.x, taken ? weight : old.y);
  }
}
