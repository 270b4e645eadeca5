#include "gpu/opencl/opencl.h"

#include "base/format.h"
#include "gpu/library.h"

namespace burin::gpu {
namespace {

struct StatusName {
  OpenclStatus status;
  std::string_view name;
};
constexpr StatusName kStatusNames[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-9999, "an illegal memory access (NVIDIA)"},
};

std::string bind_opencl(const Library& library, Opencl& opencl) {
  Entries entry(library);
  entry("clGetPlatformIDs", opencl.platforms);
  entry("clGetPlatformInfo", opencl.platform_info);
  entry("clGetDeviceIDs", opencl.devices);
  entry("clGetDeviceInfo", opencl.device_info);
  entry("clCreateContext", opencl.context_create);
  entry("clReleaseContext", opencl.context_release);
  entry("clCreateCommandQueue", opencl.queue_create);
  entry("clReleaseCommandQueue", opencl.queue_release);
  entry("clFinish", opencl.finish);
  entry("clCreateProgramWithSource", opencl.program_create);
  entry("clBuildProgram", opencl.program_build);
  entry("clGetProgramBuildInfo", opencl.program_build_info);
  entry("clGetProgramInfo", opencl.program_info);
  entry("clReleaseProgram", opencl.program_release);
  entry("clCreateKernel", opencl.kernel_create);
  entry("clGetKernelInfo", opencl.kernel_info);
  entry("clGetKernelWorkGroupInfo", opencl.kernel_group_info);
  entry("clSetKernelArg", opencl.kernel_argument);
  entry("clReleaseKernel", opencl.kernel_release);
  entry("clCreateBuffer", opencl.allocate);
  entry("clReleaseMemObject", opencl.release);
  entry("clEnqueueNDRangeKernel", opencl.launch);
  entry("clEnqueueReadBuffer", opencl.read);
  entry("clEnqueueWriteBuffer", opencl.write);
  entry("clEnqueueCopyBuffer", opencl.copy);
  entry("clEnqueueFillBuffer", opencl.fill);
  entry("clGetEventInfo", opencl.event_info);
  entry("clGetEventProfilingInfo", opencl.event_profile);
  entry("clReleaseEvent", opencl.event_release);
  return entry.missing();
}

}  // namespace

std::string opencl_words(OpenclStatus status) {
  for (const StatusName& row : kStatusNames) {
    if (row.status == status) return std::string(row.name);
  }
  return fmt::format("error {}", status);
}

Result<void> Opencl::check(OpenclStatus status, std::string_view call) const {
  if (status == 0) return {};
  return Error{fmt::format("{}: {}", call, opencl_words(status)), Exit::kDevice};
}

Result<const Opencl*> open_opencl() {
  static Opencl opencl;
  static const Library library = Library::open(opencl_names());
  static const std::string missing = bind_opencl(library, opencl);
  if (!library) {
    return Error{"no OpenCL found (libOpenCL.so.1); install an OpenCL loader, such as ocl-icd",
                 Exit::kDevice};
  }
  if (!missing.empty()) {
    return Error{fmt::format("the OpenCL library lacks {}; burin needs OpenCL 1.2", missing),
                 Exit::kDevice};
  }
  return &opencl;
}

}  // namespace burin::gpu
