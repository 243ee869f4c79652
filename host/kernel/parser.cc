#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "host/kernel/builtin_names.h"
#include "host/kernel/expression.h"
#include "host/kernel/syntax.h"

namespace systolith::kernel {
namespace {

using Kind = Statement::Kind;

constexpr int kMaxNesting = 100;
constexpr int kMaxOperators = 1000;  // of a line; each may be one level of a tree

// Reads the tokens of one line.
class Line {
 public:
  explicit Line(const std::vector<Token>& tokens) : tokens_(tokens) {}

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token Take() {
    const Token& token = Peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool Accept(std::string_view text) {
    if (Peek().text != text) return false;
    Take();
    return true;
  }
  Status Expect(std::string_view text) {
    return Accept(text) ? OkStatus() : Unexpected(fmt::format("'{}'", text));
  }
  Status ExpectEnd() const { return IsEnd() ? OkStatus() : Unexpected("the end of the line"); }
  bool IsEnd() const { return Peek().kind == Token::Kind::kEnd; }
  // Counts expressions inside of expressions: the stack is finite.
  Status Enter() {
    return ++depth_ <= kMaxNesting ? OkStatus()
                                   : SyntaxError(Peek().location,
                                                 fmt::format("the expression nests too deeply, {} "
                                                             "levels are possible; name parts of "
                                                             "it with `let`", kMaxNesting));
  }
  void Leave() { --depth_; }
  // An operator with operands on both sides.
  Result<Token> TakeOperator() {
    if (++operators_ <= kMaxOperators) return Take();
    return SyntaxError(Peek().location,
                       fmt::format("the expression is too long, {} operators are possible; name "
                                   "parts of it with `let`", kMaxOperators));
  }
  Result<std::string> Name(std::string_view what) {
    if (Peek().kind != Token::Kind::kName) return Unexpected(what);
    return Take().text;
  }
  // A name that the source gives to something.
  Result<std::string> NewName(std::string_view what) {
    if (IsBuiltinName(Peek().text)) {
      return SyntaxError(Peek().location,
                         fmt::format("{} is a name of the language; take another one",
                                     Peek().text));
    }
    return Name(what);
  }
  // The same, into a list whose names must differ.
  Status AddNewName(std::string_view what, std::vector<std::string>& names) {
    const Location location = Peek().location;
    ASSIGN_OR_RETURN(std::string name, NewName(what));
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return SyntaxError(location, fmt::format("{} stands here twice; rename one", name));
    }
    names.push_back(std::move(name));
    return OkStatus();
  }
  Status Unexpected(std::string_view wanted) const {
    return SyntaxError(Peek().location,
                       IsEnd() ? fmt::format("the line ends where {} is wanted", wanted)
                               : fmt::format("'{}' where {} is wanted", Peek().text, wanted));
  }

