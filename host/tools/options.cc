#include "host/tools/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "host/base/nearest_name.h"
#include "host/tools/version.h"

namespace systolith::tools {
namespace {

// CLI11 reads -1 as the largest unsigned number.
const CLI::Validator kUnsigned(
    [](std::string& text) {
      uint64_t value = 0;
      const char* end = text.data() + text.size();
      const auto [last, error] = std::from_chars(text.data(), end, value);
      return error == std::errc() && last == end ? std::string()
                                                 : "'" + text + "' is not a number in 0..2^64-1";
    },
    "");

constexpr char kExitCodes[] =
    "exit codes: 0 done and every check held, 1 a result was wrong, 2 bad usage or input,\n"
    "            3 the compiler can't do it, 4 the chip hung or reported an error";

void AddProgram(CLI::App& command, Options& options, const char* what) {
  command.add_option("PROGRAM", options.program, what)->type_name("");
}

void AddChip(CLI::App& command, Options& options) {
  command.add_option("--chip", options.chip,
                     std::string("configuration: a name (see `systolith info`) or a .toml file; "
                                 "default: ") +
                         kDefaultChip + ", or the one that a .sysx was compiled for")
      ->type_name("NAME|FILE");
}

void AddPrecision(CLI::App& command, std::string& precision) {
  command.add_option("--precision", precision,
                     "products of f32: default rounds to bf16, high takes 3 passes, highest 6 "
                     "(default; highest for programs that check themselves)")
      ->type_name("default|high|highest");
}

void AddNoFold(CLI::App& command, Options& options) {
  command.add_flag("--no-fold", options.no_fold,
                   "compute what depends on constants only on the chip, too");
}

struct Parser {
  CLI::App app{"Compiles StableHLO programs for the Systolith chip and runs them on it."};
  Options options;
  std::string precision;

  Parser() {
    app.name("systolith");
    app.footer(kExitCodes);
    app.set_version_flag("--version", kVersion);
    app.allow_extras();
    AddRun();
    AddCompile();
    AddConformance();
    CLI::App& disasm = Add("disasm", "Lists a program's instructions with their operations.");
    AddProgram(disasm, options, "StableHLO text (.mlir), a portable artifact or an executable (.sysx)");
    AddChip(disasm, options);
    AddPrecision(disasm, precision);
    CLI::App& info = Add("info", "Describes a program; without one, a chip or all of them.");
    AddProgram(info, options, "StableHLO text (.mlir), a portable artifact or an executable (.sysx)");
    AddChip(info, options);
    AddPrecision(info, precision);
    AddKernel();
    Add("doctor", "Checks what is installed and says what to do about the rest.");
  }

  CLI::App& Add(const std::string& name, const std::string& description) {
    CLI::App& command = *app.add_subcommand(name, description);
    command.allow_extras();
    command.footer(kExitCodes);
    return command;
  }

  void AddTarget(CLI::App& command) {
    command.add_option("--target", options.target,
                       "rtl: the verilated chip (default), golden: the bit-exact model, or a "
                       "backend's .so")
        ->type_name("rtl|golden");
  }

  void AddRun() {
    CLI::App& run = Add("run", "Runs a program on a chip.");
    AddProgram(run, options, "StableHLO text (.mlir), a portable artifact or an executable (.sysx)");
    AddChip(run, options);
    AddTarget(run);
    run.add_option("--inputs", options.inputs_path, "arguments: arrays arg0, arg1 ... or in order")
        ->type_name("FILE.npz");
    run.add_option("--input", options.inputs, "one argument; may be repeated")
        ->type_name("argN=FILE.npy")
        ->allow_extra_args(false);
    run.add_option("--seed", options.seed,
                   "random arguments where no file is given: floats N(0,1), integers full range "
                   "(default 0)")
        ->check(kUnsigned);
    run.add_option("--output", options.output_path, "results: arrays result0, result1 ...")
        ->type_name("FILE.npz");
    run.add_option("--labels", options.labels_path,
                   "expected classes: reports how often the largest entry of result 0 is there")
        ->type_name("FILE.npy");
    run.add_flag("--check", options.check,
                 "compare with the golden model (bits) and the evaluator (double precision)");
    run.add_flag("--no-fallback", options.no_fallback,
                 "an operation that the chip can't do is an error (exit code 3)");
    AddNoFold(run, options);
    run.add_option("--report", options.report_path, "all figures, as JSON")->type_name("FILE.json");
    run.add_option("--trace", options.trace_path, "waveform (rtl only)")->type_name("FILE.fst");
    run.add_option("--trace-start", options.trace_start_cycle, "first cycle of the waveform")
        ->check(kUnsigned)
        ->type_name("CYCLE");
    run.add_option("--trace-end", options.trace_end_cycle, "end of the waveform, exclusive")
        ->check(kUnsigned)
        ->type_name("CYCLE");
    run.add_option("--timeout", options.timeout_cycles,
                   "stop a chip step after so many cycles; 0: never (default)")
        ->check(kUnsigned)
        ->type_name("CYCLES");
    run.add_flag("--load-by-bus", options.load_by_bus,
                 "host copies use the AXI pins instead of the memory model (slow)");
    AddPrecision(run, precision);
    run.add_flag("--quiet", options.quiet, "print nothing but errors and failed checks");
  }

