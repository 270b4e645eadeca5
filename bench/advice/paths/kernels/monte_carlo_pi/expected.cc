namespace {
inline unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}
}  // namespace

extern "C" void expected(void** arguments) {
  unsigned* inside = *(unsigned**)arguments[0];
  const unsigned n = *(unsigned*)arguments[1], seed = *(unsigned*)arguments[2];
  unsigned count = 0;
  for (unsigned i = 0; i < n; ++i) {
    const double x = (int)(hash(seed + 2 * i) >> 8) * 0x1p-24,
                 y = (int)(hash(seed + 2 * i + 1) >> 8) * 0x1p-24;
    count += x * x + y * y < 1;
  }
  *inside += count;
}
