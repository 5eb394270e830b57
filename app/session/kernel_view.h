// KernelView: what the tab of a user's kernel shows, without ImGui: the text with its tokens, what the simulated GPU counted at each
// line, where lines race, what compilers say beneath a line, and the sentences around it.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "app/session/kernel_files.h"

namespace app {

// A part of a line of CUDA C++, from byte `begin` up to byte `end`.
struct SourceToken {
  enum class Kind { keyword, comment, literal };

  Kind kind = Kind::keyword;
  std::size_t begin = 0, end = 0;
  friend bool operator==(const SourceToken&, const SourceToken&) = default;
};
// Those of a line, in order. `in_comment`: whether the line begins within a comment, and then whether the next one does.
std::vector<SourceToken> source_tokens(std::string_view line, bool& in_comment);

// What a line did, per pixel of the picture on which it was counted: bytes and sectors of global memory, the bytes of shared memory,
// what is loaded and stored of the first, steps of shared memory lost to bank conflicts, turns waited at barriers, atomics.
enum class LineFigure { bytes, sectors, shared, loads, stores, conflicts, waits, atomics };
inline constexpr std::size_t line_figures = 8;
using LineFigures = std::array<double, line_figures>;

class KernelView {
 public:
  struct Row {
    enum class Kind { source, race, fault, error, warning, title, elsewhere };

    Kind kind = Kind::source;
    int line = 0;           // of the text, from 1; 0: of none
    std::size_t index = 0;  // of notes()
  };
  // What stands in a row of its own: beneath the line that it is about; or, about a line of another file, before the first line
  // where it is a fault, or behind the last where it is only counted.
  struct Note {
    std::string text;
    std::filesystem::path file;  // that a click opens, at `line`; empty: none
    int line = 0;
    LineFigures figures{};
  };

  KernelView() = default;
  explicit KernelView(const KernelFile& file);
  // Whether it is of the file as it is now: a view of ten thousand lines is not made anew for every picture of the window.
  bool is_of(const KernelFile& file) const { return made_of_ == state_of(file); }

  const std::string& name() const { return name_; }  // "race.cu"
  const std::filesystem::path& path() const { return path_; }
  std::span<const Row> rows() const { return rows_; }
  std::span<const Note> notes() const { return notes_; }
  std::string_view text_of(int line) const { return lines_[static_cast<std::size_t>(line - 1)]; }
  int lines() const { return static_cast<int>(lines_.size()); }
  std::vector<SourceToken> tokens_of(int line) const;
  const LineFigures* figures_of(int line) const;                                            // null: the line did nothing
  double most(LineFigure figure) const { return most_[static_cast<std::size_t>(figure)]; }  // of all lines
  // How a line is marked: as a race or a fault, or as an error; source: not at all.
  Row::Kind mark_of(int line) const;

  const std::string& headline() const { return headline_; }  // "race.cu is wrong: a data race"
  const std::string& refused() const { return refused_; }    // "The last save does not compile, line 30."; empty: it was not
  const std::string& state() const { return state_; }      // behind that, or in its place: what goes on, or what was counted
  const std::string& result() const { return result_; }    // how many entries are wrong and where, or what was compared
  const std::string& details() const { return details_; }  // of that: several lines; empty: there are none
  const std::string& compiled() const { return compiled_; }  // "compiled in 0.54 s"
  bool wrong() const { return wrong_; }

 private:
  // Everything by which one state of a file differs from the one before.
  using State = std::tuple<std::filesystem::path, int, KernelFile::Phase, std::string, std::size_t, std::size_t, double,
                           std::string, std::string>;
  static State state_of(const KernelFile& file);

  void set_lines(const std::vector<std::string>& lines);
  void count(const KernelFile& file, std::span<const int> places);
  void add_races(const gpu::Verdict& verdict, std::span<const int> places);
  void add_fault(const std::string& fault, std::span<const int> places);
  void add_messages(std::span<const gpu::SourceMessage> messages, std::span<const int> places);
  void add_note(Row::Kind kind, int below, Note note);
  void order_rows();
  void say(const KernelFile& file);

  State made_of_;
  std::string name_, headline_, refused_, state_, result_, details_, compiled_;
  std::filesystem::path path_;
  bool wrong_ = false;
  std::vector<std::string> lines_;
  std::vector<bool> begins_in_comment_;
  std::map<int, LineFigures> figures_;
  LineFigures most_{};
  std::map<int, Row::Kind> marks_;
  std::vector<Note> notes_;
  std::vector<Row> rows_;  // those of notes alone, by their lines, until order_rows() has added those of the text
  std::vector<std::size_t> elsewhere_;  // notes of what was counted in other files
};

// Where the lines of one text stand in a later one, from 1; 0: nowhere. By index, from 0.
std::vector<int> places_of_lines(std::span<const std::string> before, std::span<const std::string> now);

// "race.cu"
std::string title_of(const KernelFile& file);
// What a list says of it: "compiling...", "trying...", "refused", "wrong", "right"; of an effect that works "runs".
std::string_view state_word(const KernelFile& file);

}  // namespace app
