#include "host/kernel/assemble.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "host/isa/kernel_text.h"
#include "host/kernel/library.h"
#include "host/kernel/test_kernels.h"

namespace systolith::kernel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

arch::ChipConfig Chip() { return *arch::LoadChipConfig("tiny"); }

// A kernel whose body is these lines.
std::string InBody(const std::string& lines) {
  return "kernel k(n)\n  scalar scale = s3\n  body\n" + lines + "\n  end\nend\n";
}

Result<Kernel> AssembleBody(const std::string& lines, int64_t n = 3) {
  return Assemble(InBody(lines), "k", {{"n", n}}, Chip(), "f.kernel");
}

std::string ErrorOf(const std::string& lines) {
  const Result<Kernel> kernel = AssembleBody(lines);
  return kernel.ok() ? "no error" : kernel.status().message();
}

std::string TextOf(const Result<Kernel>& kernel) {
  if (!kernel.ok()) return kernel.status().message();
  std::string text;
  for (const auto& words : kernel->bundles) {
    text += isa::BundleText(arch::DecodeBundle(words), kernel->constants) + "\n";
  }
  return text;
}

TEST(AssembleTest, EveryOperationComesBackFromItsBundle) {
  for (const arch::OperationInfo& info : arch::kAluOps) {
    std::string line = fmt::format("out1[2] = {} in0[2]", info.name);
    if (info.name == "lookup") continue;
    if (info.sources > 1) line += ", s4";
    if (info.sources > 2) line += ", in3[2]";
    EXPECT_EQ(TextOf(AssembleBody(line)), line + " | exit\n");
  }
  for (const arch::OperationInfo& info : arch::kLaneOps) {
    std::string line = fmt::format("v0 = {}", info.name);
    for (uint32_t i = 0; i < info.sources; ++i) line += i == 0 ? " v0" : ", v0";
    if (info.amount) line += ", 3";
    EXPECT_THAT(TextOf(AssembleBody("v0 = copy in0\n" + line + "\nout0 = copy v0")),
                HasSubstr(line));
  }
}

TEST(AssembleTest, NumbersComeBackAsTheyWereWritten) {
  for (const char* operation :
       {"add_f32 in0, 1.5", "add_f32 in0, -0.0", "add_f32 in0, -inf", "add_f32 in0, nan",
        "add_f32 in0, 1e-08", "add_f32 in0, 3.0", "add_s32 in0, -7", "and in0, 0x7fffffff",
        "scale_f32 in0, -3", "copy 0.5", "copy -inf", "copy 12", "select in0, 2.5, 0"}) {
    const std::string line = std::string("out0 = ") + operation;
    EXPECT_EQ(TextOf(AssembleBody(line)), line + " | exit\n");
  }
}

TEST(AssembleTest, ExpressionsAreComputed) {
  const std::string text = TextOf(AssembleBody(R"(
    let half = n / 2 + (1 << 3) - -1
    let ratio = 3 / 2.0
    out0 = add_s32 in0[n - 1], (half * 2 % 7)
    out1[min(n, 2)] = multiply_f32 in1[2], (n == 3 && n < 4 ? ratio : 0.0)
    out0[1] = add_s32 in0[1], LANES
    out0[2] = add_s32 in0[2], (SEGMENT * SUBLANES | ~0)
    out0[3] = and in0[3], (bits(1.0)))"));
  EXPECT_THAT(text, HasSubstr("add_s32 v0, 6"));
  EXPECT_THAT(text, HasSubstr("out1[2] = multiply_f32 in1[2], 1.5"));
  EXPECT_THAT(text, HasSubstr(fmt::format("add_s32 in0[1], {}", Chip().Lanes())));
  EXPECT_THAT(text, HasSubstr("add_s32 in0[2], -1"));
  EXPECT_THAT(text, HasSubstr("and in0[3], 0x3f800000"));
}

TEST(AssembleTest, UnrollsChoosesAndInlines) {
  const std::string source = R"(
function twice(x, times) -> x, same
  same = copy x
  for i in 0..times
    x = add_f32 x, x
  end
end
kernel k(n)
  shared weight[2], bias   # three w registers
  table squares = 0, 1, 4,
                  9
  prologue
    for i in 0..2
      weight[i] = copy in1[i]
    end
    bias = copy 0.25
  end
  body
    sum = copy bias
    loop 4
      loop 5
        for i in 0..n
          if i % 2 == 0
            sum = multiply_add_f32 in0[i], weight[i / 2], sum
          else
            v[i] = lookup in0[i], squares
            sum = add_f32 sum, v[i]
          end
        end
      end
    end
    a, b = call twice sum, 2
    out0 = copy a
    out1 = subtract_f32 a, b
  end
end
)";
  const Result<Kernel> kernel = Assemble(source, "k", {{"n", 3}}, Chip(), "f.kernel");
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_EQ(kernel->shared_registers, 3u);
  EXPECT_EQ(kernel->first_loop, 4u);
  EXPECT_EQ(kernel->input_streams, 3u);
  EXPECT_EQ(kernel->output_streams, 3u);
  EXPECT_EQ(kernel->constants.size(), 1u + 32);
  EXPECT_EQ(kernel->constants[4], 9u);
  const std::string listing = Listing(*kernel);
  EXPECT_THAT(listing, HasSubstr("prologue\n    0  w0 = copy in1"));
  EXPECT_THAT(listing, HasSubstr("  loop 4\n    loop 5\n"));
  EXPECT_THAT(listing, HasSubstr("multiply_add_f32 in0, w0, "));
  EXPECT_THAT(listing, HasSubstr("f.kernel:26"));
  EXPECT_THAT(listing, HasSubstr("table c1 = 0, 1, 4, 9\n"));
  const auto outputs = testing::RunBundles(*kernel, {1, 1, 1, 1, 2, 3});
  EXPECT_EQ(outputs.size(), 2u);
}

