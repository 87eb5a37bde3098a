#pragma once
// Headings, paragraphs, tables and figures in one of two markups.
#include <string>
#include <vector>

#include "reproduce/svg_plot.h"

namespace daedalus::bench {

using Cells = std::vector<std::string>;

class Page {
 public:
  virtual ~Page() = default;
  virtual void heading(int level, const std::string& text) = 0;
  virtual void paragraph(const std::string& text) = 0;
  virtual void table(const Cells& header, const std::vector<Cells>& rows) = 0;
  virtual void figure(const std::string& name, const std::vector<reproduce::Plot>& plots) = 0;
  virtual bool wants_every_run() const = 0;
};

class Html final : public Page {
 public:
  std::string text() const;
  void heading(int level, const std::string& title) override;
  void paragraph(const std::string& words) override;
  void table(const Cells& header, const std::vector<Cells>& rows) override;
  void figure(const std::string& name, const std::vector<reproduce::Plot>& plots) override;
  bool wants_every_run() const override { return true; }

 private:
  void line(const Cells& cells, const char* tag);

  std::string text_;
};

class Markdown final : public Page {
 public:
  /// Figures are written below `folder`.
  explicit Markdown(std::string folder) : folder_(std::move(folder)) {}
  const std::string& text() const { return text_; }
  const std::vector<std::string>& figures() const { return figures_; }
  void heading(int level, const std::string& title) override;
  void paragraph(const std::string& words) override;
  void table(const Cells& header, const std::vector<Cells>& rows) override;
  void figure(const std::string& name, const std::vector<reproduce::Plot>& plots) override;
  bool wants_every_run() const override { return false; }

 private:
  void line(const Cells& cells);

  std::string folder_, text_;
  std::vector<std::string> figures_;
};

}  // namespace daedalus::bench
