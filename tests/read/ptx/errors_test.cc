// Is text that is no PTX refused in words, at its line and column, and soon?
#include <gtest/gtest.h>

#include <ctime>

#include "ptx_text.h"
#include "sanitized.h"

namespace burin::read::ptx {
namespace {

struct Refused {
  std::string text;
  std::string message;
};

void expect_refused(const std::vector<Refused>& all) {
  for (const Refused& one : all) EXPECT_EQ(error_of(one.text), one.message) << one.text;
}

TEST(PtxErrors, Modules) {
  expect_refused({
      {"", "line 1, column 1: expected .version, with which PTX starts, but the text ends"},
      {"\n\x7f"
       "ELF",
       "line 2, column 1: PTX has no character '\\x7f'"},
      {".target sm_90",
       "line 1, column 1: expected .version, with which PTX starts, not '.target'"},
      {".version nine", "line 1, column 10: expected a number after .version, not 'nine'"},
      {".version 9", "line 1, column 10: '9' is not a version such as 9.0"},
      {".version 9.99999999999999999999",
       "line 1, column 10: '9.99999999999999999999' is not a version such as 9.0"},
      {".version 9.0\n.target 90", "line 2, column 9: expected a target such as sm_90, not '90'"},
      {".version 9.0\n.address_size 48",
       "line 2, column 15: the address size is neither 32 nor 64"},
      {kHeader + "add.s32 %r1, %r2, 1;", "line 4, column 1: expected a directive, not 'add.s32'"},
      {kHeader + "}", "line 4, column 1: expected a directive, not '}'"},
      {kHeader + ";", "line 4, column 1: expected a directive, not ';'"},
      {kHeader + ".file 1 a", "line 4, column 9: expected the name of the file, not 'a'"},
      {kHeader + ".section .debug_str",
       "line 4, column 20: expected '{' after .section, but the text ends"},
      {kHeader + ".section .debug_str { .b8 1",
       "line 4, column 21: the section has no closing '}'"},
      {kHeader + ".section .s { ( }", "line 4, column 17: expected ')', not '}'"},
      {kHeader + ".alias a, b", "line 4, column 12: expected ';' after .alias, but the text ends"},
  });
}

TEST(PtxErrors, Declarations) {
  expect_refused({
      {kHeader + ".visible .b32 a;",
       "line 4, column 10: expected a state space such as .param or .reg, not '.b32'"},
      {kHeader + ".global a;", "line 4, column 9: expected a type such as .b32, not 'a'"},
      {kHeader + ".global .b32;", "line 4, column 13: expected the name that is declared, not ';'"},
      {kHeader + ".global .b32 .b32 a;",
       "line 4, column 14: expected the name that is declared, not '.b32'"},
      {kHeader + ".global .b32 a",
       "line 4, column 15: expected ';' after the declaration of 'a', but the text ends"},
      {kHeader + ".global .b32 a b;",
       "line 4, column 16: expected ';' after the declaration of 'a', not 'b'"},
      {kHeader + ".global .align x .b32 a;", "line 4, column 16: expected the alignment, not 'x'"},
      {kHeader + ".global .align 4294967296 .b32 a;",
       "line 4, column 16: the alignment does not fit into 32 bits"},
      {kHeader + ".global .b32 a[x];",
       "line 4, column 16: expected the number of elements, not 'x'"},
      {kHeader + ".global .b32 a[4;",
       "line 4, column 17: expected ']' after the number of elements, not ';'"},
      {kHeader + ".global .b32 a[4294967296][4294967296];",
       "line 4, column 27: the size of 'a' does not fit into 64 bits"},
      {kHeader + ".global .b32 a[4611686018427387904];",
       "line 4, column 15: the size of 'a' does not fit into 64 bits"},
      {kHeader + ".global .b32 a[1.5];",
       "line 4, column 16: the number of elements is '1.5', not an integer of at most 64 bits"},
      {kHeader + ".global .b32 a = ;", "line 4, column 18: expected a value after '=', not ';'"},
      {kHeader + ".global .b32 a = 1",
       "line 4, column 19: expected ';' after the value, but the text ends"},
      {kHeader + ".global .b32 a[2] = {1, 2", "line 4, column 21: the value has no closing '}'"},
      {kHeader + ".global .b32 a[2] = {1; 2}",
       "line 4, column 23: expected '}' after the value, not ';'"},
      {kHeader + ".global .attribute .b32 a;",
       "line 4, column 20: expected '(' after .attribute, not '.b32'"},
      {module_of(".reg .b32 %r<4294967296>;"),
       "line 5, column 14: the number of registers does not fit into 32 bits"},
      {module_of(".reg .b32 %r<99999999999999999999>;"),
       "line 5, column 14: the number of registers is '99999999999999999999', not an integer of at "
       "most 64 bits"},
      {module_of(".reg .b32 %r<4;"),
       "line 5, column 15: expected '>' after the number of registers, not ';'"},
  });
}

TEST(PtxErrors, Functions) {
  expect_refused({
      {kHeader + ".func (",
       "line 4, column 8: expected a state space such as .param or .reg, but the text ends"},
      {kHeader + ".func 1", "line 4, column 7: expected the name of the function, not '1'"},
      {kHeader + ".func f(.param .b32 a",
       "line 4, column 22: expected ',' or ')' after a parameter, but the text ends"},
      {kHeader + ".func f() )", "line 4, column 11: expected the body of 'f' or ';', not ')'"},
      {kHeader + ".entry k() .maxntid 99999999999999999999 {}",
       "line 4, column 21: the value of .maxntid is '99999999999999999999', not an integer of at "
       "most 64 bits"},
      {kHeader + ".entry k() .maxntid 1, {}",
       "line 4, column 24: expected the value of .maxntid, not '{'"},
      {kHeader + ".entry k() .pragma \"x\" {}",
       "line 4, column 24: expected ';' after .pragma, not '{'"},
      {kHeader + ".entry k() {\n{ ret;\n", "line 4, column 12: the body of 'k' has no closing '}'"},
      {kHeader + ".entry k() { ret; } }", "line 4, column 21: expected a directive, not '}'"},
  });
}

TEST(PtxErrors, Statements) {
  expect_refused({
      {module_of("add.s32 %r1, %r2, 1"),
       "line 6, column 1: expected ';' after the operands of 'add.s32', not '}'"},
      {module_of("add.s32 %r1 %r2;"),
       "line 5, column 13: expected ';' after the operands of 'add.s32', not '%r2'"},
      {module_of("add.s32 %r1, ;"), "line 5, column 14: expected an operand of 'add.s32', not ';'"},
      {module_of("add.s32 %r1, 'a';"), "line 5, column 14: PTX has no character '''"},
      {module_of("ld.u32 %r1, [%rd1;"),
       "line 5, column 18: expected ']' in the operands of 'ld.u32', not ';'"},
      {module_of("ld.u32 %r1, [];"), "line 5, column 14: expected an operand of 'ld.u32', not ']'"},
      {module_of("mov.b64 {%r1, %r2;"),
       "line 5, column 18: expected ',' or '}' in the operands of 'mov.b64', not ';'"},
      {module_of("call (a;"),
       "line 5, column 8: expected ',' or ')' in the operands of 'call', not ';'"},
      {module_of("mov.u32 %r1, (1;"),
       "line 5, column 16: expected ')' in the operands of 'mov.u32', not ';'"},
      {module_of("@%p1;"), "line 5, column 5: expected an instruction, not ';'"},
      {module_of("@; bra L;"), "line 5, column 2: expected a predicate after '@', not ';'"},
      {module_of("@%p1 .reg .b32 a;"), "line 5, column 6: expected an instruction, not '.reg'"},
      {module_of("ret;;"), "line 5, column 5: expected a statement of 'k' or '}', not ';'"},
      {module_of(".loc 1 2 ret;"), "line 5, column 10: expected a number after .loc, not 'ret'"},
      {module_of(".loc 1 2 3, 4"),
       "line 5, column 13: expected function_name or inlined_at, not '4'"},
      {module_of(".pragma \"nounroll\""), "line 6, column 1: expected ';' after .pragma, not '}'"},
      {module_of("mov.u32 %r1, 0x;"), "line 5, column 14: this is not a number of PTX"},
      {module_of("mov.f32 %f1, 0f3F8;"), "line 5, column 14: this is not a number of PTX"},
      {module_of(".pragma \"nounroll;"),
       "line 5, column 9: the string that starts here has no closing quote on its line"},
      {module_of("ret; /* }"), "line 5, column 6: the comment that starts here has no closing */"},
      {module_of(std::string("ret\0;", 5)), "line 5, column 4: PTX has no character '\\x00'"},
      {module_of("add." + std::string(1000, 'x') + " a b;"),
       "line 5, column 1008: expected ';' after the operands of 'add." + std::string(36, 'x') +
           "…', not 'b'"},
  });
}

TEST(PtxErrors, DeepNesting) {
  const std::string too_deep = "brackets are nested too deeply";
  const std::size_t depth = 1'000'000;
  for (const char* opening : {"{", "(", "[{", "(.s64)", "[("}) {
    std::string text = module_of("mov.b32 ");
    text.resize(text.size() - 3);
    for (std::size_t i = 0; i < depth; ++i) text += opening;
    EXPECT_NE(error_of(text), "no error") << opening;
  }
  std::string open;
  std::string close;
  for (int i = 0; i < 200; ++i) {
    open += '(';
    close += ')';
  }
  EXPECT_TRUE(error_of(module_of("mov.b32 %r1, " + open + "1" + close + ";")).ends_with(too_deep));
  // Scopes and values are not nested in the parser's own stack.
  EXPECT_EQ(error_of(module_of(std::string(depth, '{') + std::string(depth, '}'))), "no error");
  EXPECT_EQ(error_of(kHeader + ".global .b32 a = {" + std::string(depth, '{') +
                     std::string(depth, '}') + "};"),
            "no error");
}

double seconds_to_parse(const std::string& text) {
  const std::clock_t start = std::clock();
  (void)parse(text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// A megabyte of anything takes a fraction of a second; what is quadratic would take minutes.
TEST(PtxErrors, NoTextTakesLong) {
  for (const char* piece :
       {"{",      "}",    "(",        "[",           "@",           "@!",
        ".a",     ".a ",  ".a\n",     ".a{",         ".a(",         ".reg .b32 a,",
        "a:",     "a::",  "a.",       "/*",          "//\n",        "# 1\n",
        "#",      "\"",   "\"\\",     "0",           "1 ",          "1.",
        "+",      "-",    "!",        "|",           "a|",          "a,",
        "call (", "a+",   "a <",      ".loc 1 2 3,", ".loc 1 2 3 ", "\n",
        ";",      "ret;", ".extern ", ".pragma ",    "@@DWARF",     "%",
        "\0"}) {
    std::string text;
    while (text.size() < (kSanitized ? 100'000 : 1'000'000))
      text += *piece == '\0' ? std::string(1, '\0') : piece;
    EXPECT_LT(seconds_to_parse(module_of(text)), 20) << piece;
    EXPECT_LT(seconds_to_parse(module_of("add " + text)), 20) << piece;
    EXPECT_LT(seconds_to_parse(kHeader + text), 20) << piece;
    EXPECT_LT(seconds_to_parse(kHeader + ".global .b32 a = " + text), 20) << piece;
    EXPECT_LT(seconds_to_parse(kHeader + ".func f(" + text), 20) << piece;
  }
}

}  // namespace
}  // namespace burin::read::ptx
