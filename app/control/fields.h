// Fields: the table of settings. A line is a setting: its path, as the script, --set and the settings file write it; its
// flag on the command line; what it takes; what it is for. A new setting is a member of Settings and a line there.
//
// Every value has one text, which set_field() takes and text_of() gives back.
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
  // What a setting takes, and where it lies.
  struct Toggle {  // on or off
    bool Settings::*member;
    bool bare = false;  // the flag alone means on
  };
  struct Whole {
    int Settings::*member;
    int least, most;
  };
  struct Number {
    double Settings::*member;
    double least, most;
  };
  struct Size {  // WxH, each side 1..maximum_side; empty: the source's own
    gpu::Size Settings::*member;
  };
  struct Place {  // X,Y; empty: none
    std::optional<Pointer> Settings::*member;
  };
  struct Text {  // any
    std::string Settings::*member;
  };
  struct Name {  // of one of the things that the program has
    std::string Settings::*member;
    std::vector<std::string_view> (*names)();
    std::string_view kind;  // "effect": satscope list effects names them
  };
  struct Choice {  // of an enumeration, whose names stand in its order
    std::span<const std::string_view> names;
    std::size_t (*get)(const Settings&);
    void (*set)(Settings&, std::size_t);
  };
  // The algorithm, of whichever device has it, which decides the device too: change.h does it.
  struct Algorithm {};

  enum class Kept {
    saved,     // in the settings file
    run,       // for this run alone
    at_start,  // saved, and looked at when the program starts: no change while it runs
  };

  std::string_view path;
  std::string_view flag;  // "--interop"; "SOURCE": the word without a flag; empty: none
  std::variant<Toggle, Whole, Number, Size, Place, Text, Name, Choice, Algorithm> value;
  std::string_view help;
  Kept kept = Kept::saved;
};

std::span<const Field> fields();
const Field* find_field(std::string_view path);  // nullptr where there is none
std::vector<std::string_view> field_paths();

std::string text_of(const Field& field, const Settings& settings);
// Not for Field::Algorithm. Throws std::invalid_argument with one line, in which the setting is called `as`, and changes
// nothing, where `text` is no value of it.
void set_field(const Field& field, Settings& settings, std::string_view text, std::string_view as);
std::string placeholder(const Field& field);  // of its value, for a help text: "auto|on|off", "WxH"

std::string number_as_text(double value);  // the shortest that gives the same number back: "30", "0.1"

std::vector<std::string_view> algorithm_names();
std::vector<std::string_view> effect_names();

}  // namespace app
