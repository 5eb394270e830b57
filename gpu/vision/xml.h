// The XML that OpenCV writes for its cascades, read without a library: elements, text, attributes and comments. What such files
// never contain (document types, processing instructions after the first line, character data sections) is refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/parameter.h"

namespace gpu::vision {

// A cascade that is refused. what() is one line: "line N: ", where N counts from 1, and the cause; the cause alone where no line
// is to blame, such as for a file that cannot be read.
class CascadeError : public ArgumentError {
 public:
  CascadeError(int line, std::string_view cause);  // line 0: none
};

// A name or text from a file, for a message: short, and without characters that would break the line or change a terminal.
std::string printable(std::string_view text);

// Most of these files is blanks.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A document as a list of elements in the order of their start tags. It keeps views of the text that was parsed, which must
// outlive it.
class Xml {
 public:
  struct Element {
    std::string_view name;
    std::string_view text;            // the only run of text that is not blank, without blanks at its ends
    std::string_view type_id;         // the attribute; empty if there is none
    int line = 0;                     // of the start tag
    int first_child = -1, next = -1;  // indices: the children of one element are a list
  };

  // Throws CascadeError: tags that do not match, text that ends inside an element, more than one run of text in an element,
  // elements nested more than 32 deep, more than 2^22 of them.
  explicit Xml(std::string_view text);

  const Element& root() const { return elements_.front(); }
  // The children of an element, in their order.
  std::vector<const Element*> children(const Element& element) const;
  const Element* first_child(const Element& element) const { return at(element.first_child); }
  const Element* next(const Element& element) const { return at(element.next); }
  // The only child of that name; nullptr if there is none. Throws CascadeError if there are several.
  const Element* find(const Element& element, std::string_view name) const;
  // As find(); throws CascadeError if there is none.
  const Element& get(const Element& element, std::string_view name) const;

 private:
  class Reader;
  const Element* at(int index) const { return index < 0 ? nullptr : &elements_[static_cast<std::size_t>(index)]; }

  std::vector<Element> elements_;
};

}  // namespace gpu::vision
