// Is nothing but the files of the folder served, and nothing of their names interpreted?
#include "serve/shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "report/html/page.h"
#include "serve/answers.h"

namespace burin::serve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCaptureFile = BURIN_SOURCE_DIR "/tests/data/capture/h200/spmv_vector.burin";

class ShelfTest : public testing::Test {
 protected:
  ShelfTest() {
    fs::create_directories(at("served/inner/.hidden"));
    fs::copy_file(kCaptureFile, at("served/app.burin"));
    fs::copy_file(kCaptureFile, at("served/inner/again.burin"));
    fs::copy_file(kCaptureFile, at("served/inner/.hidden/secret.burin"));
    fs::copy_file(kCaptureFile, at("outside.burin"));
    fs::create_symlink(at("outside.burin"), at("served/link.burin"));
    fs::create_directory_symlink(at("."), at("served/up"));
    std::ofstream(at("served/notes.txt")) << std::string(1000, 'x');
    std::ofstream(at("served/report.html")) << "<!doctype html>\n" << std::string(1000, 'x');
  }
  std::string at(const std::string& name) const { return folder_->path() + "/" + name; }

  Answer ask(const std::string& path, const std::string& name) const {
    return answer({.shelf = *shelf_, .listening = {"127.0.0.1", 8000}, .version = "test"},
                  {.method = "GET", .path = path, .name = name, .host = "127.0.0.1:8000"});
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
  void open() { shelf_.emplace(std::move(*Shelf::open(at("served")))); }
  std::optional<Shelf> shelf_;
};

TEST_F(ShelfTest, HasTheFilesOfTheFolder) {
  open();
  std::vector<std::string> names;
  for (const ShelfItem& item : shelf_->items()) names.push_back(item.name);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("app.burin", "inner/again.burin", "report.html"));
}

TEST_F(ShelfTest, NoNameLeadsOut) {
  open();
  for (const char* name :
       {"../outside.burin", "inner/../../outside.burin", "link.burin", "up/outside.burin",
        "/etc/passwd", "./app.burin", "inner/.hidden/secret.burin", "notes.txt", "", ".", "..",
        "inner", "app.burin/", "app.burin%00", "//app.burin"}) {
    EXPECT_FALSE(shelf_->find(name)) << name;
    for (const char* path : {"/view", "/report"}) EXPECT_EQ(ask(path, name).status, 404) << name;
  }
  EXPECT_EQ(ask("/report", "app.burin").status, 404);
  EXPECT_EQ(ask("/../etc/passwd", "").status, 404);
}

TEST_F(ShelfTest, HostileNamesStayText) {
  const std::string hostile = "a\"><script>alert(1)</script>&.burin";
  const fs::path inside = at("served");
  fs::copy_file(kCaptureFile, inside / "x'\"><img src=x onerror=alert(1)>.burin");
  open();
  const Answer listing = ask("/", "");
  EXPECT_EQ(listing.status, 200);
  EXPECT_THAT(listing.body, Not(HasSubstr("<img src=x")));
  EXPECT_THAT(listing.body, HasSubstr("\\u003cimg src=x onerror=alert(1)>"));
  EXPECT_EQ(ask("/view", hostile).status, 404);
  EXPECT_THAT(ask("/view", hostile).body, Not(HasSubstr("<script>")));
}

TEST_F(ShelfTest, ViewsCarryTheirData) {
  if (report::web_bundle().script.empty()) GTEST_SKIP() << "built without Node.js";
  open();
  const Answer view = ask("/view", "app.burin");
  ASSERT_EQ(view.status, 200);
  const std::size_t begin = view.body.find("id=\"data\">") + 10;
  const auto data =
      nlohmann::json::parse(view.body.substr(begin, view.body.find("</script>", begin) - begin));
  EXPECT_EQ(data["views"][0][0]["schema"], "burin.capture/1");
  EXPECT_EQ(data["version"], ask("/version", "app.burin").body);
  EXPECT_THAT(ask("/report", "report.html").policy, HasSubstr("sandbox"));
}

TEST_F(ShelfTest, AVersionChangesWithTheFile) {
  open();
  const std::string before = ask("/version", "").body;
  EXPECT_EQ(ask("/version", "").body, before);
  fs::copy_file(kCaptureFile, at("served/new.burin"));
  EXPECT_NE(ask("/version", "").body, before);
}

TEST_F(ShelfTest, OneFileMayBeServedAlone) {
  const Result<Shelf> one = Shelf::open(at("served/app.burin"));
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->items().size(), 1u);
  EXPECT_EQ(one->items()[0].name, "app.burin");
  EXPECT_FALSE(Shelf::open(at("served/notes.txt")).ok());
  EXPECT_FALSE(Shelf::open(at("nothing")).ok());
}

}  // namespace
}  // namespace burin::serve
