// Files, models, sections and annotations, and the handling of tokens.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "model/diagnostic.h"
#include "model/parse.h"
#include "model/parser.h"

namespace daedalus::model {
namespace {

std::shared_ptr<const Source> source_of(std::string_view text, std::string file_name) {
  return std::make_shared<const Source>(Source{std::move(file_name), std::string(text)});
}

// Where a setting of experiment goes; null for what other tools put there.
Expression* setting(Experiment& experiment, std::string_view name) {
  if (name == "StartTime") return &experiment.start_time;
  if (name == "StopTime") return &experiment.stop_time;
  if (name == "Tolerance") return &experiment.tolerance;
  if (name == "Interval") return &experiment.interval;
  return nullptr;
}

std::string_view closing(std::string_view opening) {
  if (opening == "(") return ")";
  return opening == "[" ? "]" : "}";
}

}  // namespace

Ast parse_model(std::string_view text, std::string file_name) {
  return Parser(source_of(text, std::move(file_name))).file();
}

Expression parse_expression(std::string_view text, std::string file_name) {
  return Parser(source_of(text, std::move(file_name))).only_expression();
}

Parser::Parser(std::shared_ptr<const Source> source) : source_(std::move(source)) {
  Tokens found = tokens_of(*source_);
  tokens_ = std::move(found.list);
  lexical_error_ = std::move(found.error);
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser.depth_ <= max_depth) return;
  parser.fail(parser.peek().at, fmt::format("nested deeper than {} levels", max_depth),
              "name a part of the expression: Real part = ...;");
}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token& Parser::previous() const {
  return tokens_[next_ > 0 ? next_ - 1 : 0];
}

bool Parser::at_any(std::initializer_list<std::string_view> texts) const {
  return std::any_of(texts.begin(), texts.end(),
                     [this](std::string_view text) { return at(text); });
}

const Token& Parser::take() {
  const Token& result = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return result;
}

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

const Token& Parser::expect(std::string_view text, std::string_view where, std::string hint) {
  if (!at(text)) fail_expected(fmt::format("'{}'", text), where, std::move(hint));
  return take();
}

void Parser::expect_closing(std::string_view text, const Token& opening) {
  const std::string where =
      opening.at.line == previous().at.line
          ? fmt::format("to close '{}'", opening.text)
          : fmt::format("to close the '{}' of line {}", opening.text, opening.at.line);
  expect(text, where);
}

Span Parser::span_from(const Span& begin) const {
  const Span& last = previous().at;
  return {begin.offset, last.offset + last.length - begin.offset, begin.line, begin.column};
}

Ast Parser::file() {
  Ast result;
  result.source = source_;
  bool has_model = false;
  while (!at_end()) {
    if (at("function")) {
      result.functions.push_back(function());
    } else if (at("model")) {
      if (has_model) {
        fail(peek().at,
             fmt::format("a second model: '{}' is in this file already", result.model.name),
             "a file holds one model, and functions beside it");
      }
      result.model = model();
      has_model = true;
    } else {
      refuse_unsupported();
      fail_expected("'model' or 'function'", "", "a file holds: model NAME ... end NAME;");
    }
  }
  refuse_no_word();
  if (!has_model) {
    fail(end_of(previous()), "there is no model in this text",
         "write: model NAME ... equation ... end NAME;");
  }
  return result;
}

Model Parser::model() {
  take();
  Model result;
  result.at = peek().at;
  result.name = class_name("model");
  result.description = description();
  section_ = Section::declarations;
  bool is_protected = false;
  while (!at("end")) {
    if (at_end()) end_class("model", result.name, result.at);
    if (section_heading(is_protected)) continue;
    if (at("annotation")) {
      annotation(&result);
      expect(";", "after the annotation");
      continue;
    }
    model_element(result, is_protected);
  }
  end_class("model", result.name, result.at);
  return result;
}

bool Parser::section_heading(bool& is_protected) {
  const bool initial = at("initial") && peek(1).text != "(";
  if (initial) {
    take();
    refuse_unsupported();
    expect("equation", "after 'initial'");
    section_ = Section::initial_equation;
  } else if (at_any({"equation", "constraint"})) {
    section_ = take().text == "equation" ? Section::equation : Section::constraint;
  } else if (at_any({"public", "protected"})) {
    section_ = Section::declarations;
    is_protected = take().text == "protected";
  } else {
    return false;
  }
  return true;
}

