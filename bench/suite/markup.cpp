#include "bench/suite/markup.h"

#include <fmt/format.h>

namespace daedalus::bench {
namespace {

constexpr const char* html_head =
    "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Daedalus: "
    "benchmarks</title>\n<style>body{font-family:sans-serif;max-width:75rem;margin:2rem auto;"
    "padding:0 "
    "1rem;color:#222}table{border-collapse:collapse;font-size:.85rem}th,td{padding:.15rem "
    ".6rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}th:first-child,"
    "td:first-child{text-align:left}.wide{overflow-x:auto;max-height:40rem;overflow-y:auto}"
    "figure{margin:1rem 0}</style></head>\n<body>\n";

std::string escaped(const std::string& words) {
  std::string result;
  for (const char c : words)
    result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '`' ? "" : std::string(1, c);
  return result;
}

}  // namespace

std::string Html::text() const {
  return html_head + text_ + "</body>\n</html>\n";
}
void Html::heading(int level, const std::string& title) {
  text_ += fmt::format("<h{0}>{1}</h{0}>\n", level, escaped(title));
}
void Html::paragraph(const std::string& words) {
  text_ += "<p>" + escaped(words) + "</p>\n";
}
void Html::table(const Cells& header, const std::vector<Cells>& rows) {
  text_ += "<div class=\"wide\"><table>\n";
  line(header, "th");
  for (const Cells& row : rows) line(row, "td");
  text_ += "</table></div>\n";
}
void Html::figure(const std::string&, const std::vector<reproduce::Plot>& plots) {
  if (!plots.empty()) text_ += "<figure>\n" + reproduce::svg(plots) + "</figure>\n";
}
void Html::line(const Cells& cells, const char* tag) {
  text_ += "<tr>";
  for (const std::string& cell : cells) text_ += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  text_ += "</tr>\n";
}

void Markdown::heading(int level, const std::string& title) {
  text_ += fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(level), '#'), title);
}
void Markdown::paragraph(const std::string& words) {
  text_ += words + "\n\n";
}
void Markdown::table(const Cells& header, const std::vector<Cells>& rows) {
  line(header);
  text_ += "|";
  for (std::size_t k = 0; k < header.size(); ++k) text_ += k == 0 ? " --- |" : " ---: |";
  text_ += "\n";
  for (const Cells& row : rows) line(row);
  text_ += "\n";
}
void Markdown::figure(const std::string& name, const std::vector<reproduce::Plot>& plots) {
  if (plots.empty()) return;
  const std::string file = folder_ + "/figures/" + name + ".svg";
  reproduce::write_svg(file, plots);
  figures_.push_back(file);
  text_ += fmt::format("![time against digits](figures/{}.svg)\n\n", name);
}
void Markdown::line(const Cells& cells) {
  text_ += "|";
  for (const std::string& cell : cells) text_ += " " + cell + " |";
  text_ += "\n";
}

}  // namespace daedalus::bench