TEST(AssembleTest, ErrorsNamePlaceReasonAndRemedy) {
  EXPECT_THAT(ErrorOf("out0 = ad_f32 in0, 1.0"),
              AllOf(HasSubstr("f.kernel:4:8: "), HasSubstr("did you mean 'add_f32'")));
  EXPECT_THAT(ErrorOf("out0 = add_f32 in0"), HasSubstr("takes 2 operands, not 1"));
  EXPECT_THAT(ErrorOf("out0 = copy value"), HasSubstr("f.kernel:4:13: value has no value here"));
  EXPECT_THAT(ErrorOf("x = in0"), HasSubstr("did you mean"));
  EXPECT_THAT(ErrorOf("x = 1.0"), HasSubstr("write `copy`"));
  EXPECT_THAT(ErrorOf("x = copy in4"), HasSubstr("in4 does not exist; there are in0 to in3"));
  EXPECT_THAT(ErrorOf("x = copy in0[32]"), HasSubstr("steps are 0 to 31"));
  EXPECT_THAT(ErrorOf("s0 = copy 1"), HasSubstr("s0 can't be written"));
  EXPECT_THAT(ErrorOf("n = copy 1"), HasSubstr("n is a compile-time number"));
  EXPECT_THAT(ErrorOf("x = copy out0"), HasSubstr("out0 can't be read"));
  EXPECT_THAT(ErrorOf("x = copy (n / 0)"), HasSubstr("division by zero; exclude it"));
  EXPECT_THAT(ErrorOf("x = copy (1 +)"), HasSubstr("f.kernel:4:14: ')' where a number"));
  EXPECT_THAT(ErrorOf("x = copy 12abc"), HasSubstr("12abc is no number"));
  EXPECT_THAT(ErrorOf("x = copy 0x123456789"), HasSubstr("no 32-bit hexadecimal"));
  EXPECT_THAT(ErrorOf("x = copy 5000000000"), HasSubstr("does not fit into 32 bits"));
  EXPECT_THAT(ErrorOf("x = copy in0 in1"), HasSubstr("'in1' where the end of the line"));
  EXPECT_THAT(ErrorOf("x = copy $"), HasSubstr("'$' means nothing"));
  EXPECT_THAT(ErrorOf("loop 6\nx = copy in0\nend"), HasSubstr("loops are 0 to 5"));
  EXPECT_THAT(ErrorOf("loop 5\nloop 4\nx = copy in0\nend\nend"), HasSubstr("higher numbers"));
  EXPECT_THAT(ErrorOf("loop 5\nx = copy in0"), HasSubstr("has no `end`"));
  EXPECT_THAT(ErrorOf("end\nend\nend"), HasSubstr("too many above"));
  EXPECT_THAT(ErrorOf("x = rotate_lanes in0, in1"), HasSubstr("the amount must be"));
  EXPECT_THAT(ErrorOf("x = copy " + std::string(100000, '(')), HasSubstr("nests too deeply"));
  EXPECT_THAT(ErrorOf("x = copy " + std::string(100000, '-')), HasSubstr("nests too deeply"));
  std::string blocks;
  for (int i = 0; i < 10000; ++i) blocks += "if 1\n";
  EXPECT_THAT(ErrorOf(blocks),
              AllOf(HasSubstr("blocks nest too deeply"), HasSubstr("into a function")));
  EXPECT_THAT(ErrorOf("x = copy in0[40]\ny = nothing"), HasSubstr("f.kernel:4:"));
  EXPECT_THAT(ErrorOf("x = call expp in0"), HasSubstr("no function is called 'expp'"));
  EXPECT_THAT(ErrorOf("for i in 0..1000000\nx = copy in0\nend"), HasSubstr("hardware loop"));
  EXPECT_THAT(ErrorOf("for i in 0..n\nx = copy i\nend\nout0 = copy i"),
              HasSubstr("i has no value"));
}