  void AddCompile() {
    CLI::App& compile = Add("compile", "Compiles a program to a file.");
    AddProgram(compile, options, "StableHLO text (.mlir) or a portable artifact");
    AddChip(compile, options);
    compile.add_option("-o,--output", options.executable_path, "the executable")
        ->type_name("FILE.sysx");
    compile.add_option("--dump-after", options.dump_after,
                       "print what there is after that pass (all: after each)")
        ->type_name("PASS");
    compile.add_flag("--no-fallback", options.no_fallback,
                     "an operation that the chip can't do is an error (exit code 3)");
    AddNoFold(compile, options);
    AddPrecision(compile, precision);
  }

  void AddConformance() {
    CLI::App& conformance =
        Add("conformance", "Runs programs that check themselves and prints a scoreboard.");
    conformance.add_option("PATH", options.paths, "StableHLO text (.mlir) or folders of it")
        ->type_name("");
    AddTarget(conformance);
    AddChip(conformance, options);
    AddNoFold(conformance, options);
    conformance.add_option("--filter", options.filter, "only programs whose name holds TEXT")
        ->type_name("TEXT");
    conformance.add_option("--every", options.every, "a sample: each N-th program")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    conformance.add_option("--jobs", options.jobs, "processes at once; default: one per core")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    conformance.add_option("--seconds", options.seconds,
                           "a program that takes longer is wrong (default 60)")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    conformance.add_option("--json", options.report_path, "what came of each program")
        ->type_name("FILE");
    conformance.add_option("--baseline", options.baseline_path,
                           "what was reached before; worse is exit code 1")
        ->type_name("FILE");
    conformance.add_option("--write-baseline", options.write_baseline_path,
                           "writes what was reached now")
        ->type_name("FILE");
    conformance.add_flag("--quiet", options.quiet, "print no table, only what got worse");
  }

