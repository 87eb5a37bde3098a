// The lexical grammar, [Modelica2023, 2], with PEGTL. The syntax above it is parsed by recursive
// descent (parser.h): there the messages can say what a mistake probably meant.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "model/characters.h"
#include "model/diagnostic.h"
#include "model/token.h"

namespace daedalus::model {
namespace {

namespace lexical {
using namespace tao::pegtl;
// NOLINTBEGIN(readability-identifier-naming): rules are named like PEGTL's own

struct byte_order_mark : string<'\xef', '\xbb', '\xbf'> {};
struct blank : plus<one<' ', '\t', '\n', '\r', '\f', '\v'>> {};
struct line_comment : seq<two<'/'>, until<eolf>> {};
struct block_comment : seq<string<'/', '*'>, until<string<'*', '/'>>> {};
struct open_comment : string<'/', '*'> {};

struct escaped : seq<one<'\\'>, any> {};
struct string_literal : seq<one<'"'>, star<sor<not_one<'"', '\\'>, escaped>>, one<'"'>> {};
struct open_string : one<'"'> {};
struct quoted_identifier
    : seq<one<'\''>, plus<sor<not_one<'\'', '\\', '\n'>, escaped>>, one<'\''>> {};
struct open_identifier : one<'\''> {};
struct word : identifier {};

// In `2.*x`, `2./x` and `2.^x` the point belongs to the operator, as people mean it.
struct comment_ahead : seq<one<'/'>, one<'/', '*'>> {};
struct operator_ahead : sor<one<'*', '^'>, seq<not_at<comment_ahead>, one<'/'>>> {};
struct fraction : seq<one<'.'>, not_at<operator_ahead>, star<digit>> {};
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>> {};
struct number : seq<plus<digit>, opt<fraction>, opt<exponent>> {};

// Operators of other languages are words too: the parser says what they are called here.
struct foreign_symbol : sor<string<'!', '='>, two<'&'>, two<'|'>, two<'*'>, string<'+', '='>,
                            string<'-', '='>, string<'*', '='>, string<'/', '='>,
                            one<'!', '%', '&', '|', '~', '?', '@', '#', '$', '\\', '`'>> {};
struct symbol : sor<foreign_symbol, two<'='>, string<'<', '='>, string<'>', '='>, string<'<', '>'>,
                    string<':', '='>, seq<one<'.'>, one<'*', '/', '^', '+', '-'>>,
                    one<'+', '-', '*', '/', '^', '=', '<', '>', '(', ')', '{', '}', '[', ']', ',',
                        ';', ':', '.'>> {};
struct no_word : any {};

struct item : sor<blank, line_comment, block_comment, open_comment, word, number, symbol,
                  string_literal, open_string, quoted_identifier, open_identifier, no_word> {};
struct text : seq<opt<byte_order_mark>, star<item>, eof> {};
// NOLINTEND(readability-identifier-naming)
}  // namespace lexical

constexpr std::string_view keywords[] = {
    "algorithm", "and",         "annotation", "block",         "break",      "class",
    "connect",   "connector",   "constant",   "constrainedby", "constraint", "der",
    "discrete",  "each",        "else",       "elseif",        "elsewhen",   "encapsulated",
    "end",       "enumeration", "equation",   "expandable",    "extends",    "external",
    "false",     "final",       "flow",       "for",           "function",   "if",
    "import",    "impure",      "in",         "initial",       "inner",      "input",
    "loop",      "model",       "not",        "operator",      "or",         "outer",
    "output",    "package",     "parameter",  "partial",       "protected",  "public",
    "pure",      "record",      "redeclare",  "replaceable",   "return",     "stream",
    "then",      "true",        "type",       "when",          "while",      "within"};

// Counts lines and characters from token to token, so that each byte is looked at once.
class Collector {
 public:
  explicit Collector(const Source& source) : source_(source) {
    if (source.text.starts_with("\xef\xbb\xbf")) next_ = 3;  // a byte order mark has no column
  }

  void add(TokenKind kind, std::string_view text) { tokens.push_back({kind, text, span(text)}); }

  [[noreturn]] void fail(std::string_view where, std::string message, std::string hint) {
    throw ModelError(source_, {span(where), std::move(message), std::move(hint)});
  }

  std::size_t bytes_from(const char* begin) const {
    return source_.text.size() - static_cast<std::size_t>(begin - source_.text.data());
  }

  void finish(std::size_t offset) {
    add(TokenKind::end_of_text, std::string_view(source_.text).substr(offset, 0));
  }

  std::vector<Token> tokens;

