// Binary search in sorted keys.

// One level of the search of one key: every work-item looks at one segment of the keys, and the one
// whose segment could hold the key says so. `found` is zero at the beginning.
__kernel void find_segment(__global const uint* keys, __global uint4* found, uint key,
                           uint segment) {
  size_t first = get_global_id(0) * segment;
  size_t last = first + segment - 1;
  if (keys[first] <= key && key <= keys[last]) found[0] = (uint4)(first, last, 1, 0);
}

// The positions of many keys, or -1.
__kernel void find_keys(__global const uint* keys, __global const uint* wanted,
                        __global int* positions, int keys_n, int wanted_n) {
  int i = get_global_id(0);
  if (i >= wanted_n) return;
  int low = 0;
  int high = keys_n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (keys[middle] == wanted[i]) {
      positions[i] = middle;
      return;
    }
    if (keys[middle] < wanted[i]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  positions[i] = -1;
}
