// Room for the code of frame.py: one kernel with its parameters and enough registers and instructions.
struct Constants {
  unsigned word[64];
};
#define FOUR(X) X X X X
#define STEP                                                                      \
  asm volatile("{ .reg .u32 t; ld.volatile.global.u32 t, [%0]; st.volatile.global.u32 [%0+4], t; }" ::"l"(out));
extern "C" __global__ void frame(const unsigned* in, unsigned* out, Constants constants) {
  unsigned r[96];
  for (int i = 0; i < 96; ++i) r[i] = in[i + threadIdx.x];
  __syncthreads();
  FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(STEP STEP))))))
  for (int i = 0; i < 96; ++i) out[i + threadIdx.x] = r[95 - i] + constants.word[i & 63];
}
