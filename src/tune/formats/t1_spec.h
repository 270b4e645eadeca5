// Reads a tuning spec from a T1 file: the JSON input that Kernel Tuner, KTT and BAT have in common.
//
//   {"ConfigurationSpace": {
//      "TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[16, 32]"}],
//      "Conditions": [{"Expression": "block_size_x <= 32", "Parameters": ["block_size_x"]}]},
//    "KernelSpecification": {
//      "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu",
//      "GlobalSizeType": "CUDA", "GlobalSize": {"X": "n // block_size_x"},
//      "LocalSize": {"X": "block_size_x"},
//      "Arguments": [
//        {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite",
//         "Size": "n", "FillType": "Random"},
//        {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 65536}]}}
//
//   Result<Spec> spec = read_t1_spec("add.json");
//   // add.json: KernelSpecification.GlobalSize.X: column 6: "bloc_size_x" has no value; …
//
// Expressions know the tunables, the integer scalars among the arguments (n above) and, if
// ProblemSize consists of numbers, problem_size_x, _y and _z: together they are the problem size.
// GlobalSize counts blocks if GlobalSizeType is CUDA and threads if it is OpenCL. Without
// GlobalSize the grid is ProblemSize divided by GridDivX, Y, Z, or by LocalSize. LocalSize is by
// default block_size_x, _y, _z.
//
// Vectors that are not ReadOnly are compared with those of the first configuration that runs.
// Search, Budget, General and `Default` are not read: the command line says how long and how to
// search. Other fields are ignored.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tune/spec.h"

namespace burin::tune {

// Errors name the file and the field. Paths in the file are relative to its folder.
Result<Spec> read_t1_spec(const std::string& path);

// The same for a text; `path` is for messages and relative paths.
Result<Spec> parse_t1_spec(std::string_view text, const std::string& path);

// Whether the text is a JSON object with a ConfigurationSpace or a KernelSpecification.
bool is_t1(std::string_view text);

}  // namespace burin::tune
