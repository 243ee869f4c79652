#include "host/isa/executable_json.h"

#include <cstring>
#include <nlohmann/json.hpp>

namespace systolith::isa {
namespace {

using nlohmann::json;

json Binary(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  return json::binary(std::vector<uint8_t>(data, data + bytes.size()));
}

json Encode(const Program& program) {
  json lines = json::array();
  for (const LineEntry& entry : program.lines) {
    lines.push_back({entry.pc, entry.operation, entry.line});
  }
  json kernels = json::array();
  for (const KernelEntry& entry : program.kernels) kernels.push_back({entry.pc, entry.name});
  return {{"words", Binary(std::as_bytes(std::span(program.words)))},
          {"lines", lines},
          {"kernels", kernels}};
}

Program DecodeProgram(const json& value) {
  Program program;
  const auto& words = value.at("words").get_binary();
  program.words.resize(words.size() / 4);
  std::memcpy(program.words.data(), words.data(), program.words.size() * 4);
  for (const json& entry : value.at("lines")) {
    program.lines.push_back(
        {entry.at(0).get<uint32_t>(), entry.at(1).get<std::string>(), entry.at(2).get<int>()});
  }
  for (const json& entry : value.at("kernels")) {
    program.kernels.push_back({entry.at(0).get<uint32_t>(), entry.at(1).get<std::string>()});
  }
  return program;
}

json Encode(const Step& step) {
  if (const auto* host = std::get_if<HostStep>(&step)) {
    return {{"module", host->module_text},
            {"inputs", host->inputs},
            {"outputs", host->outputs},
            {"check", host->is_check},
            {"lines", host->lines}};
  }
  const auto& chip = std::get<ChipStep>(step);
  json segments = json::array();
  for (const SegmentBinding& segment : chip.segments) {
    segments.push_back(
        {static_cast<int>(segment.home), segment.index, segment.readable, segment.writable});
  }
  return {{"program", Encode(chip.program)}, {"segments", segments}};
}

Home DecodeHome(const json& value) {
  const int home = value.get<int>();
  if (home < 0 || home > static_cast<int>(Home::kConstants)) {
    throw json::out_of_range::create(401, "unknown allocation", &value);
  }
  return static_cast<Home>(home);
}

Step DecodeStep(const json& value) {
  if (value.contains("module")) {
    HostStep host;
    value.at("module").get_to(host.module_text);
    value.at("inputs").get_to(host.inputs);
    value.at("outputs").get_to(host.outputs);
    value.at("check").get_to(host.is_check);
    value.at("lines").get_to(host.lines);
    return host;
  }
  ChipStep chip;
  chip.program = DecodeProgram(value.at("program"));
  for (const json& segment : value.at("segments")) {
    chip.segments.push_back({DecodeHome(segment.at(0)), segment.at(1).get<uint32_t>(),
                             segment.at(2).get<bool>(), segment.at(3).get<bool>()});
  }
  return chip;
}

json Encode(const Tensor& tensor) {
  return {{"element", tensor.element}, {"dims", tensor.dims},
          {"home", static_cast<int>(tensor.home)}, {"index", tensor.index},
          {"offset", tensor.offset}, {"bytes", tensor.bytes}};
}

Tensor DecodeTensor(const json& value) {
  Tensor tensor;
  value.at("element").get_to(tensor.element);
  value.at("dims").get_to(tensor.dims);
  tensor.home = DecodeHome(value.at("home"));
  value.at("index").get_to(tensor.index);
  value.at("offset").get_to(tensor.offset);
  value.at("bytes").get_to(tensor.bytes);
  return tensor;
}

json Encode(const OperationReport& report) {
  return {{"operation", report.operation}, {"line", report.line}, {"on_chip", report.on_chip},
          {"reason", report.reason},       {"macs", report.macs}, {"flops", report.flops},
          {"bytes", report.bytes}};
}

OperationReport DecodeReport(const json& value) {
  OperationReport report;
  value.at("operation").get_to(report.operation);
  value.at("line").get_to(report.line);
  value.at("on_chip").get_to(report.on_chip);
  value.at("reason").get_to(report.reason);
  value.at("macs").get_to(report.macs);
  value.at("flops").get_to(report.flops);
  value.at("bytes").get_to(report.bytes);
  return report;
}

Executable DecodeExecutable(const json& body) {
  Executable executable;
  body.at("name").get_to(executable.name);
  body.at("source_file").get_to(executable.source_file);
  body.at("chip_name").get_to(executable.chip_name);
  body.at("program_hash").get_to(executable.program_hash);
  body.at("arguments").get_to(executable.arguments);
  body.at("results").get_to(executable.results);
  body.at("aliases").get_to(executable.aliases);
  body.at("scratch_bytes").get_to(executable.scratch_bytes);
  body.at("notes").get_to(executable.notes);
  const auto& constants = body.at("constants").get_binary();
  executable.constants.resize(constants.size());
  std::memcpy(executable.constants.data(), constants.data(), constants.size());
  for (const json& tensor : body.at("tensors")) executable.tensors.push_back(DecodeTensor(tensor));
  for (const json& step : body.at("steps")) executable.steps.push_back(DecodeStep(step));
  for (const json& report : body.at("operations")) {
    executable.operations.push_back(DecodeReport(report));
  }
  return executable;
}

}  // namespace

std::vector<std::byte> EncodeBody(const Executable& executable) {
  json body = {{"name", executable.name},
               {"source_file", executable.source_file},
               {"chip_name", executable.chip_name},
               {"program_hash", executable.program_hash},
               {"arguments", executable.arguments},
               {"results", executable.results},
               {"aliases", executable.aliases},
               {"scratch_bytes", executable.scratch_bytes},
               {"notes", executable.notes},
               {"constants", Binary(executable.constants)}};
  body["tensors"] = json::array();
  for (const Tensor& tensor : executable.tensors) body["tensors"].push_back(Encode(tensor));
  body["steps"] = json::array();
  for (const Step& step : executable.steps) body["steps"].push_back(Encode(step));
  body["operations"] = json::array();
  for (const OperationReport& report : executable.operations) {
    body["operations"].push_back(Encode(report));
  }
  const std::vector<uint8_t> cbor = json::to_cbor(body);
  std::vector<std::byte> bytes(cbor.size());
  std::memcpy(bytes.data(), cbor.data(), cbor.size());
  return bytes;
}

Result<Executable> DecodeBody(std::span<const std::byte> body) {
  try {
    const auto* data = reinterpret_cast<const uint8_t*>(body.data());
    return DecodeExecutable(json::from_cbor(data, data + body.size()));
  } catch (const json::exception& error) {
    return InvalidArgument(std::string("malformed contents: ") + error.what());
  }
}

}  // namespace systolith::isa
