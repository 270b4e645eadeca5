// One pass of Floyd's and Warshall's shortest paths: are the ways through `pass` shorter?
__kernel void floyd_warshall_pass(__global uint* distance, __global uint* path, const uint nodes,
                                  const uint pass) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x >= (int)nodes || y >= (int)nodes) return;
  uint old = distance[y * nodes + x];
  uint through = distance[y * nodes + pass] + distance[pass * nodes + x];
  if (through < old) {
    distance[y * nodes + x] = through;
    path[y * nodes + x] = pass;
  }
}