std::string Repeated(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(AssembleTest, LongExpressionsAreRefusedNotRecursedInto) {
  EXPECT_THAT(ErrorOf("x = copy (1" + Repeated(60000, " + 1") + ")"),
              AllOf(HasSubstr("f.kernel:4:"), HasSubstr("too long"), HasSubstr("`let`")));
  EXPECT_THAT(ErrorOf("x = copy (" + Repeated(20000, "1 ? 2 : ") + "3)"), HasSubstr("too long"));
  EXPECT_THAT(ErrorOf("x = copy (" + Repeated(20000, "1 ? ") + "3)"), HasSubstr("too long"));
  EXPECT_THAT(ErrorOf("out0 = copy (1" + Repeated(1000, " + 1") + ")"), "no error");
  EXPECT_THAT(ErrorOf("out0 = copy (" + Repeated(1000, "1 ? 2 : ") + "3)"), "no error");
}

TEST(AssembleTest, ArgumentsKeepTheirType) {
  const std::string functions = R"(
function twice(n) -> y
  let m = n * 2
  y = copy m
end
function four_times(n) -> y
  let m = n * 2
  y = call twice m
end
function pass(n) -> y
  y = call twice n
end
function same(x) -> x
end
)";
  const auto text = [&](const std::string& lines) {
    return TextOf(Assemble(functions + InBody(lines), "k", {{"n", 1}}, Chip()));
  };
  EXPECT_EQ(text("c = call twice 1.5\nout0 = copy c"), "out0 = copy 3.0 | exit\n");
  EXPECT_EQ(text("c = call twice -7\nout0 = copy c"), "out0 = copy -14 | exit\n");
  EXPECT_EQ(text("c = call four_times 1.5\nout0 = copy c"), "out0 = copy 6.0 | exit\n");
  EXPECT_EQ(text("c = call pass 1.5\nout0 = copy c"), "out0 = copy 3.0 | exit\n");
  EXPECT_EQ(text("c = call same 1.5\nout0 = copy c"), "out0 = copy 1.5 | exit\n");
  EXPECT_THAT(ErrorOf("x = copy in0\nx = rotate_lanes x, 1.5\nout0 = copy x"),
              AllOf(HasSubstr("f.kernel:5:21: "), HasSubstr("1.5 where an integer")));
  EXPECT_THAT(ErrorOf("let a = 0.5\nx = copy in0\nx = rotate_lanes x, a\nout0 = copy x"),
              HasSubstr("0.5 where an integer"));
}

TEST(AssembleTest, BuiltInNamesCannotBeTaken) {
  for (const std::string name : {"in0", "in9", "out1", "s1", "LANES", "SUBLANES", "SEGMENT"}) {
    const std::string error = name + " is a name of the language; take another one";
    EXPECT_THAT(ErrorOf("let " + name + " = 3"), HasSubstr("f.kernel:4:5: " + error));
    EXPECT_THAT(ErrorOf("for " + name + " in 0..3\nend"), HasSubstr("f.kernel:4:5: " + error));
    EXPECT_THAT(ErrorOf("table " + name + " = 3"), HasSubstr(error));
    EXPECT_THAT(ErrorOf("scalar " + name + " = s2"), HasSubstr(error));
    EXPECT_THAT(ErrorOf("shared a, " + name), HasSubstr(error));
    for (const std::string& head : {"kernel q(" + name + ")", "function q(a, " + name + ")",
                                   "function q(a) -> " + name}) {
      EXPECT_THAT(KernelNames(head + "\nend\n").status().message(), HasSubstr(error)) << head;
    }
  }
  EXPECT_THAT(KernelNames("function f(a, a)\nend").status().message(),
              HasSubstr("kernel:1:15: a stands here twice"));
  EXPECT_THAT(KernelNames("function f(a) -> y, y\nend").status().message(), HasSubstr("twice"));
}

