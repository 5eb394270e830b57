// complaint(): what the parser of the command line refuses, in our words.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace app {

// One line with the cause and the next step; for an unknown option, with the nearest one.
std::string complaint(const CLI::App& cli, const CLI::ParseError& error);

}  // namespace app
