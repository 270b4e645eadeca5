// One step of the fast Walsh transform, in place: each work-item makes one butterfly.
__kernel void walsh_step(__global float* values, const int step) {
  unsigned int t = get_global_id(0);
  unsigned int group = t % step;
  unsigned int pair = 2 * step * (t / step) + group;
  unsigned int match = pair + step;
  float a = values[pair];
  float b = values[match];
  values[pair] = a + b;
  values[match] = a - b;
}