  void AddKernel() {
    CLI::App& kernel = Add("kernel", "Assembles a kernel of the vector unit and lists it.");
    AddProgram(kernel, options, "kernels (.kernel); without, those of the library");
    AddChip(kernel, options);
    kernel.add_option("--kernel", options.kernel, "which kernel; default: the only one")
        ->type_name("NAME");
    kernel.add_option("--param", options.parameters,
                      "the number of a parameter; may be repeated")
        ->type_name("NAME=NUMBER")
        ->allow_extra_args(false);
  }
};

std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> SubcommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

Status UnknownArgument(const CLI::App& app, const std::string& argument) {
  const bool is_top = app.get_parent() == nullptr;
  const std::string where = is_top ? "systolith" : "systolith " + app.get_name();
  if (argument.starts_with("-")) {
    const std::string flag = argument.substr(0, argument.find('='));
    return InvalidArgument(fmt::format("unknown flag '{}'; did you mean '{}'? See `{} --help`",
                                       flag, NearestName(flag, FlagsOf(app)), where));
  }
  if (is_top) {
    return InvalidArgument(
        fmt::format("unknown subcommand '{}'; did you mean '{}'? See `systolith --help`", argument,
                    NearestName(argument, SubcommandsOf(app))));
  }
  return InvalidArgument(
      fmt::format("unexpected argument '{}'; `{}` takes one program", argument, where));
}

Result<std::optional<graph::Precision>> ParsePrecision(const std::string& text) {
  using P = std::optional<graph::Precision>;
  if (text.empty()) return P();
  if (text == "default") return P(graph::Precision::kDefault);
  if (text == "high") return P(graph::Precision::kHigh);
  if (text == "highest") return P(graph::Precision::kHighest);
  const std::vector<std::string> known = {"default", "high", "highest"};
  return InvalidArgument(
      fmt::format("unknown precision '{}'; must be default, high or highest; did you mean '{}'?",
                  text, NearestName(text, known)));
}

Status CheckOptions(const Options& options) {
  const std::vector<std::string> programless = {"info", "doctor", "kernel", "conformance"};
  const bool needs_program =
      std::find(programless.begin(), programless.end(), options.subcommand) == programless.end();
  if (needs_program && options.program.empty()) {
    return InvalidArgument(fmt::format(
        "`systolith {0}` needs a PROGRAM; see `systolith {0} --help`", options.subcommand));
  }
  if (options.subcommand == "compile" && options.executable_path.empty() &&
      options.dump_after.empty()) {
    return InvalidArgument("`systolith compile` needs -o FILE.sysx or --dump-after=PASS");
  }
  if (options.subcommand == "conformance" && options.paths.empty()) {
    return InvalidArgument(
        "`systolith conformance` needs files or folders; see `systolith conformance --help`");
  }
  if (!options.write_baseline_path.empty() && (!options.filter.empty() || options.every > 1)) {
    return InvalidArgument("--write-baseline takes all programs: no --filter, no --every");
  }
  const bool runs = options.subcommand == "run" || options.subcommand == "conformance";
  if (runs && options.target != "rtl" && options.target != "golden" &&
      !options.target.ends_with(".so")) {
    const std::vector<std::string> known = {"rtl", "golden"};
    return InvalidArgument(fmt::format(
        "unknown target '{}'; must be rtl, golden or a backend's .so; did you mean '{}'?",
        options.target, NearestName(options.target, known)));
  }
  if (options.target == "golden" && !options.trace_path.empty()) {
    return InvalidArgument("--trace needs --target rtl: the golden model has no signals");
  }
  if (!options.inputs_path.empty() && !options.inputs.empty()) {
    return InvalidArgument("--inputs and --input exclude each other");
  }
  if (options.trace_path.empty() &&
      (options.trace_start_cycle != 0 || options.trace_end_cycle != UINT64_MAX)) {
    return InvalidArgument("--trace-start and --trace-end need --trace FILE.fst");
  }
  if (options.trace_start_cycle >= options.trace_end_cycle) {
    return InvalidArgument(fmt::format("--trace-start {} is not before --trace-end {}",
                                       options.trace_start_cycle, options.trace_end_cycle));
  }
  return OkStatus();
}

}  // namespace

Result<Options> ParseCommandLine(int argc, const char* const* argv, std::string* text) {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = parser.app.get_subcommands();
    *text = chosen.empty() ? parser.app.help() : chosen.front()->help("systolith");
    return parser.options;
  } catch (const CLI::CallForVersion&) {
    *text = std::string("systolith ") + kVersion + "\n";
    return parser.options;
  } catch (const CLI::ParseError& error) {
    return InvalidArgument(error.what());
  }
  const auto chosen = parser.app.get_subcommands();
  for (const CLI::App* app : {static_cast<const CLI::App*>(&parser.app),
                              chosen.empty() ? nullptr : static_cast<const CLI::App*>(chosen[0])}) {
    if (app == nullptr) continue;
    std::vector<std::string> extras = app->remaining();
    // A misspelled flag explains the stray value behind it.
    std::stable_partition(extras.begin(), extras.end(),
                          [](const std::string& extra) { return extra.starts_with("-"); });
    if (!extras.empty()) return UnknownArgument(*app, extras.front());
  }
  if (chosen.empty()) {
    *text = parser.app.help();
    return InvalidArgument(fmt::format("a subcommand is missing: {}",
                                       fmt::join(SubcommandsOf(parser.app), ", ")));
  }
  Options options = parser.options;
  options.subcommand = chosen.front()->get_name();
  ASSIGN_OR_RETURN(options.precision, ParsePrecision(parser.precision));
  RETURN_IF_ERROR(CheckOptions(options));
  return options;
}

}  // namespace systolith::tools
