// The launches of a capture as trace events, which chrome://tracing and ui.perfetto.dev read: a
// process for each GPU, a thread for each stream, and the ranges of the program above its launches.
#pragma once

#include "report/capture/capture.h"
#include "report/write/json.h"

namespace burin::report {

void write_capture_trace(Json& json, const CaptureReport& report);

}  // namespace burin::report
