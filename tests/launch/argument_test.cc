#include "launch/argument.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "launch/number.h"

namespace burin::launch {
namespace {

using Value = std::vector<std::uint8_t>;

Value bytes_of(const std::string& text) {
  const Result<Argument> argument = parse_argument(text, 0);
  if (!argument) {
    ADD_FAILURE() << argument.error().message;
    return {};
  }
  EXPECT_EQ(argument->text, text);
  EXPECT_EQ(argument->buffer(), nullptr);
  EXPECT_EQ(argument->size(), std::get<Value>(argument->value).size());
  return std::get<Value>(argument->value);
}

Buffer buffer_of(const std::string& text, std::size_t position = 0) {
  const Result<Argument> argument = parse_argument(text, position);
  if (!argument) {
    ADD_FAILURE() << argument.error().message;
    return {};
  }
  EXPECT_EQ(argument->size(), 8u);
  return *argument->buffer();
}

// What is wrong with `text` as argument 3, without the part that names it.
std::string refusal(const std::string& text, Exit exit = Exit::kUsage) {
  const Result<Argument> argument = parse_argument(text, 3);
  if (argument) return "accepted";
  EXPECT_EQ(argument.error().exit, exit);
  const std::string where = "argument 3 '" + text + "': ";
  EXPECT_TRUE(argument.error().message.starts_with(where)) << argument.error().message;
  return argument.error().message.substr(std::min(where.size(), argument.error().message.size()));
}

TEST(ParseBytes, TakesPowersOf1024) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("0x10"), 16u);
  EXPECT_EQ(parse_bytes("3K"), 3072u);
  EXPECT_EQ(parse_bytes("3k"), 3072u);
  EXPECT_EQ(parse_bytes("16M"), 16u << 20);
  EXPECT_EQ(parse_bytes("2G"), std::uint64_t{2} << 30);
  for (const char* wrong : {"", "K", "-1", "1.5K", "1KB", "1 K", "1T", "17179869184G"}) {
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
  }
}

TEST(Argument, HoldsIntegers) {
  EXPECT_EQ(bytes_of("i32:5"), (Value{5, 0, 0, 0}));
  EXPECT_EQ(bytes_of("i32:-2"), (Value{0xfe, 0xff, 0xff, 0xff}));
  EXPECT_EQ(bytes_of("i32:-2147483648"), (Value{0, 0, 0, 0x80}));
  EXPECT_EQ(bytes_of("u32:0xdeadbeef"), (Value{0xef, 0xbe, 0xad, 0xde}));
  EXPECT_EQ(bytes_of("i64:-1"), Value(8, 0xff));
  EXPECT_EQ(bytes_of("u64:18446744073709551615"), Value(8, 0xff));
}

TEST(Argument, HoldsReals) {
  EXPECT_EQ(bytes_of("f32:1.5"), (Value{0, 0, 0xc0, 0x3f}));
  EXPECT_EQ(bytes_of("f32:0.1"), (Value{0xcd, 0xcc, 0xcc, 0x3d}));  // nearest, not cut
  EXPECT_EQ(bytes_of("f32:-inf"), (Value{0, 0, 0x80, 0xff}));
  EXPECT_EQ(bytes_of("f32:1e-45"), (Value{1, 0, 0, 0}));  // subnormal
  EXPECT_EQ(bytes_of("f64:-2"), (Value{0, 0, 0, 0, 0, 0, 0, 0xc0}));
  EXPECT_EQ(bytes_of("f64:1e3"), (Value{0, 0, 0, 0, 0, 0x40, 0x8f, 0x40}));
}

TEST(Argument, HoldsBytesInMemoryOrder) {
  EXPECT_EQ(bytes_of("hex:0011aAFf"), (Value{0x00, 0x11, 0xaa, 0xff}));
  EXPECT_EQ(bytes_of("hex:7f"), Value{0x7f});
}

TEST(Argument, SaysWhichValueItExpected) {
  EXPECT_EQ(refusal("i32:2147483648"), "expected an integer from -2147483648 to 2147483647");
  for (const char* wrong : {"i32:", "i32:x", "i32:5x", "i32:0x-5", "i32:1.5", "i32: 5"}) {
    EXPECT_EQ(refusal(wrong), "expected an integer from -2147483648 to 2147483647");
  }
  EXPECT_EQ(refusal("u32:-1"), "expected an integer from 0 to 4294967295");
  EXPECT_EQ(refusal("i64:9223372036854775808"),
            "expected an integer from -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(refusal("u64:-1"), "expected an integer from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("f32:1e39"), "expected a number that fits in 32 bits, such as 1.5 or 1e-3");
  EXPECT_EQ(refusal("f64:one"), "expected a number that fits in 64 bits, such as 1.5 or 1e-3");
  for (const char* wrong : {"hex:", "hex:0", "hex:0g", "hex:-1", "hex:0x11"}) {
    EXPECT_EQ(refusal(wrong), "expected two hex digits per byte, in memory order");
  }
}

