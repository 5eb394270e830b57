// Fields: the table of settings. Each row is one setting: its path, as scripts, --set and the settings file write it; its
// flag on the command line; its type and range; its help text. A new setting is a member of Settings and a row there.
//
// Every value has one text form, which set_field() accepts and text_of() returns.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/control/settings.h"

namespace app {

struct Field {
  // The type and range of a setting, and its member of Settings.
  struct Toggle {  // on or off
    bool Settings::*member;
    bool bare = false;  // the flag takes no value and means on
  };
  struct Whole {
    int Settings::*member;
    int least, most;
  };
  struct Number {
    double Settings::*member;
    double least, most;
  };
  struct Written {          // a value that has a text form of its own
    std::string_view form;  // "X,Y,WxH"
    std::string (*accepted)();
    std::string (*get)(const Settings&);
    bool (*set)(Settings&, std::string_view text);  // false: that is no such value. May throw as set_field() does
  };
  struct Text {  // any text
    std::string Settings::*member;
  };
  struct Name {  // one of a list of names that the program provides
    std::string Settings::*member;
    std::vector<std::string_view> (*names)();
    std::string_view kind;  // "effect": satscope list effects prints the names
  };
  struct Choice {  // an enumeration; `names` are in its order
    std::span<const std::string_view> names;
    std::size_t (*get)(const Settings&);
    void (*set)(Settings&, std::size_t);
  };
  // An algorithm of any device; it also chooses the device: see change.h.
  struct Algorithm {};

  enum class Kept {
    saved,     // in the settings file
    run,       // for this run only
    at_start,  // saved, and read only when the program starts: it cannot change while the program runs
  };

  std::string_view path;
  std::string_view flag;  // "--interop"; "SOURCE": a positional argument; empty: none
  std::variant<Toggle, Whole, Number, Written, Text, Name, Choice, Algorithm> value;
  std::string_view help;
  Kept kept = Kept::saved;
};

std::span<const Field> fields();
const Field* find_field(std::string_view path);  // nullptr if there is none
std::vector<std::string_view> field_paths();

std::string text_of(const Field& field, const Settings& settings);
// Not for Field::Algorithm. If `text` is not a valid value it throws std::invalid_argument with one line, in which the
// setting is called `as`, and changes nothing.
void set_field(const Field& field, Settings& settings, std::string_view text, std::string_view as);
std::string accepted(const Field& field);     // its values as a phrase: "a number from 0 to 1000", "auto, on or off"
std::string placeholder(const Field& field);  // for its value in a help text: "auto|on|off", "WxH"

std::string text_of(const PixelBox& box);      // "10,20,64x48"
std::string text_of(const FrameRange& range);  // "1200-1500"
std::string number_as_text(double value);      // the shortest text that reads back as the same number: "30", "0.1"
std::optional<double> number_from_text(std::string_view text);  // nullopt if it is not a number and nothing else

std::vector<std::string_view> algorithm_names();
std::vector<std::string_view> effect_names();

}  // namespace app
