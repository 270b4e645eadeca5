// Textures and surfaces.
__global__ void sample(cudaTextureObject_t image, cudaTextureObject_t volume,
                       cudaSurfaceObject_t out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  float4 v = tex2D<float4>(image, x + 0.5f, y + 0.5f);
  v.x += tex2DLod<float>(image, x, y, 2.0f);
  v.y += tex3D<float>(volume, x, y, v.z);
  float4 g = tex2Dgather<float4>(image, x, y, 1);
  v.w = g.x + g.y + g.z + g.w + tex1Dfetch<float>(volume, x * width + y);
  surf2Dwrite(v, out, x * sizeof(float4), y);
}
