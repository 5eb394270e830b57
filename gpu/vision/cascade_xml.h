// The XML that OpenCV writes for its cascades, read without a library: elements, text, attributes and comments. What such files
// never contain (document types, processing instructions after the first line, character data sections) is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/vision/cascade.h"

namespace gpu::vision {

// Most of these files is blanks.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
inline std::string quoted(std::string_view name) { return '<' + printable(name) + '>'; }

struct Element {
  std::string_view name;
  std::string_view text;            // the only run of text that is not blank, without blanks at its ends
  std::string_view type_id;         // the attribute; empty if there is none
  int line = 0;                     // of the start tag
  int first_child = -1, next = -1;  // indices: the children of one element are a list
};

// A document. It keeps views of the text that was parsed, which must outlive it.
class Xml {
 public:
  // Throws CascadeError: tags that do not match, text that ends inside an element, more than one run of text in an element,
  // elements nested more than 32 deep, more than 2^22 of them.
  explicit Xml(std::string_view text);

  const Element& root() const { return elements_.front(); }
  // The children of an element, in their order.
  std::vector<const Element*> children(const Element& element) const {
    std::vector<const Element*> all;
    for (const Element* child = first_child(element); child; child = next(*child)) all.push_back(child);
    return all;
  }
  const Element* first_child(const Element& element) const { return at(element.first_child); }
  const Element* next(const Element& element) const { return at(element.next); }
  // The only child of that name; nullptr if there is none. Throws CascadeError if there are several.
  const Element* find(const Element& element, std::string_view name) const {
    const Element* found = nullptr;
    for (const Element* child = first_child(element); child; child = next(*child)) {
      if (child->name != name) continue;
      if (found) throw CascadeError(child->line, "a second " + quoted(name) + " in " + quoted(element.name));
      found = child;
    }
    return found;
  }
  // As find(); throws CascadeError if there is none.
  const Element& get(const Element& element, std::string_view name) const {
    const Element* found = find(element, name);
    if (!found) throw CascadeError(element.line, quoted(element.name) + " has no " + quoted(name));
    return *found;
  }

 private:
  const Element* at(int index) const { return index < 0 ? nullptr : &elements_[static_cast<std::size_t>(index)]; }

  std::vector<Element> elements_;
};

}  // namespace gpu::vision
