#include "gpu/vision/cascade_xml.h"

#include <algorithm>

namespace gpu::vision {
namespace {

constexpr std::size_t deepest = 32, most_elements = std::size_t{1} << 22;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
         c == ':';
}

std::string_view trimmed(std::string_view text) {
  std::size_t first = 0, end = text.size();
  while (first < end && is_blank(text[first])) ++first;
  while (end > first && is_blank(text[end - 1])) --end;
  return text.substr(first, end - first);
}

// Lists the elements in the order of their start tags.
class XmlReader {
 public:
  XmlReader(std::string_view text, std::vector<Element>& elements) : text_(text), elements_(elements) {}

  void read() {
    constexpr std::size_t usual = std::size_t{1} << 16;  // of hostile text there may be none
    elements_.reserve(std::min(usual, static_cast<std::size_t>(std::ranges::count(text_, '<')) / 2));
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
    while (at_ < text_.size()) {
      if (text_[at_] != '<')
        read_text();
      else if (starts("<!--"))
        skip_past("-->", "a comment is not closed");
      else if (starts("<?") && elements_.empty())
        skip_past("?>", "the XML declaration is not closed");
      else if (starts("</"))
        end_element();
      else
        start_element();
    }
    if (!open_.empty())
      fail("the file ends inside " + quoted(top().name) + " of line " + std::to_string(top().line) + ": it is truncated");
    if (elements_.empty()) fail("no XML element: this is not a cascade file");
  }

 private:
  [[noreturn]] void fail(std::string_view cause) const { throw CascadeError(line_, cause); }
  bool starts(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }
  Element& top() { return elements_[static_cast<std::size_t>(open_.back().element)]; }

  void advance(std::size_t to) {
    line_ += static_cast<int>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }
  void skip_past(std::string_view end, std::string_view cause) {
    const auto found = text_.find(end, at_);
    if (found == text_.npos) fail(cause);
    advance(found + end.size());
  }
  void skip_blanks() {
    auto end = at_;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    advance(end);
  }
  std::string_view name() {
    const auto first = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    if (at_ == first) fail("a name is missing after '<' or in a tag: this is not XML");
    return text_.substr(first, at_ - first);
  }

  void read_text() {
    const auto end = std::min(text_.find('<', at_), text_.size());
    if (const auto run = trimmed(text_.substr(at_, end - at_)); !run.empty()) {
      if (open_.empty()) fail("text outside of all elements: this is not XML");
      if (!top().text.empty()) fail("a second run of text in " + quoted(top().name));
      top().text = run;
    }
    advance(end);
  }
  void start_element() {
    if (open_.empty() && !elements_.empty()) fail("a second element after " + quoted(elements_.front().name));
    if (open_.size() == deepest) fail("elements are nested more than " + std::to_string(deepest) + " deep");
    if (elements_.size() == most_elements) fail("more than " + std::to_string(most_elements) + " elements");
    ++at_;
    Element element;
    element.line = line_;
    element.name = name();
    const bool has_content = attributes(element);
    append(element);
    if (has_content) open_.push_back({static_cast<int>(elements_.size()) - 1, -1});
  }
  // Reads to the end of the tag. False for <name/>.
  bool attributes(Element& element) {
    for (;;) {
      skip_blanks();
      if (starts("/>")) return advance(at_ + 2), false;
      if (starts(">")) return advance(at_ + 1), true;
      if (at_ == text_.size()) fail("the file ends inside a tag: it is truncated");
      const std::string_view key = name();
      skip_blanks();
      if (!starts("=")) fail("an attribute of " + quoted(element.name) + " has no value");
      ++at_;
      skip_blanks();
      if (!starts("\"") && !starts("'")) fail("an attribute of " + quoted(element.name) + " is not in quotes");
      const auto first = at_ + 1, end = text_.find(text_[at_], first);
      if (end == text_.npos) fail("the file ends inside a tag: it is truncated");
      if (key == "type_id") element.type_id = text_.substr(first, end - first);
      advance(end + 1);
    }
  }
  void append(const Element& element) {
    const int index = static_cast<int>(elements_.size());
    if (!open_.empty()) {
      int& last = open_.back().last_child;
      (last < 0 ? top().first_child : elements_[static_cast<std::size_t>(last)].next) = index;
      last = index;
    }
    elements_.push_back(element);
  }
  void end_element() {
    at_ += 2;
    const std::string_view closed = name();
    if (open_.empty() || closed != top().name)
      fail("</" + printable(closed) + "> ends " + (open_.empty() ? "no element" : quoted(top().name)));
    skip_blanks();
    if (!starts(">")) fail("an end tag is not closed");
    advance(at_ + 1);
    open_.pop_back();
  }

  struct Open {
    int element, last_child;
  };
  std::string_view text_;
  std::vector<Element>& elements_;
  std::vector<Open> open_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Xml::Xml(std::string_view text) { XmlReader(text, elements_).read(); }

}  // namespace gpu::vision