TEST(Argument, GuessesTheTypeMeant) {
  EXPECT_EQ(refusal("f33:5"), "unknown type f33; did you mean f32?");
  EXPECT_EQ(refusal("bufs:5"), "unknown type bufs; did you mean buf?");
  EXPECT_EQ(refusal("int:5"), "unknown type int; did you mean i32?");
  EXPECT_EQ(refusal("double:5"), "unknown type double; did you mean f64?");
  EXPECT_EQ(refusal("ptr:5"), "unknown type ptr; did you mean buf?");
  EXPECT_EQ(refusal("buf:16M:i32"), "unknown fill i32; did you mean int:N?");
  EXPECT_EQ(refusal("buf:16M:double"), "unknown fill double; did you mean f64?");
  EXPECT_EQ(refusal("string:x"),
            "unknown type string; the types are i32, u32, i64, u64, f32, f64, hex, buf and map");
  EXPECT_EQ(refusal("5"), "expected TYPE:VALUE, such as i32:5, f32:1.5 or buf:64K:zero");
}

TEST(Argument, ShortensALongText) {
  const Result<Argument> argument = parse_argument("hex:" + std::string(1001, '0'), 0);
  ASSERT_FALSE(argument);
  EXPECT_TRUE(argument.error().message.starts_with("argument 0 'hex:" + std::string(56, '0') +
                                                   "…': expected two"));
}

TEST(BufferArgument, HoldsSizeFillAndSeed) {
  const Buffer plain = buffer_of("buf:64K");
  EXPECT_EQ(plain.size, 65536u);
  EXPECT_EQ(plain.kind, Fill::kNone);

  const Buffer below = buffer_of("buf:1M:int:100:seed=42");
  EXPECT_EQ(below.size, 1u << 20);
  EXPECT_EQ(below.kind, Fill::kInt);
  EXPECT_EQ(below.limit, 100u);
  EXPECT_EQ(below.seed, 42u);

  const struct {
    const char* text;
    Fill kind;
  } fills[] = {{"zero", Fill::kZero},       {"f16", Fill::kF16},    {"f32", Fill::kF32},
               {"f64", Fill::kF64},         {"u8", Fill::kU8},      {"perm", Fill::kPerm},
               {"rowptr:4", Fill::kRowptr}, {"undef", Fill::kUndef}};
  for (const auto& [text, kind] : fills) {
    EXPECT_EQ(buffer_of(std::string("buf:64:") + text).kind, kind) << text;
    EXPECT_EQ(buffer_of(std::string("buf:64:") + text + ":seed=9").seed, 9u) << text;
  }
}

TEST(BufferArgument, HasItsPositionAsSeed) {
  EXPECT_EQ(buffer_of("buf:64:f32", 0).seed, 0u);
  EXPECT_EQ(buffer_of("buf:64:f32", 5).seed, 5u);
  EXPECT_EQ(buffer_of("buf:64:f32:seed=0", 5).seed, 0u);
}

TEST(BufferArgument, RefusesAWrongSize) {
  const std::string size = "expected a size in bytes after buf:, such as 4096, 64K, 16M or 2G";
  for (const char* wrong : {"buf:x", "buf:f32", "buf:-4", "buf:1.5M"}) {
    EXPECT_EQ(refusal(wrong), size);
  }
  EXPECT_EQ(refusal("buf:"), size);
  EXPECT_EQ(refusal("buf:0"), "a buffer needs at least one byte; for a null pointer write u64:0");
  EXPECT_EQ(refusal("buf:1025G"), "a buffer has at most 1024G bytes");
  EXPECT_EQ(buffer_of("buf:1024G").size, kMaxBufferBytes);
}

TEST(BufferArgument, RefusesAWrongFill) {
  EXPECT_EQ(refusal("buf:64:zeros"), "unknown fill zeros; did you mean zero?");
  EXPECT_EQ(refusal("buf:64:normal"),
            "unknown fill normal; the fills are zero, f16, f32, f64, u8, int, perm, rowptr, "
            "file and undef");
  EXPECT_EQ(refusal("buf:64:zero:5"), "the fill zero takes no parameter except :seed=K");
  EXPECT_EQ(refusal("buf:64:"), "expected something after the last colon");
  EXPECT_EQ(refusal("buf:64:f32:"), "expected something after the last colon");
  for (const char* wrong :
       {"buf:64:int", "buf:64:int:0", "buf:64:int:4294967297", "buf:64:int:x"}) {
    EXPECT_EQ(refusal(wrong), "expected int:N with N an integer from 1 to 4294967296");
  }
  EXPECT_EQ(refusal("buf:64:rowptr"), "expected rowptr:N with N an integer from 1 to 2147483647");
}