TEST(AssembleTest, ANameStandsForOneThing) {
  EXPECT_THAT(ErrorOf("x = copy in0\nlet x = 3\nout0 = copy x"), HasSubstr("something else"));
  EXPECT_THAT(ErrorOf("x = copy in0\nfor x in 0..3\nend"), HasSubstr("something else"));
  EXPECT_THAT(ErrorOf("let x = 3\ntable x = 1, 2"), HasSubstr("something else"));
  EXPECT_THAT(ErrorOf("let x = 3\nscalar x = s2"), HasSubstr("something else"));
  EXPECT_THAT(ErrorOf("x = copy in0\nscalar x = s2"), HasSubstr("something else"));
}

TEST(AssembleTest, WhatCannotFitIsRefusedAtOnce) {
  EXPECT_THAT(ErrorOf("loop 5\nx = copy in0\nfor i in 0..40000\nx = add_s32 x, in0\nend\n"
                      "out0 = copy x\nend"),
              AllOf(HasSubstr("f.kernel:1:8: "), HasSubstr("1024 and 512 fit at best")));
  EXPECT_THAT(ErrorOf("x = copy in0\nfor i in 0..600\nx = reduce_maximum_f32 x\nend\n"
                      "out0 = copy x"),
              HasSubstr("600 lane operations"));
  // 513 bundles, but few enough operations.
  EXPECT_THAT(ErrorOf("x = copy in0\nfor i in 0..600\nx = add_s32 x, in0\nend\nout0 = copy x"),
              AllOf(HasSubstr("f.kernel:1:8: "), HasSubstr("kernel memory holds 512")));
  EXPECT_THAT(ErrorOf("x = copy in0\nfor i in 0..200\nx = add_s32 x, (i * 3)\nend\n"
                      "out0 = copy x"),
              AllOf(HasSubstr("f.kernel:1:8: "), HasSubstr("200 different numbers")));
}

TEST(AssembleTest, ManyCopiesFoldAtOnce) {
  EXPECT_EQ(TextOf(AssembleBody("y = copy in0\nfor i in 0..40000\nx[i] = copy y\n"
                                "y = copy x[i]\nend\nout0 = copy y")),
            "out0 = copy in0 | exit\n");
}

TEST(AssembleTest, LongNamesGetTheirSuggestionAtOnce) {
  EXPECT_THAT(ErrorOf("x = " + std::string(1000000, 'a') + " in0"), HasSubstr("did you mean"));
}

TEST(AssembleTest, OneIterationWritesAPlaceOnce) {
  EXPECT_THAT(ErrorOf("out0 = copy 1\nout0[0] = copy 2"),
              AllOf(HasSubstr("f.kernel:5:"), HasSubstr("out0[0] is written twice"),
                    HasSubstr("first in line 4")));
  EXPECT_THAT(ErrorOf("out0 = copy 1\nloop 5\nx = copy in0\nend\nout0 = copy 2"),
              HasSubstr("twice"));
  EXPECT_THAT(ErrorOf("loop 5\nout1[2] = copy 1\nout1[2] = copy 2\nend"), HasSubstr("twice"));
  EXPECT_THAT(ErrorOf("out0 = copy 1\nout0[1] = copy 2\nout1 = copy 3"), "no error");
  EXPECT_THAT(ErrorOf("loop 5\nout0 = copy 1\nend\nloop 5\nout0 = copy 2\nend"), "no error");
}

TEST(AssembleTest, AKernelMayReadSharedRegistersThatAnEarlierOneWrote) {
  const Result<Kernel> kernel = Assemble(
      "kernel k()\n  shared tap\n  body\n    out0 = add_f32 in0, tap\n  end\nend\n", "k", {},
      Chip());
  EXPECT_EQ(TextOf(kernel), "out0 = add_f32 in0, w0 | exit\n");
}

