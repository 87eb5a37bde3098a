#pragma once
// What is wrong with a model text, shown at the place where it is wrong:
//   pendulum.mo:9:10: error: unknown variable 'lamda'
//     m*der(u) = -x*lamda;
//                   ^~~~~
//   hint: did you mean 'lambda'?
#include <memory>
#include <string>
#include <vector>

#include "daedalus/error.h"
#include "model/ast.h"

namespace daedalus::model {

struct Diagnostic {
  Span at;
  std::string message;
  std::string hint;  ///< what to do about it, or empty
};

/// The diagnostic with its source line, a caret, and its hint; no newline at the end.
std::string to_text(const Source& source, const Diagnostic& diagnostic);

/// One or more errors in a model text. what() and text() show up to max_shown of them.
class ModelError : public InvalidInput {
 public:
  static constexpr std::size_t max_shown = 10;

  ModelError(const Source& source, const Diagnostic& diagnostic);
  /// In the order of the text, repeated ones dropped. `diagnostics` must not be empty.
  ModelError(const Source& source, std::vector<Diagnostic> diagnostics);

  std::string text() const { return what(); }
  const std::string& file() const { return content_->file; }
  const std::vector<Diagnostic>& diagnostics() const { return content_->diagnostics; }

  // The first error.
  int line() const { return first().at.line; }
  int column() const { return first().at.column; }
  const std::string& message() const { return first().message; }
  const std::string& hint() const { return first().hint; }

 private:
  struct Content {
    std::string file;
    std::vector<Diagnostic> diagnostics;
  };
  ModelError(const Source& source, std::shared_ptr<const Content> content);
  const Diagnostic& first() const { return content_->diagnostics.front(); }

  std::shared_ptr<const Content> content_;  // an exception must be copied without throwing
};

/// Collects errors, so that a check can go on and show all of them at once.
class Diagnostics {
 public:
  explicit Diagnostics(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  void error(const Span& at, std::string message, std::string hint = {}) {
    found_.push_back({at, std::move(message), std::move(hint)});
  }
  bool empty() const { return found_.empty(); }
  const std::vector<Diagnostic>& found() const { return found_; }
  /// Throws a ModelError with all of them, if there are any.
  void raise_if_any() const {
    if (!found_.empty()) throw ModelError(*source_, found_);
  }

 private:
  std::shared_ptr<const Source> source_;
  std::vector<Diagnostic> found_;
};

}  // namespace daedalus::model