 private:
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int operators_ = 0;
};

Result<Expression> ParseExpression(Line& line);

Result<std::vector<Expression>> ParseIndex(Line& line) {
  std::vector<Expression> index;
  if (line.Accept("[")) {
    ASSIGN_OR_RETURN(Expression expression, ParseExpression(line));
    index.push_back(std::move(expression));
    RETURN_IF_ERROR(line.Expect("]"));
  }
  return index;
}

Result<Expression> ParseUncounted(Line& line);

Result<Expression> ParsePrimary(Line& line) {
  RETURN_IF_ERROR(line.Enter());
  Result<Expression> expression = ParseUncounted(line);
  line.Leave();
  return expression;
}

Result<Expression> ParseUncounted(Line& line) {
  Expression expression;
  expression.token = line.Peek();
  switch (expression.token.kind) {
    case Token::Kind::kInteger:
    case Token::Kind::kBits:
    case Token::Kind::kFloat: line.Take(); return expression;
    case Token::Kind::kName:
      line.Take();
      expression.kind = Expression::Kind::kName;
      if (!line.Accept("(")) return expression;
      expression.kind = Expression::Kind::kCall;
      while (true) {
        ASSIGN_OR_RETURN(Expression argument, ParseExpression(line));
        expression.arguments.push_back(std::move(argument));
        if (!line.Accept(",")) break;
      }
      RETURN_IF_ERROR(line.Expect(")"));
      return CheckFunction(expression);
    default: break;
  }
  if (line.Accept("(")) {
    ASSIGN_OR_RETURN(expression, ParseExpression(line));
    RETURN_IF_ERROR(line.Expect(")"));
    return expression;
  }
  for (const std::string_view symbol : {"-", "!", "~"}) {
    if (!line.Accept(symbol)) continue;
    expression.kind = Expression::Kind::kCall;
    ASSIGN_OR_RETURN(Expression argument, ParsePrimary(line));
    expression.arguments.push_back(std::move(argument));
    return expression;
  }
  return line.Unexpected("a number, a name or '('");
}

// Operators of one line bind alike, those of later lines more tightly.
const std::array<std::set<std::string, std::less<>>, 9> kOperators = {{
    {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!=", "<", "<=", ">", ">="}, {"<<", ">>"},
    {"+", "-"}, {"*", "/", "%"},
}};

Result<Expression> ParseBinary(Line& line, size_t strength) {
  if (strength == kOperators.size()) return ParsePrimary(line);
  ASSIGN_OR_RETURN(Expression left, ParseBinary(line, strength + 1));
  while (line.Peek().kind == Token::Kind::kSymbol &&
         kOperators[strength].contains(line.Peek().text)) {
    Expression operation;
    operation.kind = Expression::Kind::kCall;
    ASSIGN_OR_RETURN(operation.token, line.TakeOperator());
    ASSIGN_OR_RETURN(Expression right, ParseBinary(line, strength + 1));
    operation.arguments.push_back(std::move(left));
    operation.arguments.push_back(std::move(right));
    left = std::move(operation);
  }
  return left;
}

Result<Expression> ParseExpression(Line& line) {
  ASSIGN_OR_RETURN(Expression condition, ParseBinary(line, 0));
  if (line.Peek().text != "?") return condition;
  Expression choice;
  choice.kind = Expression::Kind::kCall;
  ASSIGN_OR_RETURN(choice.token, line.TakeOperator());
  ASSIGN_OR_RETURN(Expression yes, ParseExpression(line));
  RETURN_IF_ERROR(line.Expect(":"));
  ASSIGN_OR_RETURN(Expression no, ParseExpression(line));
  choice.arguments.push_back(std::move(condition));
  choice.arguments.push_back(std::move(yes));
  choice.arguments.push_back(std::move(no));
  return choice;
}

// `v`, `v[i]`, `1.5`, `-inf`, `(n * 2)`.
Result<Operand> ParseOperand(Line& line, bool is_target) {
  Operand operand;
  operand.location = line.Peek().location;
  if (line.Peek().kind == Token::Kind::kName) {
    operand.name = line.Take().text;
    ASSIGN_OR_RETURN(operand.index, ParseIndex(line));
    return operand;
  }
  if (is_target) return line.Unexpected("the name of a variable or output");
  ASSIGN_OR_RETURN(Expression value, ParsePrimary(line));
  operand.value.push_back(std::move(value));
  return operand;
}

Result<std::vector<Operand>> ParseOperands(Line& line, bool are_targets) {
  std::vector<Operand> operands;
  do {
    ASSIGN_OR_RETURN(Operand operand, ParseOperand(line, are_targets));
    operands.push_back(std::move(operand));
  } while (line.Accept(","));
  return operands;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::vector<Token>>& lines) : lines_(lines) {}

  Result<Module> Run() {
    Module module;
    while (at_ < lines_.size()) {
      ASSIGN_OR_RETURN(Definition definition, ParseDefinition());
      auto& all = definition.is_kernel ? module.kernels : module.functions;
      const auto found = all.find(definition.name);
      if (found != all.end()) {
        return SyntaxError(definition.location,
                           fmt::format("{} is defined twice; first in line {}", definition.name,
                                       found->second.location.line));
      }
      const std::string name = definition.name;
      all.emplace(name, std::move(definition));
    }
    return module;
  }

 private:
  Result<Definition> ParseDefinition() {
    Line line(lines_[at_++]);
    Definition definition;
    const Token keyword = line.Peek();
    if (keyword.text != "kernel" && keyword.text != "function") {
      return line.Unexpected("'kernel' or 'function' (an `end` too many above?)");
    }
    line.Take();
    definition.is_kernel = keyword.text == "kernel";
    definition.location = line.Peek().location;
    ASSIGN_OR_RETURN(definition.name, line.Name("a name"));
    if (line.Accept("(") && !line.Accept(")")) {
      do {
        RETURN_IF_ERROR(line.AddNewName("the name of a parameter", definition.parameters));
      } while (line.Accept(","));
      RETURN_IF_ERROR(line.Expect(")"));
    }
    if (!definition.is_kernel && line.Accept("->")) {
      do {
        RETURN_IF_ERROR(line.AddNewName("the name of a result", definition.results));
      } while (line.Accept(","));
    }
    RETURN_IF_ERROR(line.ExpectEnd());
    ASSIGN_OR_RETURN(definition.statements, ParseBlock(keyword, nullptr));
    return definition;
  }

  // Statements up to the `end` that belongs to `opener`, or, if `saw_else` is given, up to `else`.
  Result<std::vector<Statement>> ParseBlock(const Token& opener, bool* saw_else) {
    if (++depth_ > kMaxNesting) {
      return SyntaxError(opener.location,
                         fmt::format("the blocks nest too deeply, {} levels are possible; move "
                                     "inner ones into a function", kMaxNesting));
    }
    std::vector<Statement> statements;
    while (at_ < lines_.size()) {
      const std::string& first = lines_[at_].front().text;
      if (first == "end" || (first == "else" && saw_else != nullptr)) {
        Line line(lines_[at_++]);
        line.Take();
        if (saw_else != nullptr) *saw_else = first == "else";
        RETURN_IF_ERROR(line.ExpectEnd());
        --depth_;
        return statements;
      }
      ASSIGN_OR_RETURN(Statement statement, ParseStatement());
      statements.push_back(std::move(statement));
    }
    return SyntaxError(opener.location,
                       fmt::format("this `{}` has no `end`; add one", opener.text));
  }

  Result<Statement> ParseStatement() {
    Line line(lines_[at_++]);
    Statement statement;
    const Token keyword = line.Peek();
    statement.location = keyword.location;
    const std::string& word = keyword.text;
    if (word == "kernel" || word == "function" || word == "else") {
      return SyntaxError(keyword.location,
                         fmt::format("`{}` cannot stand here; is an `end` missing above?", word));
    }
    if (line.Peek(1).text != "=" && line.Peek(1).text != "[" && line.Peek(1).text != ",") {
      if (word == "let") return Let(line, statement);
      if (word == "for") return For(line, statement, keyword);
      if (word == "if") return If(line, statement, keyword);
      if (word == "loop") return Loop(line, statement, keyword);
      if (word == "table") return Table(line, statement);
      if (word == "scalar") return Scalar(line, statement);
      if (word == "shared") return Shared(line, statement);
      if (word == "prologue" || word == "body") return Part(line, statement, keyword);
    }
    return Assignment(line, statement);
  }

  Result<Statement> Let(Line& line, Statement& statement) {
    statement.kind = Kind::kLet;
    line.Take();
    ASSIGN_OR_RETURN(statement.name, line.NewName("a name"));
    RETURN_IF_ERROR(line.Expect("="));
    ASSIGN_OR_RETURN(statement.first, ParseExpression(line));
    RETURN_IF_ERROR(line.ExpectEnd());
    return std::move(statement);
  }

  Result<Statement> For(Line& line, Statement& statement, const Token& keyword) {
    statement.kind = Kind::kFor;
    line.Take();
    ASSIGN_OR_RETURN(statement.name, line.NewName("a name"));
    RETURN_IF_ERROR(line.Expect("in"));
    ASSIGN_OR_RETURN(statement.first, ParseExpression(line));
    RETURN_IF_ERROR(line.Expect(".."));
    ASSIGN_OR_RETURN(statement.second, ParseExpression(line));
    RETURN_IF_ERROR(line.ExpectEnd());
    ASSIGN_OR_RETURN(statement.children, ParseBlock(keyword, nullptr));
    return std::move(statement);
  }

  Result<Statement> If(Line& line, Statement& statement, const Token& keyword) {
    statement.kind = Kind::kIf;
    line.Take();
    ASSIGN_OR_RETURN(statement.first, ParseExpression(line));
    RETURN_IF_ERROR(line.ExpectEnd());
    bool saw_else = false;
    ASSIGN_OR_RETURN(statement.children, ParseBlock(keyword, &saw_else));
    if (saw_else) {
      ASSIGN_OR_RETURN(statement.others, ParseBlock(keyword, nullptr));
    }
    return std::move(statement);
  }

  Result<Statement> Loop(Line& line, Statement& statement, const Token& keyword) {
    statement.kind = Kind::kLoop;
    line.Take();
    ASSIGN_OR_RETURN(statement.first, ParseExpression(line));
    RETURN_IF_ERROR(line.ExpectEnd());
    ASSIGN_OR_RETURN(statement.children, ParseBlock(keyword, nullptr));
    return std::move(statement);
  }

  Result<Statement> Table(Line& line, Statement& statement) {
    statement.kind = Kind::kTable;
    line.Take();
    ASSIGN_OR_RETURN(statement.name, line.NewName("the name of the table"));
    RETURN_IF_ERROR(line.Expect("="));
    ASSIGN_OR_RETURN(statement.operands, ParseOperands(line, false));
    RETURN_IF_ERROR(line.ExpectEnd());
    return std::move(statement);
  }

  Result<Statement> Scalar(Line& line, Statement& statement) {
    statement.kind = Kind::kScalar;
    line.Take();
    ASSIGN_OR_RETURN(statement.name, line.NewName("a name"));
    RETURN_IF_ERROR(line.Expect("="));
    ASSIGN_OR_RETURN(Operand word, ParseOperand(line, true));
    statement.operands.push_back(std::move(word));
    RETURN_IF_ERROR(line.ExpectEnd());
    return std::move(statement);
  }

  Result<Statement> Shared(Line& line, Statement& statement) {
    statement.kind = Kind::kShared;
    line.Take();
    do {
      const Location location = line.Peek().location;
      ASSIGN_OR_RETURN(std::string name, line.NewName("the name of a shared register"));
      ASSIGN_OR_RETURN(std::vector<Expression> count, ParseIndex(line));
      statement.targets.push_back({std::move(name), std::move(count), {}, location});
    } while (line.Accept(","));
    RETURN_IF_ERROR(line.ExpectEnd());
    return std::move(statement);
  }

  Result<Statement> Part(Line& line, Statement& statement, const Token& keyword) {
    statement.kind = keyword.text == "body" ? Kind::kBody : Kind::kPrologue;
    line.Take();
    RETURN_IF_ERROR(line.ExpectEnd());
    ASSIGN_OR_RETURN(statement.children, ParseBlock(keyword, nullptr));
    return std::move(statement);
  }

  Result<Statement> Assignment(Line& line, Statement& statement) {
    if (!(line.Peek().text == "call" && line.Peek(1).kind == Token::Kind::kName)) {
      ASSIGN_OR_RETURN(statement.targets, ParseOperands(line, true));
      RETURN_IF_ERROR(line.Expect("="));
    }
    if (line.Accept("call")) statement.kind = Kind::kCall;
    statement.operation_location = line.Peek().location;
    ASSIGN_OR_RETURN(statement.operation,
                     line.Name("the name of an operation (to copy a value, write `copy`)"));
    if (!line.IsEnd()) {
      ASSIGN_OR_RETURN(statement.operands, ParseOperands(line, false));
    }
    RETURN_IF_ERROR(line.ExpectEnd());
    if (statement.kind == Kind::kAssign && statement.targets.size() != 1) {
      return SyntaxError(statement.location, "an operation has one result; only `call` has more");
    }
    return std::move(statement);
  }

  const std::vector<std::vector<Token>>& lines_;
  size_t at_ = 0;
  int depth_ = 0;  // of blocks
};

}  // namespace

Result<Module> Parse(std::string_view source, const std::string& file) {
  ASSIGN_OR_RETURN(const auto lines, Lex(source, file));
  return Parser(lines).Run();
}

}  // namespace systolith::kernel
