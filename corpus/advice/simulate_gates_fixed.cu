// A reversible circuit, tried with many inputs: its gates (Toffoli's) are compiled in, one
// instruction each, and a word of each wire holds 32 inputs at once. The wires' words lie wire by
// wire; what comes out takes the place of what went in.

constexpr int kWires = 24, kGates = 10240, kUnrolled = 128;
constexpr int kPart = 2048;  // gates that are tried with all inputs before the next

// The netlist, known to the compiler: gate g turns wire target_of(g) where both of its controls
// are on. The three differ.
__device__ __forceinline__ constexpr unsigned mixed(unsigned gate) {
  unsigned word = gate * 2654435761u + 374761393u;
  word = (word ^ word >> 15) * 2246822519u;
  return word ^ word >> 13;
}

__device__ __forceinline__ constexpr int target_of(int gate) {
  return mixed(gate) % kWires;
}

__device__ __forceinline__ constexpr int control_of(int gate, int which) {
  int away = which == 0 ? 1 + mixed(gate) / kWires % 11 : 12 + mixed(gate) / 1024 % 12;
  return (target_of(gate) + away) % kWires;
}

template <int first, int end>
__device__ __forceinline__ void circuit(unsigned (&wires)[kWires]) {
#pragma unroll
  for (int gate = first; gate < first + kUnrolled; ++gate) {
    wires[target_of(gate)] ^= wires[control_of(gate, 0)] & wires[control_of(gate, 1)];
  }
  if constexpr (first + kUnrolled < end) circuit<first + kUnrolled, end>(wires);
}

__device__ __forceinline__ void load(unsigned (&wires)[kWires], const unsigned* words, int inputs) {
#pragma unroll
  for (int wire = 0; wire < kWires; ++wire) wires[wire] = words[wire * inputs];
}

__device__ __forceinline__ void store(const unsigned (&wires)[kWires], unsigned* words,
                                      int inputs) {
#pragma unroll
  for (int wire = 0; wire < kWires; ++wire) words[wire * inputs] = wires[wire];
}

// A part of the gates after the other, for all inputs each: the code of a part is small.
template <int first>
__device__ __forceinline__ void simulate_from(unsigned* __restrict__ words, int inputs) {
  unsigned wires[kWires];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < inputs; i += gridDim.x * blockDim.x) {
    load(wires, words + i, inputs);
    circuit<first, first + kPart>(wires);
    store(wires, words + i, inputs);
  }
  if constexpr (first + kPart < kGates) simulate_from<first + kPart>(words, inputs);
}

__global__ void __launch_bounds__(256) simulate_gates(unsigned* __restrict__ words, int inputs) {
  simulate_from<0>(words, inputs);
}