TEST(BufferArgument, RefusesASizeThatTheFillCannotHave) {
  EXPECT_EQ(refusal("buf:63:f16"), "the fill f16 needs a multiple of 2 bytes, not 63");
  EXPECT_EQ(refusal("buf:62:perm"), "the fill perm needs a multiple of 4 bytes, not 62");
  EXPECT_EQ(refusal("buf:60:f64"), "the fill f64 needs a multiple of 8 bytes, not 60");
  EXPECT_EQ(buffer_of("buf:63:u8").size, 63u);
  EXPECT_EQ(refusal("buf:17G:perm"), "a permutation of 32-bit indices has at most 16G bytes");
  EXPECT_EQ(buffer_of("buf:16G:perm").kind, Fill::kPerm);
  EXPECT_EQ(refusal("buf:12:rowptr:1073741824"),
            "2 rows of 1073741824 entries exceed the 32-bit row pointer limit of "
            "2147483647");
  EXPECT_EQ(buffer_of("buf:12:rowptr:1073741823").limit, 1073741823u);
}

TEST(BufferArgument, RefusesAWrongSeed) {
  const std::string wrong = "expected an integer from 0 to 2^64 - 1 after seed=, and nothing else";
  EXPECT_EQ(refusal("buf:64:f32:seed="), wrong);
  EXPECT_EQ(refusal("buf:64:f32:seed=-1"), wrong);
  EXPECT_EQ(refusal("buf:64:seed=1:f32"), wrong);
  EXPECT_EQ(refusal("buf:64:seed=1"), "a seed needs a fill, such as f32:seed=1");
}

class FileArgument : public testing::Test {
 protected:
  FileArgument() {
    std::string name = testing::TempDir() + "burin-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FileArgument() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& contents) {
    std::ofstream(folder_ / name, std::ios::binary) << contents;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(FileArgument, IsTheBufferAndOutlivesTheArgument) {
  for (const char* name : {"plain", "with:colon"}) {
    const Buffer buffer = buffer_of("buf:6:file:" + write(name, "abcdef"));
    EXPECT_EQ(buffer.contents(), Contents::kKnown);
    Value middle(3);
    buffer.fill(2, middle);
    EXPECT_EQ(middle, (Value{'c', 'd', 'e'}));
  }
  EXPECT_EQ(buffer_of("buf:6:file:" + write("x", "abcdef") + ":seed=3").kind, Fill::kFile);
}

TEST_F(FileArgument, MustHaveTheBuffersSize) {
  const std::string path = write("data", "abcdef");
  EXPECT_EQ(refusal("buf:7:file:" + path, Exit::kInput),
            path + " has 6 bytes, but the buffer has 7; use the same size");
  EXPECT_EQ(refusal("buf:5:file:" + path, Exit::kInput),
            path + " has 6 bytes, but the buffer has 5; use the same size");
}

TEST_F(FileArgument, MustExist) {
  const std::string path = folder_ / "none";
  EXPECT_EQ(refusal("buf:7:file:" + path, Exit::kInput),
            path + ": cannot open: No such file or directory");
  EXPECT_EQ(refusal("buf:7:file"), "file needs a path: file:PATH");
}

TEST(StepArgument, NamesABufferOfTheFirstLaunch) {
  const Result<Argument> argument = parse_step_argument("@12", 3);
  ASSERT_TRUE(argument.ok());
  ASSERT_NE(argument->reference(), nullptr);
  EXPECT_EQ(argument->reference()->argument, 12u);
  EXPECT_EQ(argument->buffer(), nullptr);
  EXPECT_EQ(argument->size(), 8u);
  for (const char* wrong : {"@", "@x", "@-1", "@1:f32", "@ 1"}) {
    const Result<Argument> refused = parse_step_argument(wrong, 3);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().exit, Exit::kUsage);
  }
}

TEST(StepArgument, HoldsTheBytesOfLocalMemory) {
  const Result<Argument> argument = parse_step_argument("local:2K", 0);
  ASSERT_TRUE(argument.ok());
  ASSERT_NE(argument->local_memory(), nullptr);
  EXPECT_EQ(argument->local_memory()->bytes, 2048u);
  EXPECT_FALSE(parse_step_argument("local:", 0).ok());
  EXPECT_FALSE(parse_step_argument("local:0", 0).ok());
  EXPECT_FALSE(parse_step_argument("local:f32", 0).ok());
}

TEST(StepArgument, IsNotForASingleLaunchOfACudaKernel) {
  EXPECT_EQ(refusal("@0"),
            "only a later launch of a configuration of several can name a buffer of the first");
  EXPECT_EQ(refusal("local:64"),
            "only OpenCL kernels take local memory as an argument; the shared memory of a CUDA "
            "kernel is --smem");
}

TEST(Arguments, AreNumberedFromZero) {
  const std::vector<std::string> texts{"buf:64:f32", "i32:5", "buf:64:f32"};
  const Result<std::vector<Argument>> arguments = parse_arguments(texts);
  ASSERT_TRUE(arguments);
  ASSERT_EQ(arguments->size(), 3u);
  EXPECT_EQ((*arguments)[0].buffer()->seed, 0u);
  EXPECT_EQ((*arguments)[2].buffer()->seed, 2u);

  const std::vector<std::string> wrong{"i32:5", "i33:5"};
  const Result<std::vector<Argument>> refused = parse_arguments(wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "argument 1 'i33:5': unknown type i33; did you mean i32?");
}

}  // namespace
}  // namespace burin::launch
