// One step of an n-body simulation, all pairs, straight from global memory.

#ifndef UNROLL
#define UNROLL 8
#endif
#define BODY get_global_id(0)

static float4 pull(float4 me, float4 other, float softening) {
  float4 way = other - me;
  way.w = 0.0f;
  float square = way.x * way.x + way.y * way.y + way.z * way.z + softening;
  float inverse = 1.0f / sqrt(square);
  return other.w * inverse * inverse * inverse * way;
}

__kernel void nbody_step(__global const float4* position, __global const float4* velocity, int n,
                         float dt, float softening, __global float4* new_position,
                         __global float4* new_velocity) {
  if ((int)BODY >= n) return;
  float4 me = position[BODY];
  float4 force = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  int i = 0;
  for (; i + UNROLL <= n; i += UNROLL) {
#pragma unroll UNROLL
    for (int j = 0; j < UNROLL; ++j) force += pull(me, position[i + j], softening);
  }
  for (; i < n; ++i) force += pull(me, position[i], softening);
  float mass = me.w;
  float4 moved = me + velocity[BODY] * dt + force * 0.5f * dt * dt;
  moved.w = mass;
  new_position[BODY] = moved;
  new_velocity[BODY] = velocity[BODY] + force * dt;
}
