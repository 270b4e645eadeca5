// Checks that hold for a request on every device, before anything is opened.
//
//   if (Result<void> fine = check_request(request); !fine) return fine.error();
#pragma once

#include <cstddef>
#include <optional>

#include "base/result.h"
#include "measure/device.h"

namespace burin::measure {

// Returns an Error for the first thing that no device can do: no step, a count out of range, @I
// without such a buffer in the first launch, an expected output that is not a buffer.
Result<void> check_request(const DeviceRequest& request);

// The place of the buffer that an argument passes: its own, or the one that @I refers to. Nothing
// for arguments that pass no buffer. The request must have passed check_request.
struct BufferPlace {
  std::size_t step = 0;
  std::size_t argument = 0;

  bool operator==(const BufferPlace&) const = default;
};
std::optional<BufferPlace> buffer_place(const DeviceRequest& request, std::size_t step,
                                        std::size_t argument);

}  // namespace burin::measure
