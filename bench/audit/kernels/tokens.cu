// finite-state tokeniser: each thread scans its own line of text; counts words, numbers, and a checksum
extern "C" __global__ void tokens(const unsigned char* text, int* words, int* numbers, unsigned* sums, int lines, int len) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  int state = 0, w = 0, d = 0;
  unsigned sum = 0, cur = 0;
  for (int k = 0; k < len; k++) {
    unsigned char c = text[k * lines + i];
    if (c < 96) {
      if (state == 1) { w++; sum = sum * 31u + cur; }
      if (state == 2) { d++; sum ^= cur; }
      state = 0; cur = 0;
    } else if (c < 200) {
      if (state != 1) { state = 1; cur = 0; }
      cur = cur * 33u + c;
    } else {
      if (state == 0) state = 2;
      cur = cur * 10u + (c - 200);
    }
  }
  words[i] = w; numbers[i] = d; sums[i] = sum;
}
