// Source lines: that each instruction leads back to the line, and through the calls, that the
// sources in tests/data/binary say.
#include <set>

#include "read/binary/data.h"
#include "read/binary/debug_line.h"

namespace burin::test {
namespace {

std::set<std::string> chains(const read::Image& image, const read::Function& f) {
  std::set<std::string> all;
  for (std::uint32_t offset = 0; offset < f.code.size(); offset += 16)
    all.insert(chain_at(image, f, offset));
  return all;
}

TEST(Lines, FollowInlinedCalls) {
  const std::set<std::string> expected = {
      "nested.cu:10",
      "nested.cu:11",
      "nested.cu:12",
      "nested.cu:13",
      "nested.cu:14",
      "nested.cu:15",
      "nested.cu:3 inner(float) < nested.cu:6 middle(float, float) < nested.cu:13",
      "nested.cu:3 inner(float) < nested.cu:7 middle(float, float) < nested.cu:13",
      "nested.cu:7 middle(float, float) < nested.cu:13",
      "nested.cu:3 inner(float) < nested.cu:14",
  };
  for (const char* name : {"nested_sm75.cubin", "nested_sm90a.cubin"}) {
    const Buffer bytes = data(name);
    const Result<read::Image> image = read::read_cubin(bytes, {});
    ASSERT_TRUE(image.ok());
    const read::Function& f = function(*image, "nested");
    EXPECT_EQ(chains(*image, f), expected) << name;
    EXPECT_EQ(image->files, std::vector<std::string>{"/tmp/burin-binary-data/nested.cu"});
  }
}

TEST(Lines, ComeFromDebugCodeToo) {
  const Buffer bytes = data("nested_debug_sm80.cubin");
  const Result<read::Image> image = read::read_cubin(bytes, {});
  ASSERT_TRUE(image.ok());
  const read::Function& f = function(*image, "nested");
  // ptxas puts the first instruction of `middle` before the range that it says is inlined.
  const std::set<std::string> expected = {
      "nested.cu:10",
      "nested.cu:11",
      "nested.cu:12",
      "nested.cu:13",
      "nested.cu:14",
      "nested.cu:15",
      "nested.cu:6",
      "nested.cu:6 middle(float, float) < nested.cu:13",
      "nested.cu:7 middle(float, float) < nested.cu:13",
      "nested.cu:8 middle(float, float) < nested.cu:13",
      "nested.cu:3 inner(float) < nested.cu:6 middle(float, float) < nested.cu:13",
      "nested.cu:3 inner(float) < nested.cu:7 middle(float, float) < nested.cu:13",
      "nested.cu:3 inner(float) < nested.cu:14",
  };
  EXPECT_EQ(chains(*image, f), expected);
}

TEST(Lines, AreEmptyWithoutLineInfo) {
  const Buffer bytes = data("dense_sm80.cubin");
  const Result<read::Image> image = read::read_cubin(bytes, {});
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(image->functions.at(0).lines.empty());
  EXPECT_TRUE(image->files.empty());
}

TEST(Lines, OfADamagedTableAreLeftOutAndTheRestStands) {
  Buffer bytes = data("nested_sm75.cubin");
  const auto at = get<std::uint64_t>(bytes, find_section(bytes, ".debug_line") + 24);
  put<std::uint32_t>(bytes, at, 0x7fffffff);  // the unit's size
  const Result<read::Image> image = read::read_cubin(bytes, {});
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(function(*image, "nested").lines.empty());
  EXPECT_EQ(function(*image, "nested").registers, 12u);
  ASSERT_EQ(image->problems.size(), 1u);
}

// Line programs written by hand: bytes after bytes.
class Program {
 public:
  Program& operator()(std::initializer_list<int> bytes) {
    for (const int byte : bytes) bytes_.push_back(static_cast<std::uint8_t>(byte));
    return *this;
  }
  Program& text(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
    return *this;
  }
  Program& word(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      bytes_.push_back(static_cast<std::uint8_t>(value >> shift));
    return *this;
  }
  // Puts the size of all that follows the 4 bytes at `at` into them.
  Program& size_at(std::size_t at) {
    put(bytes_, at, static_cast<std::uint32_t>(bytes_.size() - at - 4));
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  const Buffer& bytes() const { return bytes_; }

 private:
  Buffer bytes_;
};

read::LineTable read_program(const Program& program, std::string_view strings = "",
                             std::string_view line_strings = "") {
  return read::read_lines(
      {program.bytes(), text_bytes(strings), text_bytes(line_strings), {}, 7, {}});
}

Program version_2_header() {
  Program p;
  p.word(0)({2, 0});
  const std::size_t header = p.size();
  p.word(0)({1, 1, -5 & 255, 14, 10})({0, 1, 1, 1, 1, 0, 0, 0, 1});
  p.text("/src")({0}).text("k.cu")({1, 0, 0}).text("/abs/h.h")({1, 0, 0})({0});
  return p.size_at(header);
}

constexpr int kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3, kSetFile = 4;

TEST(LineProgram, Version2) {
  Program p = version_2_header();
  p({0, 9, 2, 0x20, 0, 0, 0, 0, 0, 0, 0});  // set_address 0x20
  p({kAdvanceLine, 9, kCopy});              // 0x20: line 10
  p({10 + 14 * 16 + 5 + 1});                // 0x30: line 11
  p({kSetFile, 2, kAdvancePc, 16, kCopy});  // 0x40: file 2, line 11
  p({kAdvancePc, 16, 0, 1, 1});             // 0x50: end
  const read::LineTable table = read_program(p.size_at(0));
  EXPECT_FALSE(table.damaged);
  EXPECT_EQ(table.files, (std::vector<std::string>{"/src/k.cu", "/abs/h.h"}));
  ASSERT_EQ(table.sections.size(), 1u);
  EXPECT_EQ(table.sections[0].section, 7u);
  const std::vector<read::LineRow>& rows = table.sections[0].rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].offset, 0x20u);
  EXPECT_EQ(table.locations[0], (read::Location{0, 10, -1, ""}));
  EXPECT_EQ(rows[1].offset, 0x30u);
  EXPECT_EQ(table.locations[1], (read::Location{0, 11, -1, ""}));
  EXPECT_EQ(rows[2].offset, 0x40u);
  EXPECT_EQ(table.locations[2], (read::Location{1, 11, -1, ""}));
  EXPECT_EQ(rows[3].offset, 0x50u);
  EXPECT_EQ(rows[3].location, -1);
}

TEST(LineProgram, Version5) {
  Program p;
  p.word(0)({5, 0, 8, 0});
  const std::size_t header = p.size();
  p.word(0)({1, 1, 1, -5 & 255, 14, 10})({0, 1, 1, 1, 1, 0, 0, 0, 1});
  p({1, 1, 0x1f})({1}).word(0);                              // folders: line_strp
  p({3, 1, 0x08, 2, 0x0b, 5, 0x1e})({1}).text("k.cu")({0});  // files: string, data1, data16
  p({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  p.size_at(header);
  p({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0})({kSetFile, 0, kCopy})({kAdvancePc, 16, 0, 1, 1});
  const read::LineTable table = read_program(p.size_at(0), "", std::string_view("/src\0", 5));
  EXPECT_FALSE(table.damaged);
  EXPECT_EQ(table.files, std::vector<std::string>{"/src/k.cu"});
  ASSERT_EQ(table.locations.size(), 1u);
  EXPECT_EQ(table.locations[0], (read::Location{0, 1, -1, ""}));
}

TEST(LineProgram, AContextMustBeARowThatWasSeen) {
  Program p = version_2_header();
  p({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0})({kCopy});
  p({0, 3, 0x90, 9, 0})({kAdvanceLine, 4, kCopy});  // row 9 is yet to come
  p({kAdvancePc, 16, 0, 1, 1});
  const read::LineTable table = read_program(p.size_at(0), std::string_view("f\0", 2));
  EXPECT_TRUE(table.damaged);
  ASSERT_EQ(table.locations.size(), 2u);
  EXPECT_EQ(table.locations[1].inlined_from, -1);
}

TEST(LineProgram, InliningAlwaysEnds) {
  // Each row is inlined into the one before it, a thousand deep: readers walk these chains.
  Program p = version_2_header();
  p({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0})({kCopy});
  for (int row = 1; row < 1000; ++row)
    p({0, 4, 0x90, (row & 127) | 128, row >> 7, 0})({kAdvanceLine, 1, kCopy});
  p({kAdvancePc, 16, 0, 1, 1});
  const read::LineTable table = read_program(p.size_at(0), std::string_view("f\0", 2));
  ASSERT_EQ(table.locations.size(), 1000u);
  for (std::size_t i = 0; i < table.locations.size(); ++i) {
    int depth = 0;
    for (std::int32_t at = static_cast<std::int32_t>(i); at >= 0; ++depth)
      at = table.locations[static_cast<std::size_t>(at)].inlined_from;
    EXPECT_LE(depth, 257);
  }
}

TEST(LineProgram, UnknownVersionsAreLeftOut) {
  Program p;
  p.word(0)({9, 0, 1, 2, 3, 4}).size_at(0);
  EXPECT_TRUE(read_program(p).damaged);
}

TEST(LineProgram, SequencesOfOneSectionJoin) {
  Program p = version_2_header();
  p({0, 9, 2, 0x20, 0, 0, 0, 0, 0, 0, 0})({kAdvanceLine, 3, kCopy, kAdvancePc, 16, 0, 1, 1});
  p({0, 9, 2, 0x00, 0, 0, 0, 0, 0, 0, 0})({kAdvanceLine, 6, kCopy, kAdvancePc, 32, 0, 1, 1});
  const read::LineTable table = read_program(p.size_at(0));
  ASSERT_EQ(table.sections.size(), 1u);
  const std::vector<read::LineRow>& rows = table.sections[0].rows;
  ASSERT_EQ(rows.size(), 3u);  // where one ends the other begins: that says nothing against it
  EXPECT_EQ(table.locations[static_cast<std::size_t>(rows[0].location)].line, 7u);
  EXPECT_EQ(table.locations[static_cast<std::size_t>(rows[1].location)].line, 4u);
  EXPECT_EQ(rows[2].offset, 0x30u);
  EXPECT_EQ(rows[2].location, -1);
}

TEST(LineProgram, CallsFromElsewhereSplitTheRowsTheyCross) {
  Program p = version_2_header();
  p({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0})({kAdvanceLine, 9, kCopy, kAdvancePc, 0x80, 1, 0, 1, 1});
  p.size_at(0);
  const read::InlinedCall calls[] = {{7, 0x20, 0x60, "outer", 0, 2, 5},
                                     {7, 0x40, 0x60, "leaf", 0, 1, 8}};
  const read::LineTable table = read::read_lines({p.bytes(), {}, {}, {}, 7, calls});
  ASSERT_EQ(table.sections.size(), 1u);
  std::vector<std::string> seen;
  for (const read::LineRow& row : table.sections[0].rows) {
    std::string text = std::to_string(row.offset);
    for (std::int32_t at = row.location; at >= 0;) {
      const read::Location& l = table.locations[static_cast<std::size_t>(at)];
      text += " " + table.files[l.file] + ":" + std::to_string(l.line) + std::string(l.function);
      at = l.inlined_from;
    }
    seen.push_back(text);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "0 /src/k.cu:10",
                      "32 /src/k.cu:10outer /abs/h.h:5",
                      "64 /src/k.cu:10leaf /src/k.cu:8outer /abs/h.h:5",
                      "96 /src/k.cu:10",
                      "128",
                  }));
}

}  // namespace
}  // namespace burin::test
