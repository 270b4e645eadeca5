// Are the headers of a source found, and read only once as long as they do not change?
#include "toolchain/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "toolchain/file_digest.h"

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Form = Include::Form;

TEST(Dependencies, RulesAreReadAsMakeReadsThem) {
  EXPECT_THAT(parse_rule("o.cubin : a.cu \\\n    with\\ blank.h $$x.h\n"),
              ElementsAre("a.cu", "with blank.h", "$x.h"));
  EXPECT_THAT(parse_rule("o.cubin: a.cu"), ElementsAre("a.cu"));
  EXPECT_THAT(parse_rule(""), ElementsAre());
}

TEST(Dependencies, IncludeDirectivesAreFoundInAllTheirForms) {
  EXPECT_THAT(parse_includes("#include \"a.h\"\n  # \tinclude <b/c.h> // why\n#if 0\n#include<d>\n"
                             "#include TABLE\n#include_next <e.h>\n"
                             "#includes\n#include \"cut\nint include;\n#"),
              ElementsAre(Include{"a.h", Form::kQuoted}, Include{"b/c.h", Form::kAngled},
                          Include{"d", Form::kAngled}, Include{"TABLE", Form::kMacro},
                          Include{"_next <e.h>", Form::kMacro}, Include{"s", Form::kMacro}));
}

class HeadersTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    fs::create_directories(at("include/inner"));
    write("a.cu", "#include \"near.h\"\n#include <inner/far.h>\n#include <cuda_fp16.h>\n");
    write("near.h", "#pragma once\n#include \"near.h\"\n");
    write("include/inner/far.h", "#include \"farther.h\"\n");
    write("include/inner/farther.h", "int x;\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  // As if nobody had touched the files for an hour.
  void settle() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    }
  }
  FoundHeaders headers() const { return find_headers(at("a.cu"), {at("include")}, {"stdint.h"}); }

  std::string folder_;
};

TEST_F(HeadersTest, AreFoundNextToTheirIncluderAndInTheFoldersGiven) {
  const FoundHeaders found = headers();
  EXPECT_TRUE(found.complete);
  EXPECT_THAT(found.list, HasSubstr(file_digest(at("near.h")) + " " + at("near.h") + "\n"));
  EXPECT_THAT(found.list, HasSubstr(file_digest(at("include/inner/far.h"))));
  EXPECT_THAT(found.list, HasSubstr(file_digest(at("include/inner/farther.h"))));
  EXPECT_TRUE(headers_unchanged(found.list));
}

TEST_F(HeadersTest, ThatIncludeEachOtherEnd) {
  write("near.h", "#include \"include/../near.h\"\n#include \"include/inner/far.h\"\n");
  write("include/inner/farther.h", "#include \"../../near.h\"\n#include \"../inner/far.h\"\n");
  const FoundHeaders found = headers();
  EXPECT_EQ(std::count(found.list.begin(), found.list.end(), '\n'), 1 + 3 + 1) << found.list;
}

TEST_F(HeadersTest, WhereAHeaderMightAppearIsListedToo) {
  const FoundHeaders before = headers();
  EXPECT_THAT(before.list, HasSubstr("- " + at("include/cuda_fp16.h")));
  write("include/cuda_fp16.h", "int mine;");
  EXPECT_FALSE(headers_unchanged(before.list));
  EXPECT_NE(headers().list, before.list);
}

TEST_F(HeadersTest, ThoseOfTheCompilerItselfAreNot) {
  write("a.cu", "#include <stdint.h>\n");
  EXPECT_THAT(headers().list, Not(HasSubstr("stdint")));
}

TEST_F(HeadersTest, ANameFromAMacroIsNotKnown) {
  write("near.h", "#include TABLE\n");
  EXPECT_FALSE(headers().complete);
}

TEST_F(HeadersTest, AreReadOnceForAThousandConfigurations) {
  settle();
  const FoundHeaders first = headers();
  const std::uint64_t before = files_read();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(headers().list, first.list);
  EXPECT_EQ(files_read(), before);
  write("near.h", "changed");
  EXPECT_NE(headers().list, first.list);
  EXPECT_GT(files_read(), before);
}

// A change within the time stamp's resolution would go unnoticed.
TEST_F(HeadersTest, AFileThatWasJustWrittenIsReadAgain) {
  write("near.h", "one");
  const std::string one = file_digest(at("near.h"));
  const fs::file_time_type time = fs::last_write_time(at("near.h"));
  write("near.h", "two");
  fs::last_write_time(at("near.h"), time);
  EXPECT_NE(file_digest(at("near.h")), one);
  EXPECT_EQ(file_digest(at("none.h")), "-");
}

}  // namespace
}  // namespace burin::toolchain
