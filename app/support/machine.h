// This machine: names of its components for reports, its environment, and its desktop, if there is one.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace app {

std::string processor_name();         // "AMD EPYC 7B13 64-Core Processor"
std::string nvidia_driver_version();  // "580.65.06"; empty if there is none
std::string cuda_versions();          // "runtime 13.0, driver supports 13.0"

// Bytes of memory that this program may have in all: the machine's, or less where a control group limits it. `root`: where the
// system's files are.
std::uint64_t machine_memory(const std::filesystem::path& root = "/");
// The part of that memory that is available now, within the limits of this process (ulimit -v), where the system says so.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");
// Before the work: throws ExitError (failed), one line with the figures, where `what` ("the table of 'a.png'") takes more bytes than
// are available. `instead`: what to do then.
void require_memory(double needed, const std::string& what, const std::string& instead);

// The value of a variable of the environment, empty where it is not set.
std::string environment(const char* name);

bool is_on_path(std::string_view program);
constexpr int program_took_too_long = -2;
// Runs a program, without a shell and in a session of its own, and waits for its end. `input`: what it reads as its standard
// input; -1: nothing. What it prints is dropped. `longest`: after that time it is killed, with what it started; none: it may
// take as long as it likes. Returns its exit status; -1 where it could not be started or was ended; program_took_too_long.
int run_program(std::span<const std::string> words, int input = -1, std::optional<std::chrono::milliseconds> longest = {});

// Why open_folder() and show_file() cannot work here, one line; empty if they can.
std::string why_no_folder();
// Shows a folder in the desktop's file manager, in a process of its own, and does not wait for it. Makes the folder where it
// is missing. Throws std::invalid_argument with one line.
void open_folder(const std::filesystem::path& folder);
// Shows a file in its folder, likewise: marked where the desktop has a file manager that does that (FileManager1 of
// freedesktop.org), else its folder. Throws the same, also where the file is gone.
void show_file(const std::filesystem::path& file);

// Why open_in_editor() cannot work here, one line; empty if it can.
std::string why_no_editor();
// Opens a file of text in the editor that $VISUAL names, with a window of its own, at a line (0: none) where it is known how that is
// told; else in the one that the desktop has for it. Does not wait. Throws std::invalid_argument with one line.
void open_in_editor(const std::filesystem::path& file, int line = 0);
// The words that start it: $VISUAL, which may have options, with the file and the line. Empty where that is a program for terminals.
std::vector<std::string> editor_words(std::string_view visual, const std::filesystem::path& file, int line);

}  // namespace app