TEST(AssembleTest, NumbersRoundOnce) {
  const auto constant = [](const std::string& number) {
    const Result<Kernel> kernel = AssembleBody("out0 = copy " + number);
    return kernel.ok() ? kernel->constants.at(0) : 0u;
  };
  // Just above, at, and just below the middle of 1.0 and the next f32.
  EXPECT_EQ(constant("1.000000059604644775390625000000001"), 0x3f800001u);
  EXPECT_EQ(constant("1.000000059604644775390625"), 0x3f800000u);
  EXPECT_EQ(constant("1.000000178813934326171874999999999"), 0x3f800001u);
  EXPECT_EQ(constant("-1.000000059604644775390625000000001"), 0xbf800001u);
  EXPECT_EQ(constant("1e39"), 0x7f800000u);
  EXPECT_EQ(constant("1e-40"), 0x000116c2u);
  EXPECT_THAT(ErrorOf("out0 = copy 1e999"), HasSubstr("1e999 is out of range: write inf or 0.0"));
  EXPECT_THAT(ErrorOf("out0 = copy 99999999999999999999"), HasSubstr("out of range"));
  // 2^53 and its successor are the same double.
  for (const char* expression :
       {"(9007199254740993 > 9007199254740992)", "(9007199254740993 != 9007199254740992)",
        "(max(9007199254740992, 9007199254740993) - 9007199254740992)",
        "(9007199254740993 - min(9007199254740993, 9007199254740992))", "(nan != nan)",
        "(1 == 1.0)", "(!(nan < 1) && !(nan >= 1))"}) {
    EXPECT_EQ(constant(expression), 1u) << expression;
  }
}

TEST(AssembleTest, BytesThatAreNoText) {
  EXPECT_THAT(ErrorOf("x = copy \xc3\xa4"), HasSubstr("f.kernel:4:10: byte 0xc3 means nothing"));
  EXPECT_THAT(ErrorOf("x = copy \x01"), HasSubstr("byte 0x01"));
  const Result<Kernel> marked =
      Assemble("\xef\xbb\xbf" + InBody("out0 = copy 1 # \xc3\xa4"), "k", {{"n", 1}}, Chip());
  EXPECT_TRUE(marked.ok()) << marked.status().message();
}

TEST(AssembleTest, IndicesAreNotNegative) {
  EXPECT_THAT(ErrorOf("v[-1] = copy in0"), HasSubstr("v[-1]: an index is 0 or more"));
  EXPECT_THAT(ErrorOf("x = copy v[n - 4]"), HasSubstr("v[-1]: an index is 0 or more"));
}

TEST(AssembleTest, ParametersAreChecked) {
  const std::string source = InBody("out0 = copy (n)");
  EXPECT_THAT(Assemble(source, "k", {}, Chip()).status().message(),
              HasSubstr("needs a number for parameter n"));
  EXPECT_THAT(Assemble(source, "k", {{"n", 1}, {"m", 2}}, Chip()).status().message(),
              HasSubstr("no parameter m; did you mean 'n'"));
  EXPECT_THAT(Assemble(source, "q", {{"n", 1}}, Chip()).status().message(),
              HasSubstr("no kernel is called 'q'"));
}

TEST(AssembleTest, AFunctionThatCallsItselfIsAnError) {
  const Result<Kernel> kernel = Assemble(
      "function f(x) -> y\n  y = call f x\nend\n" + InBody("out0 = call f in0"), "k", {{"n", 1}},
      Chip());
  EXPECT_THAT(kernel.status().message(), HasSubstr("must not call itself"));
}

// A function that C++ calls is what a kernel's text gets that calls it.
TEST(CallFunctionTest, GivesWhatTheLanguageGives) {
  const Result<Kernel> expected = AssembleBody("x = copy in0\ny = call tanh x\nout0 = copy y");
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  ASSERT_GT(expected->bundles.size(), 5u);
  Builder builder("k");
  const auto results = CallFunction(builder, "tanh", {builder.Load(0)}, Chip());
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->size(), 1u);
  builder.Store(0, 0, results->front());
  const Result<Kernel> built = builder.Finish();
  ASSERT_TRUE(built.ok()) << built.status().message();
  EXPECT_EQ(TextOf(built), TextOf(expected));
  EXPECT_EQ(built->constants, expected->constants);
}

TEST(CallFunctionTest, ErrorsNameTheFunction) {
  Builder builder("k");
  const auto wrong_count = CallFunction(builder, "tanh", {}, Chip());
  ASSERT_FALSE(wrong_count.ok());
  EXPECT_THAT(wrong_count.status().message(), HasSubstr("function tanh takes 1 arguments, not 0"));
  const auto unknown = CallFunction(builder, "tahn", {Value::Input(0)}, Chip());
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.status().message(), HasSubstr("tahn"));
}

TEST(LibraryTest, IsWellFormed) {
  const Result<const Module*> library = Library();
  ASSERT_TRUE(library.ok()) << library.status().message();
}

}  // namespace
}  // namespace systolith::kernel
