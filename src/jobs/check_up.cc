#include "jobs/check_up.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/child.h"
#include "base/format.h"
#include "base/text.h"
#include "gpu/cuda.h"
#include "gpu/library.h"
#include "gpu/opencl/opencl.h"
#include "gpu/opencl/platforms.h"
#include "toolchain/tools.h"

namespace burin::jobs {
namespace {

using State = Check::State;

constexpr double kProgramSeconds = 10;
constexpr double kLibrarySeconds = 20;  // a driver may load firmware at its first use

// The first "12.3" or "12.3.4" after `mark`, "" where there is none.
std::string version_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + mark.size());
  for (std::size_t start = 0; start < text.size(); ++start) {
    if (text[start] < '0' || text[start] > '9') continue;
    const std::string_view number =
        text.substr(start, text.find_first_not_of("0123456789.", start) - start);
    if (number.find('.') != std::string_view::npos) {
      return std::string(number.substr(0, number.find_last_not_of('.') + 1));
    }
    start += number.size() - 1;
  }
  return "";
}

std::vector<std::string> inside(const std::vector<std::string>& roots, const std::string& folder) {
  std::vector<std::string> result;
  for (const std::string& root : roots) result.push_back(root + "/" + folder);
  return result;
}

struct Program {
  const char* title;
  std::vector<const char*> names;  // the first one found counts
  const char* version_mark;        // its version stands after this
  const char* needed_for;
  const char* remedy;
};

Check check_program(const Program& program, const std::vector<std::string>& folders) {
  Check check{program.title, State::kMissing, "", "", program.needed_for, program.remedy};
  for (const char* name : program.names) {
    check.detail = find_program(name, folders);
    if (check.detail.empty()) continue;
    const Answer answer = run_program(check.detail, {"--version"}, kProgramSeconds);
    check.version = version_after(answer.text, program.version_mark);
    check.state = answer.ok() ? State::kOk : State::kRefused;
    if (!answer.ok()) check.detail += " --version failed";
    break;
  }
  return check;
}

Check check_toolkit(const std::vector<std::string>& roots) {
  Check check{"CUDA toolkit",
              State::kMissing,
              "",
              "",
              "compiling kernels in advise, tune and calibrate",
              "install it from https://developer.nvidia.com/cuda-downloads, or set CUDA_HOME"};
  for (const std::string& root : roots) {
    if (::access((root + "/bin/nvcc").c_str(), X_OK) != 0) continue;
    std::ifstream file(root + "/version.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    check.version = version_after(text, "\"cuda\"");
    if (check.version.empty()) {
      check.version = version_after(
          run_program(root + "/bin/nvcc", {"--version"}, kProgramSeconds).text, "release");
    }
    check.detail = root;
    check.state = State::kOk;
    break;
  }
  return check;
}

// A child's report: the version, then where the library is (or what it said), one line each.
void read_report(const Answer& answer, Check& check) {
  if (answer.end == Answer::End::kTimedOut) {
    check.state = State::kRefused;
    check.detail = "timed out";
  } else if (!answer.ok()) {
    check.state = State::kRefused;
    check.detail = "crashed when loaded";
  } else if (!answer.text.empty()) {
    const auto lines = split(answer.text, '\n');
    check.state = lines[0] == "ok" ? State::kOk : State::kRefused;
    if (lines.size() > 1) check.version = lines[1];
    if (lines.size() > 2) check.detail = lines[2];
  }
}

std::string ask_driver() {
  const gpu::Library cuda = gpu::Library::open(gpu::cuda_names());
  if (!cuda) return "";
  const auto get_version = cuda.symbol<int(int*)>("cuDriverGetVersion");
  const auto init = cuda.symbol<int(unsigned)>("cuInit");
  const auto get_count = cuda.symbol<int(int*)>("cuDeviceGetCount");
  const auto get_name = cuda.symbol<int(char*, int, int)>("cuDeviceGetName");
  const auto get_error = cuda.symbol<int(int, const char**)>("cuGetErrorString");
  if (!get_version || !init || !get_count || !get_name || !get_error) {
    return "refused\n\nlibcuda.so.1 is not NVIDIA's driver library";
  }
  int version = 0;
  get_version(&version);
  if (const int status = init(0); status != 0) {
    const char* said = nullptr;
    get_error(status, &said);
    return "refused\n" + gpu::dotted_version(version) + "\n" +
           (said != nullptr ? said : "it does not start");
  }
  int count = 0;
  get_count(&count);
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    char name[256] = "";
    get_name(name, sizeof name, device);
    names.emplace_back(name);
  }
  return "ok\n" + gpu::dotted_version(version) + "\n" + count_of(names.size(), "GPU") + ": " +
         list_of(names, 8);
}

Check check_driver() {
  Check check{"driver",
              State::kMissing,
              "",
              "",
              "record, calibrate and tune on a GPU",
              "install NVIDIA's driver (Debian: apt install nvidia-driver); in a container, use "
              "--gpus all; other commands work without it"};
  read_report(ask(ask_driver, kLibrarySeconds), check);
  return check;
}

