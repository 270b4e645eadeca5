// The protocol between burin and its worker process: JSON, one object per line. The worker reads
// requests from standard input and answers each with lines on standard output. docs/device.md lists
// the fields.
//
//   → {"schema":"burin.worker/1","cubin":"a.cubin","kernel":"_Z6reducePf","grid":[64,1,1],…}
//   ← {"schema":"burin.worker/1","stage":"running the kernel"}
//   ← {"schema":"burin.worker/1","result":{"gpu":"NVIDIA H200","times_us":[12.448,…],…}}
//
// The last line is a result or an error:
//
//   ← {"schema":"burin.worker/1","error":{"message":"…","exit":4}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/device.h"

namespace burin::measure {

inline constexpr std::string_view kWorkerSchema = "burin.worker/1";

// Each returns one line, including the newline. Arguments are sent as the user wrote them, with the
// seed derived from their position, so both processes must have the same working directory.
std::string request_line(const DeviceRequest& request);
std::string stage_line(std::string_view stage);
std::string result_line(const DeviceResult& result);
std::string error_line(const Error& error);

// Parses a request. Returns an Error if the schema is different or if a field is missing, unknown
// or of the wrong type.
Result<DeviceRequest> read_request(std::string_view line);

// The answer of a worker to one request. Lines that are not part of the protocol are output of
// libraries.
struct WorkerAnswer {
  std::string stage;   // the last stage reported; "" if none
  bool whole = false;  // a result or an error was received
  Result<DeviceResult> result = Error{"no answer", Exit::kDevice};
  std::string other;  // the last line that is not part of the protocol
};
WorkerAnswer read_answer(std::string_view text);

// The answers of a worker that was given several requests: one per answered request, plus a partial
// answer if the worker ended in the middle of a request.
std::vector<WorkerAnswer> read_answers(std::string_view text);

}  // namespace burin::measure
