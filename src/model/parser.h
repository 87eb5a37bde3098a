#pragma once
// Recursive descent over the tokens, [Modelica2023, A.2]. One class, in several files:
// parse_expression, parse_declaration, parse_equation, parse_function, parse_class, syntax_error.
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ast.h"
#include "model/token.h"

namespace daedalus::model {

class Parser {
 public:
  explicit Parser(std::shared_ptr<const Source> source);

  Ast file();
  Expression only_expression();

 private:
  enum class Section { declarations, equation, initial_equation, constraint, algorithm };

  // Counts how deep the text nests, so that no text can exhaust the stack.
  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  // `for`, `if`, `when` and the word that opened it.
  struct Block {
    std::string_view word;
    Span at;
  };

  struct Path {
    std::string name;
    std::vector<Expression> subscripts;
  };

  // Tokens.
  const Token& peek(std::size_t ahead = 0) const;
  const Token& previous() const;
  bool at(std::string_view text) const { return peek().text == text && !at_end(); }
  bool at_any(std::initializer_list<std::string_view> texts) const;
  /// Throws if the text ends here only because what follows is no word.
  void refuse_no_word() const;
  bool at_end() const { return peek().kind == TokenKind::end_of_text; }
  const Token& take();
  bool accept(std::string_view text);
  const Token& expect(std::string_view text, std::string_view where, std::string hint = {});
  void expect_closing(std::string_view text, const Token& opening);
  Span span_from(const Span& begin) const;

  // Errors (syntax_error.cpp).
  [[noreturn]] void fail(const Span& at, std::string message, std::string hint = {}) const;
  [[noreturn]] void fail_expected(std::string_view what, std::string_view where,
                                  std::string hint = {}) const;
  [[noreturn]] void fail_at_operand() const;
  [[noreturn]] void fail_unsupported(const Token& token) const;
  [[noreturn]] void fail_unknown_type(const Token& token) const;
  [[noreturn]] void fail_not_a_declaration() const;
  void refuse_unsupported() const;
  void refuse_declaration() const;
  std::string hint_at(const Token& token) const;
  Span end_of(const Token& token) const;

  // Expressions.
  Expression expression();
  Expression if_expression();
  Expression range();
  Expression operation(int level);
  Expression signed_operand(int level);
  Expression chain(Expression first, int level, const Span& begin);
  Expression primary();
  Expression number();
  Expression reference_or_call();
  Expression call(const Token& function_token, std::string function);
  Expression at_time(Expression value, const Span& begin);
  Expression parenthesised();
  Expression array();
  Expression matrix();
  Expression subscript();
  std::vector<Expression> subscripts();
  std::vector<Iterator> iterators();
  std::string string_value(const Token& token) const;
  std::string identifier(std::string_view what);
  Path path(std::string_view what);
  void append_subscripts(Path& path, const Span& at) const;

  // Declarations.
  std::vector<Declaration> declaration(bool is_protected, bool in_function);
  Declaration declared_name(const Declaration& common, const std::vector<Expression>& type_dims);
  void prefixes(Declaration& common, bool in_function);
  Type type();
  std::vector<Attribute> attributes();
  Attribute attribute();
  std::string description();
  void check_new_name(const Token& token, const std::string& name) const;

  // Equations.
  Equation equation();
  Equations equations_until(std::initializer_list<std::string_view> ends, const Block& block);
  Equation equality();
  Equation for_equation();
  Equation if_equation();
  Equation when_equation();
  Equation special_equation();
  Expression condition(std::string_view word);
  void end_block(const Block& block);
  void refuse_section_inside(const Block& block) const;

  // Functions.
  Function function();
  void function_declarations(Function& function);
  Statement statement();
  Statements statements_until(std::initializer_list<std::string_view> ends, const Block& block);
  Statement assignment();
  Statement for_statement();
  Statement if_statement();

  // Models and files.
  Model model();
  bool section_heading(bool& is_protected);
  void model_element(Model& model, bool is_protected);
  std::string class_name(std::string_view kind);
  void end_class(std::string_view kind, const std::string& name, const Span& at);
  void annotation(Model* model);
  void experiment(Model& model);
  void skip_balanced();

  std::shared_ptr<const Source> source_;
  std::vector<Token> tokens_;
  std::optional<Diagnostic> lexical_error_;  // at the last token
  std::size_t next_ = 0;
  int depth_ = 0;
  int subscript_depth_ = 0;  // `end` has a meaning when positive
  Section section_ = Section::declarations;
  bool in_when_ = false;
  bool in_if_ = false;
};

}  // namespace daedalus::model
