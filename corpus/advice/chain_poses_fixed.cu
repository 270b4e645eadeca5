// Where the hands of many animated figures are: rotations go from joint to joint along a chain of
// bones, as quaternions, and each bone is turned by the rotation that has come together. A thread
// has a figure; its local rotations are given as half angles about axes that the skeleton fixes.

struct Quaternion {
  float w, x, y, z;
};

struct Bone {
  float4 axis;    // of length 1
  float4 offset;  // to the next joint
};

__device__ __forceinline__ Quaternion multiply(Quaternion a, Quaternion b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

__device__ __forceinline__ float3 rotate(Quaternion q, float3 v) {
  float3 t = {2.0f * (q.y * v.z - q.z * v.y), 2.0f * (q.z * v.x - q.x * v.z),
              2.0f * (q.x * v.y - q.y * v.x)};
  return {v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
          v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

// Angles lie joint by joint.
__global__ void chain_poses(const float* __restrict__ angles, const Bone* __restrict__ bones,
                            float4* __restrict__ hands, int figures, int joints) {
  extern __shared__ Bone skeleton[];
  for (int k = threadIdx.x; k < joints; k += blockDim.x) skeleton[k] = bones[k];
  __syncthreads();
  int figure = blockIdx.x * blockDim.x + threadIdx.x;
  if (figure >= figures) return;

  Quaternion turn = {1, 0, 0, 0};
  float3 hand = {0, 0, 0};
  for (int joint = 0; joint < joints; ++joint) {
    float half = angles[static_cast<size_t>(joint) * figures + figure];
    float sine = __sinf(half), cosine = __cosf(half);
    Bone bone = skeleton[joint];
    Quaternion local = {cosine, sine * bone.axis.x, sine * bone.axis.y, sine * bone.axis.z};
    turn = multiply(turn, local);
    float3 along = rotate(turn, {bone.offset.x, bone.offset.y, bone.offset.z});
    hand.x += along.x, hand.y += along.y, hand.z += along.z;
  }
  hands[figure] = {hand.x, hand.y, hand.z, turn.w};
}
