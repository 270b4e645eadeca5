// Imputation of genotypes after Li and Stephens: a person's chromosome is a mosaic of pieces that
// were copied, with errors, from the haplotypes of a reference panel. A block has a person and goes
// from site to site; a thread keeps how likely it is that its haplotype is copied there.

constexpr int kHaplotypes = 256, kWarps = kHaplotypes / 32;

struct Model {
  float leave;  // chance of another haplotype at the next site
  float error;  // chance that an allele was copied wrongly
};

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__device__ __forceinline__ float block_sum(float value, float* parts) {
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) total += parts[warp];
  return total;
}

__global__ void __launch_bounds__(kHaplotypes)
    copy_haplotypes(const unsigned char* panel, const unsigned char* people,
                    float* copied, float* likelihoods, int sites, Model model) {
  __shared__ float parts[2][kWarps];  // of even and odd sites
  int haplotype = threadIdx.x, person = blockIdx.x;
  float fresh = model.leave / kHaplotypes, likely = 1.0f / kHaplotypes, sum = 0.0f;

  for (int site = 0; site < sites; ++site) {
    float total = block_sum(likely, parts[site % 2]);
    unsigned allele = panel[site * kHaplotypes + haplotype];
    unsigned seen = people[person * sites + site];
    bool same = ((allele ^ seen) & 1) == 0;
    float emitted = same ? 1.0f - model.error : model.error;
    likely = (__fdividef((1.0f - model.leave) * likely, total) + fresh) * emitted;
    sum += __logf(total);
  }
  copied[person * kHaplotypes + haplotype] = likely;
  if (haplotype == 0) likelihoods[person] = sum;
}
