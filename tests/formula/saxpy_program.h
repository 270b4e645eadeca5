// A small rational program for tests, as its file prints it (but for the checksum).
#pragma once

namespace burin::formula {

inline constexpr char kSaxpyProgram[] = R"(burin-rp 1
kernel _Z5saxpyifPKfPf
parameters 0:4 4:4 8:8 16:8
code -
registers 12
shared 0
max_threads 1024
required_block 0 0 0
proof proved every id is ctaid * ntid + tid
size n = arg0_i32
axis bytes = 8 * n
grid_x = ceildiv(n, bx)
grid_y = 1
grid_z = 1
shared_bytes = smem
constraint bx <= max(n, 32)
shape 32 1 1
shape 128 1 1
shape 256 1 1
per_shape slope 2.5 2 1.5
input sm_count
let start = 2
let waves = grid_x / sm_count
time_us = start + slope * waves
device "NVIDIA H200" cc 9.0 sm_count 132
  validated measured 2026-11-17
  domain n 1024 1000000
  outside program
  if n <= 4096
    use 2 1
  else
    if bytes <= 800000
      use 0
    else
      use 1 0
end -
)";

}  // namespace burin::formula