Check check_nvrtc() {
  Check check{"NVRTC",
              State::kMissing,
              "",
              "",
              "compiling kernels without nvcc in tune",
              "install the CUDA toolkit's cuda-nvrtc package, or set CUDA_HOME"};
  // The one that tune uses.
  read_report(ask(
                  []() -> std::string {
                    const Result<std::string> path = toolchain::find_nvrtc();
                    if (!path) return "";
                    const gpu::Library library = gpu::Library::open({*path});
                    if (!library) return "refused\n\n" + *path + " cannot be loaded";
                    const auto get = library.symbol<int(int*, int*)>("nvrtcVersion");
                    int major = 0;
                    int minor = 0;
                    if (get == nullptr || get(&major, &minor) != 0) return "refused";
                    return "ok\n" + std::to_string(major) + "." + std::to_string(minor) + "\n" +
                           library.path_of("nvrtcVersion");
                  },
                  kLibrarySeconds),
              check);
  return check;
}

Check check_cupti(const std::vector<std::string>& roots) {
  Check check{"CUPTI",
              State::kMissing,
              "",
              "",
              "times and PC samples in record",
              "install the CUDA toolkit's cuda-cupti package, or set CUDA_HOME"};
  const auto names = gpu::cupti_names(gpu::toolkit_library_folders(roots));
  read_report(ask(
                  [&]() -> std::string {
                    const gpu::Library library = gpu::Library::open(names);
                    if (!library) return "";
                    const auto get = library.symbol<int(std::uint32_t*)>("cuptiGetVersion");
                    std::uint32_t version = 0;
                    if (get == nullptr || get(&version) != 0) return "refused";
                    return "ok\n" + std::to_string(version) + "\n" +
                           library.path_of("cuptiGetVersion");
                  },
                  kLibrarySeconds),
              check);
  return check;
}

// Since 2019 the driver lets only administrators read performance counters unless told otherwise.
Check check_counters() {
  Check check{"counters",
              State::kMissing,
              "",
              "no NVIDIA kernel module",
              "PC samples and counters in record",
              "set options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d and "
              "reboot, or run record as root"};
  std::ifstream file("/proc/driver/nvidia/params");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("RmProfilingAdminOnly:")) continue;
    const bool restricted = line.find('1') != std::string::npos;
    const bool root = ::geteuid() == 0;
    check.state = restricted && !root ? State::kRefused : State::kOk;
    check.detail = !restricted ? "open to all users" : root ? "root only" : "root only";
  }
  if (check.state == State::kMissing) check.remedy = "install NVIDIA's driver first";
  return check;
}

// "opencl:0 NVIDIA H200 (NVIDIA CUDA), opencl:1 cpu-haswell (Portable Computing Language)"
std::string ask_opencl() {
  if (!gpu::Library::open(gpu::opencl_names())) return "";
  const Result<std::vector<gpu::OpenclDeviceInfo>> devices = gpu::list_opencl_devices();
  if (!devices) return "refused\n\n" + devices.error().message;
  if (devices->empty()) return "refused\n\nthe loader finds no device";
  std::vector<std::string> names;
  for (const gpu::OpenclDeviceInfo& device : *devices) {
    names.push_back(fmt::format("opencl:{} {} ({})", names.size(), device.name, device.platform));
  }
  return fmt::format("ok\n{}\n{}", version_after(devices->front().version, "OpenCL"),
                     list_of(names, 8));
}

Check check_opencl() {
  Check check{
      "OpenCL",
      State::kMissing,
      "",
      "",
      "tune on other vendors' devices and on the CPU",
      "apt install ocl-icd-libopencl1, and a driver: pocl-opencl-icd for the CPU; that of a "
      "GPU comes from its vendor"};
  read_report(ask(ask_opencl, kLibrarySeconds), check);
  return check;
}

}  // namespace

std::vector<Check> check_up() {
  const std::vector<std::string> roots = toolchain::toolkit_roots();
  const std::vector<std::string> bin = inside(roots, "bin");
  const char* const toolkit =
      "part of the CUDA toolkit; set CUDA_HOME if it is installed elsewhere";
  std::vector<Check> checks;
  checks.push_back(check_program(
      {"g++", {"g++"}, " ", "building burin, host code in tune", "apt install g++"}, {}));
  checks.push_back(check_program({"clang++",
                                  {"clang++", "clang++-19"},
                                  "version",
                                  "fuzzing and sanitizers, for burin developers",
                                  "apt install clang"},
                                 {}));
  checks.push_back(check_toolkit(roots));
  checks.push_back(
      check_program({"nvcc", {"nvcc"}, "release", "compiling .cu files", toolkit}, bin));
  checks.push_back(check_program({"ptxas", {"ptxas"}, "release", "compiling PTX", toolkit}, bin));
  checks.push_back(check_nvrtc());
  checks.push_back(check_driver());
  checks.push_back(check_cupti(roots));
  checks.push_back(check_counters());
  checks.push_back(check_opencl());
  checks.push_back(check_program({"MPI",
                                  {"mpirun"},
                                  ")",
                                  "tune over several nodes or GPUs",
                                  "apt install openmpi-bin libopenmpi-dev"},
                                 {}));
  checks.push_back(check_program(
      {"nvdisasm", {"nvdisasm"}, "release", "checking burin's decoder (optional)", toolkit}, bin));
  checks.push_back(check_program(
      {"ncu", {"ncu"}, "Version", "importing its reports (optional)", "install Nsight Compute"},
      bin));
  return checks;
}

}  // namespace burin::jobs
