#!/usr/bin/env python3
"""Writes tests/formula/occupancy.csv: blocks per SM as cuda_occupancy.h of the CUDA toolkit counts
them, for blocks of a grid of threads, registers and shared memory on four GPUs.

  scripts/occupancy_table.py            (needs g++ and /usr/local/cuda/include/cuda_occupancy.h)
"""
import argparse
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

PROGRAM = r"""
#include <climits>
#include <initializer_list>
#include <cstdio>
#include <cuda_occupancy.h>

struct Gpu { const char* name; int major, minor, sms, warps; int shared, optin; };

int main() {
  const Gpu gpus[] = {{"a100", 8, 0, 108, 64, 167936, 166912},
                      {"rtx3090", 8, 6, 82, 48, 102400, 101376},
                      {"rtx4090", 8, 9, 128, 48, 102400, 101376},
                      {"h200", 9, 0, 132, 64, 233472, 232448}};
  std::puts("machine,threads,registers,shared,blocks");
  for (const Gpu& gpu : gpus) {
    cudaOccDeviceProp p;
    p.computeMajor = gpu.major;
    p.computeMinor = gpu.minor;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsPerMultiprocessor = gpu.warps * 32;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.sharedMemPerBlock = 48 * 1024;
    p.sharedMemPerMultiprocessor = gpu.shared;
    p.numSms = gpu.sms;
    p.sharedMemPerBlockOptin = gpu.optin;
    p.reservedSharedMemPerBlock = 1024;
    for (int threads : {1, 32, 33, 96, 128, 192, 256, 320, 512, 608, 1024}) {
      for (int registers : {0, 10, 16, 32, 33, 40, 64, 72, 127, 128, 168, 255}) {
        for (int shared : {0, 1, 1024, 5000, 16384, 49152, 99000, 101376, 166912, 232448}) {
          cudaOccFuncAttributes a;
          a.maxThreadsPerBlock = INT_MAX;
          a.numRegs = registers;
          a.sharedSizeBytes = 0;
          a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
          a.maxDynamicSharedSizeBytes = shared;
          a.numBlockBarriers = 1;
          cudaOccResult result{};
          cudaOccDeviceState state;
          if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &a, &state, threads, shared) !=
              CUDA_OCC_SUCCESS) return 1;
          std::printf("%s,%d,%d,%d,%d\n", gpu.name, threads, registers, shared,
                      result.activeBlocksPerMultiprocessor);
        }
      }
    }
  }
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", default="/usr/local/cuda/include")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        binary = folder + "/table"
        subprocess.run(["g++", "-std=c++17", "-I", options.include, "-x", "c++", "-", "-o", binary],
                       input=PROGRAM, text=True, check=True)
        table = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    (ROOT / "tests/formula/occupancy.csv").write_text(table)


if __name__ == "__main__":
    main()