 private:
  Span span(std::string_view text) {
    const auto offset = static_cast<std::size_t>(text.data() - source_.text.data());
    for (; next_ < offset; ++next_) {
      const char byte = source_.text[next_];
      if (byte == '\n') {
        ++line_;
        column_ = 1;
      } else if (!is_continuation(byte)) {
        ++column_;
      }
    }
    return {offset, text.size(), line_, column_};
  }

  const Source& source_;
  std::size_t next_ = 0;
  int line_ = 1;
  int column_ = 1;
};

template <class Input>
std::string_view view(const Input& input) {
  return {input.begin(), input.size()};
}

void require_utf8(std::string_view text, Collector& collector) {
  if (is_utf8(text)) return;
  std::size_t valid = 0;
  for (Character next = first_character(text); next.is_valid;) {
    valid += next.length;
    next = first_character(text.substr(valid));
  }
  collector.fail(text.substr(valid, 1), "this byte is not UTF-8", "save the file as UTF-8");
}

std::string hint_for(char32_t code) {
  switch (code) {
    case 0x2212:
    case 0x2013:
    case 0x2014:
      return "this dash is not the minus sign '-'";
    case 0xd7:
    case 0xb7:
    case 0x22c5:
      return "write '*' for a product";
    case 0x201c:
    case 0x201d:
    case 0x201e:
      return "write strings in straight quotes: \"...\"";
    case 0x2018:
    case 0x2019:
      return "write the straight quote '";
    case 0x2264:
      return "write '<='";
    case 0x2265:
      return "write '>='";
    case 0x2260:
      return "write '<>'";
    case 0xa0:
      return "this is a no-break space; write a space";
    default:
      break;
  }
  return code >= 0x80 ? "outside strings and comments only ASCII is allowed; other letters may "
                        "stand in quoted names: 'α'"
                      : "";
}

template <class Rule>
struct Action : tao::pegtl::nothing<Rule> {};

template <TokenKind kind>
struct AddToken {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    collector.add(kind, view(input));
  }
};

template <>
struct Action<lexical::number> : AddToken<TokenKind::number> {};
template <>
struct Action<lexical::symbol> : AddToken<TokenKind::symbol> {};

template <TokenKind kind>
struct AddText {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    require_utf8(view(input), collector);
    collector.add(kind, view(input));
  }
};

template <>
struct Action<lexical::string_literal> : AddText<TokenKind::string> {};
template <>
struct Action<lexical::quoted_identifier> : AddText<TokenKind::identifier> {};

template <>
struct Action<lexical::word> {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    const bool reserved = std::binary_search(std::begin(keywords), std::end(keywords), view(input));
    collector.add(reserved ? TokenKind::keyword : TokenKind::identifier, view(input));
  }
};

template <>
struct Action<lexical::open_comment> {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    collector.fail(view(input), "this comment is never closed", "close it with */");
  }
};

template <>
struct Action<lexical::open_string> {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    // Often a quote is missing much earlier, and every string since is inside out.
    for (const Token& token : collector.tokens) {
      if (token.kind != TokenKind::string || token.text.find('\n') == token.text.npos) continue;
      collector.fail(view(input), "this string is never closed",
                     fmt::format("or a quote is missing in line {}, where a string begins that "
                                 "goes on over several lines",
                                 token.at.line));
    }
    collector.fail(view(input), "this string is never closed",
                   "close it with \"; inside a string, write \\\" for a quote");
  }
};

template <>
struct Action<lexical::open_identifier> {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    collector.fail(view(input), "this quoted name is empty or not closed in its line",
                   "single quotes enclose names, as in 'body.r[1]'; strings have double quotes");
  }
};

template <>
struct Action<lexical::no_word> {
  template <class Input>
  static void apply(const Input& input, Collector& collector) {
    const std::string_view rest(input.begin(), collector.bytes_from(input.begin()));
    const Character found = first_character(rest);
    if (!found.is_valid) {
      collector.fail(rest.substr(0, 1), "this byte is not UTF-8", "save the file as UTF-8");
    }
    const std::string_view bytes = rest.substr(0, found.length);
    const bool printable = found.code > 0x20 && found.code != 0x7f;
    collector.fail(bytes,
                   printable ? fmt::format("unexpected character '{}'", bytes)
                             : fmt::format("unexpected control character 0x{:02x}",
                                           static_cast<unsigned>(found.code)),
                   hint_for(found.code));
  }
};

}  // namespace

Tokens tokens_of(const Source& source) {
  Collector collector(source);
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy> input(
      source.text.data(), source.text.data() + source.text.size(), source.file);
  Tokens result;
  try {
    tao::pegtl::parse<lexical::text, Action>(input, collector);
    collector.finish(source.text.size());
  } catch (const ModelError& error) {
    result.error = error.diagnostics().front();
    collector.finish(result.error->at.offset);
  }
  result.list = std::move(collector.tokens);
  return result;
}

}  // namespace daedalus::model
