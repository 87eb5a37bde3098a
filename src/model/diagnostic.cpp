#include "model/diagnostic.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/characters.h"

namespace daedalus::model {
namespace {

// A longer source line is shown only around the error.
constexpr std::size_t max_line_length = 160;
constexpr std::size_t length_before_error = 60;

std::string_view line_around(std::string_view text, std::size_t offset, std::size_t& begin) {
  begin = 0;
  if (offset > 0) {
    const std::size_t newline = text.rfind('\n', offset - 1);
    if (newline != std::string_view::npos) begin = newline + 1;
  }
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

std::size_t start_of_character(std::string_view text, std::size_t offset) {
  while (offset > 0 && offset < text.size() && is_continuation(text[offset])) --offset;
  return offset;
}

// What a terminal shows of `text`, and blanks of the same width. Tabs stay tabs in both, so that
// both lines shift alike.
struct Shown {
  std::string text;
  std::string blanks;
};

Shown shown(std::string_view text) {
  Shown result;
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool printable = next.is_valid && next.code >= 0x20 && next.code != 0x7f;
    if (next.code == '\t') {
      result.text += '\t';
      result.blanks += '\t';
    } else if (printable) {
      result.text += text.substr(0, next.length);
      result.blanks.append(display_width(next.code), ' ');
    } else {
      result.text += "\xef\xbf\xbd";  // the replacement character
      result.blanks += ' ';
    }
    text.remove_prefix(next.length);
  }
  return result;
}

// The line of the error, and below it a caret with tildes up to the end of the span or line.
std::string quote(std::string_view text, const Span& at) {
  const std::size_t offset = std::min(at.offset, text.size());
  std::size_t begin = 0;
  std::string_view line = line_around(text, offset, begin);
  std::size_t column = std::min(offset - begin, line.size());
  const char* cut_before = "";
  const char* cut_after = "";
  if (line.size() > max_line_length) {
    if (column > length_before_error) {
      const std::size_t dropped = start_of_character(line, column - length_before_error);
      line.remove_prefix(dropped);
      column -= dropped;
      cut_before = "...";
    }
    if (line.size() > max_line_length) {
      line = line.substr(0, start_of_character(line, max_line_length));
      cut_after = "...";
    }
  }
  std::string marks = shown(line.substr(column, at.length)).blanks;
  std::replace(marks.begin(), marks.end(), ' ', '~');
  std::replace(marks.begin(), marks.end(), '\t', '~');
  if (marks.empty()) marks.push_back('^');
  marks.front() = '^';
  return fmt::format("{}{}{}\n{}{}{}", cut_before, shown(line).text, cut_after,
                     std::string(std::string_view(cut_before).size(), ' '),
                     shown(line.substr(0, column)).blanks, marks);
}

bool comes_before(const Diagnostic& left, const Diagnostic& right) {
  return left.at.offset < right.at.offset;
}

bool is_repeated(const Diagnostic& left, const Diagnostic& right) {
  return left.at.offset == right.at.offset && left.message == right.message;
}

std::vector<Diagnostic> sorted(std::vector<Diagnostic> diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), comes_before);
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), is_repeated),
                    diagnostics.end());
  return diagnostics;
}

std::string to_text(const Source& source, const std::vector<Diagnostic>& diagnostics) {
  std::string result;
  std::size_t count = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (count == ModelError::max_shown) {
      result += fmt::format("\n{}: {} more errors", source.file, diagnostics.size() - count);
      break;
    }
    if (count++ > 0) result += '\n';
    result += to_text(source, diagnostic);
  }
  return result;
}

}  // namespace

std::string to_text(const Source& source, const Diagnostic& diagnostic) {
  std::string result =
      fmt::format("{}:{}:{}: error: {}\n{}", source.file, diagnostic.at.line, diagnostic.at.column,
                  diagnostic.message, quote(source.text, diagnostic.at));
  if (!diagnostic.hint.empty()) result += "\nhint: " + diagnostic.hint;
  return result;
}

ModelError::ModelError(const Source& source, const Diagnostic& diagnostic)
    : ModelError(source, std::vector<Diagnostic>{diagnostic}) {}

ModelError::ModelError(const Source& source, std::vector<Diagnostic> diagnostics)
    : ModelError(source, std::make_shared<const Content>(
                             Content{source.file, sorted(std::move(diagnostics))})) {}

ModelError::ModelError(const Source& source, std::shared_ptr<const Content> content)
    : InvalidInput(to_text(source, content->diagnostics)), content_(std::move(content)) {}

}  // namespace daedalus::model
