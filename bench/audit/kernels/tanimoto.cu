// molecular fingerprints: 32 molecules per block, hard-coded; tanimoto against a query
extern "C" __global__ void tanimoto(const unsigned* __restrict__ fp, const unsigned* __restrict__ query,
                                    float* __restrict__ score, int nmol, int words) {
  int mol = blockIdx.x * 32 + threadIdx.x;
  if (mol >= nmol) return;
  int both = 0, any = 0;
  for (int w = 0; w < words; w++) {
    unsigned a = fp[mol * words + w];
    unsigned b = query[w];
    both += __popc(a & b);
    any += __popc(a | b);
  }
  score[mol] = any ? (float)both / (float)any : 0.f;
}