void Parser::model_element(Model& model, bool is_protected) {
  if (section_ == Section::declarations) {
    for (Declaration& next : declaration(is_protected, false)) {
      model.declarations.push_back(std::move(next));
    }
    return;
  }
  refuse_declaration();
  Equations& into = section_ == Section::equation           ? model.equations
                    : section_ == Section::initial_equation ? model.initial_equations
                                                            : model.constraints;
  into.push_back(equation());
}

std::string Parser::class_name(std::string_view kind) {
  const Token& first = peek();
  Path found = path(fmt::format("the name of the {}", kind));
  if (!found.subscripts.empty()) {
    fail(first.at, fmt::format("the name of a {} has no subscripts", kind));
  }
  check_new_name(first, found.name);
  if (at("=")) {
    fail(peek().at, fmt::format("the short form '{} {} = ...' is not supported", kind, found.name),
         fmt::format("write the {} in full", kind));
  }
  return found.name;
}

void Parser::end_class(std::string_view kind, const std::string& name, const Span& at) {
  if (at_end()) {
    fail(end_of(previous()),
         fmt::format("expected 'end {};' but the text ends: the {} of line {} is not closed", name,
                     kind, at.line),
         fmt::format("write 'end {};' in the last line", name));
  }
  expect("end", "");
  const Token& found = peek();
  if (at_any({"for", "if", "when", "while"})) {
    fail(found.at, fmt::format("'end {}' closes nothing here", found.text),
         fmt::format("remove it; the {} ends with 'end {};'", kind, name));
  }
  if (found.kind != TokenKind::identifier) {
    fail_expected(fmt::format("'{}'", name), "after 'end'", fmt::format("write 'end {};'", name));
  }
  const std::string ended = path("a name").name;
  if (ended != name) {
    fail(found.at, fmt::format("the {} '{}' ends with 'end {}'", kind, name, ended),
         fmt::format("write 'end {};'", name));
  }
  expect(";", fmt::format("after 'end {}'", name));
}

// Of a model, experiment is read; all else is tool business and skipped.
void Parser::annotation(Model* model) {
  take();
  if (!at("(")) fail_expected("'('", "after 'annotation'");
  const Token& opening = peek();
  if (model == nullptr || peek(1).text == ")") return skip_balanced();
  take();
  do {
    if (at("experiment") && peek(1).text == "(") {
      experiment(*model);
    } else {
      while (!at_any({",", ")", ";"}) && !at_end()) {
        if (at_any({"(", "[", "{"}))
          skip_balanced();
        else if (at_any({"]", "}"}))
          fail_expected("')'", "in the annotation");
        else
          take();
      }
    }
  } while (accept(","));
  expect_closing(")", opening);
}

void Parser::experiment(Model& model) {
  const Span begin = take().at;
  const Token& opening = take();
  if (model.experiment) {
    fail(begin,
         fmt::format("a second experiment: the first is in line {}", model.experiment->at.line),
         "keep one of the two");
  }
  Experiment result;
  while (!at(")")) {
    const Token& word = peek();
    const std::string name = path("a setting, such as StopTime").name;
    expect("=", fmt::format("after '{}'", name));
    Expression value = expression();
    Expression* target = setting(result, name);
    if (target != nullptr && *target) fail(word.at, fmt::format("'{}' is given twice", name));
    if (target != nullptr) *target = std::move(value);
    if (!accept(",")) break;
  }
  expect_closing(")", opening);
  result.at = span_from(begin);
  model.experiment = std::move(result);
}

// From an opening bracket to the one that closes it.
void Parser::skip_balanced() {
  std::vector<const Token*> open;
  do {
    if (at_any({"(", "[", "{"})) {
      open.push_back(&take());
      continue;
    }
    const bool closes = at_any({")", "]", "}"});
    const bool ends = at_end() || (at(";") && open.back()->text != "[");
    if (closes || ends) {
      expect_closing(closing(open.back()->text), *open.back());
      open.pop_back();
      continue;
    }
    take();
  } while (!open.empty());
}

}  // namespace daedalus::model
