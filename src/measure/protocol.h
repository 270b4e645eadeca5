// The protocol between burin and its worker process: JSON, one object per line. The worker reads
// requests from standard input and answers each with lines on standard output. docs/device.md lists
// the fields.
//
//   → {"schema":"burin.worker/2","device":"cuda:0","program":"a.cubin","steps":[{"kernel":…}],…}
//   ← {"schema":"burin.worker/2","stage":"running the kernel"}
//   ← {"schema":"burin.worker/2","result":{"gpu":"NVIDIA H200","times_us":[12.448,…],…}}
//
// The last line is a result or an error. After an error with "lost" the worker ends, because it can
// no longer use the device:
//
//   ← {"schema":"burin.worker/2","error":{"message":"…","exit":4,"kind":"runtime","lost":true}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/device.h"

namespace burin::measure {

inline constexpr std::string_view kWorkerSchema = "burin.worker/2";

// Each returns one line, including the newline. Arguments are sent as the user wrote them, with the
// seed derived from their position, so both processes must have the same working directory.
std::string request_line(const DeviceRequest& request);
std::string stage_line(std::string_view stage);
std::string answer_line(const DeviceAnswer& answer);

// Parses a request. Returns an Error if the schema is different, if a field is missing, unknown or
// of the wrong type, or if the request does not pass check_request.
Result<DeviceRequest> read_request(std::string_view line);

// The answer of a worker to one request. Lines that are not part of the protocol are output of
// libraries.
struct WorkerAnswer {
  std::string stage;   // the last stage reported; "" if none
  bool whole = false;  // a result or an error was received
  DeviceAnswer answer = Error{"no answer", Exit::kDevice};
  std::string other;  // the last line that is not part of the protocol
};
// Adds the next line that a worker wrote, without its newline.
void add_line(WorkerAnswer& answer, std::string_view line);

}  // namespace burin::measure
