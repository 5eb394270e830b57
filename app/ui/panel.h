// The panels and sections, one file each, and the context that each of them gets: the arguments of Panels::draw(), and the
// two ways to have an effect, act() and change(). What nearly all of these files need is included here.
#pragma once

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/control/actions.h"
#include "app/control/card_list.h"
#include "app/control/cards.h"
#include "app/control/settings.h"
#include "app/gl/box_drag.h"
#include "app/session/frame_search.h"
#include "app/session/kernel_view.h"
#include "app/support/text.h"
#include "app/ui/search_line.h"
#include "app/ui/ui.h"
#include "app/ui/widgets.h"
#include "gpu/sat.h"

namespace app::ui {

// The number of a matrix that the keyboard is at: see matrix_overlay.h.
struct MatrixDraft {
  bool selected = false, editing = false;
  bool offered = false;  // selected by the program: a digit replaces the number, and all other characters stay shortcuts
  int x = 0, y = 0;
  std::string source;    // the setting, when the number was selected
  std::string text;      // as typed so far, while it is edited
  std::string wrong;     // what was wrong with the number typed last, one line
  bool focused = false;  // the grid has the keyboard
  bool moved = false;    // to be brought into view
  Rect hint;             // where the line of explanation stands; empty while the matrix is not shown
  Rect head, numbers;    // where the titles of both grids are, and the grids
  BoxDrag rectangle;
};

// The question before the program quits.
struct QuitDraft {
  bool asked = false;
  bool saving = false;     // then it quits
  bool confirmed = false;  // by the key that asked
  bool accepted = false;   // a number that was being typed, by a key that quits: what to ask is known in the next frame
};

// What is chosen and typed in the file browser.
struct BrowserDraft {
  bool open = false;
  std::string setting;                        // to which the chosen file goes; empty: it is opened as the source
  SearchLine line;                            // a part of a name, or a path
  std::vector<capture::FolderEntry> entries;  // shown, in their order
  std::uint64_t version = ~0ull;              // of the folder that they are of
  bool all = false;                           // files that cannot be opened, too
  bool latest_first = false;                  // else in the order of their names
  std::string chosen_by;                      // the two, and what names contain, when `entries` were chosen
  std::string came_from;                      // the folder below, on the way up
  bool typed = false;                         // what was asked for last is a typed path: where it is a file, that is opened
};

// What the frame graph keeps from one drawing to the next: columns, and where the mouse makes a selection.
struct GraphDraft {
  GraphColumns columns;
  std::optional<std::uint64_t> drag_from;  // the column where the mouse went down
  bool from_empty = false;                 // it went down where no frames are
  float panned = 0;                        // pixels that are not yet a column
  std::uint64_t held = 0;  // the number of the newest frame shown, while the mouse is there; 0: it is elsewhere
};

// The user's kernel that the dock shows.
struct KernelDraft {
  std::filesystem::path shown;                        // its file
  std::string algorithm, effect;                      // that were chosen last: another one is shown
  std::size_t files = 0;                              // how many there were: a new one is shown
  std::map<std::filesystem::path, KernelView> views;  // of the files
  std::string to_make;                                // the file of a new one, as it is typed
  bool to_mark = false;                               // its first error or race is to be brought into view
};

// What is being typed or dragged and is not yet a setting.
struct Drafts {
  SearchLine palette;
  std::string source;
  std::optional<std::string> to_open;  // a source, given from outside
  std::optional<double> sought;        // where the seek bar is dragged to, until its picture is shown
  BrowserDraft browser;
  QuitDraft quit;
  int open_lists = 0;                         // one in another, when the panels were drawn last
  std::map<std::string, std::string> fields;  // of settings, by their names: see setting_field()
  const char* list_to_open = nullptr;         // its button was clicked: see lists()
  std::string source_of;      // the setting that `source` started from: if that changes elsewhere, the draft is reset
  std::string source_shown;   // the form in which it is shown, which changes when it turns out to be a file
  SearchLine cards;           // of the list of algorithms
  bool card_pointed = false;  // there the mouse was moved after the keys
  std::string columns;        // the setting, as ImGui knows it
  MatrixDraft matrix;
  int cascade_stage = -1;  // that was shown last: another one is scrolled to
  struct Targets {
    Rect source, algorithm, effect, race, measure, save, menu, more, compare, zoom;  // empty while out of sight
  };
  Targets targets;          // buttons of the bar and the strip, as drawn last: lists are below them, and hints point at them
  std::vector<Rect> hints;  // where they are
  GraphDraft graph;
  KernelDraft kernel;
};

struct PanelContext {
  const State& state;
  Settings& settings;  // those with no rule but their type and range are assigned; the others are changed by change()
  ChangeContext context;
  Result& result;
  Drafts& drafts;
  float scale;

  void act(const Command& command) { result.commands.push_back(command); }
  // "Pause or resume   Space, P": with the keys of the user's own.
  std::string help_of(const Command& command) const { return std::string(description(command)) + "   " + keys(command); }
  std::string keys(const Command& command) const { return labels(command, settings.keys); }
  // A change that is refused becomes a message.
  void change(std::span<const Change> changes) {
    try {
      apply(settings, changes, context);
    } catch (const std::invalid_argument& error) {
      result.refusals.push_back(error.what());
    }
  }
  void change(std::string_view path, std::string_view text) {
    const Change one{std::string(path), std::string(text)};
    change(std::span(&one, 1));
  }
};

// The way of every panel to open a source. The same source again does not change the settings, but the user wants it: a
// camera that came back, a changed file. It is reopened.
void open_source(PanelContext& ui, const std::string& source);
// Shows the file browser, for a setting that names a file: a cascade, a kernel.
void browse_for(PanelContext& ui, const std::string& setting);
// The file of the user's algorithm, or effect, of that name; null: it is none.
const KernelFile* kernel_file_of(const State& state, std::string_view name, bool effect);
// The ways to a kernel of one's own, side by side: a new file, or one that there is. They are disabled where none can be compiled.
void kernel_buttons(PanelContext& ui, bool effect);
// Shows the tab of one of them.
void show_kernel(PanelContext& ui, const KernelFile& file);
const KernelView& kernel_view_of(PanelContext& ui, const KernelFile& file);  // as it is now
ImU32 ink_of_state(const KernelFile& file);                                  // of state_word()
// A word for a source from which nothing comes although it should; empty: all is well, also with one that stands still.
std::string_view no_signal(const capture::Status& capture);
std::string why_no_signal(const capture::Status& capture);  // of such a source, and what to do
std::string latency_text(const State& state);               // "latency 12.3 ms"; without a number while no picture is due

// The parts of the window: see layout().
void bar(PanelContext& ui, const Rect& rect);
void strip(PanelContext& ui, const Rect& rect);
void dock(PanelContext& ui, const Rect& rect);
void playback_bar(PanelContext& ui, const Rect& rect);
// Without panels the playback bar lies over the picture's lower edge while the mouse is there, and its upper right corner says
// that something is recorded or still written.
void playback_overlay(PanelContext& ui, const Rect& picture);
void recording_overlay(PanelContext& ui, const Rect& picture);

// The lists that open below the buttons of the bar and the strip, and the preferences: popups of ImGui, in any case.
void lists(PanelContext& ui);
void source_list(PanelContext& ui);
void algorithm_list(PanelContext& ui);
float width_of_algorithm_list();  // with its frame: it may be wider than what is right of its button
void effect_list(PanelContext& ui);
void parameter_list(PanelContext& ui);  // all of the effect and the algorithm, each with the field for its exact value
void preferences(PanelContext& ui);

// The names of a comparison's sides, over the picture, open what can be compared.
void side_names(PanelContext& ui);
void comparison(PanelContext& ui);  // all that can be chosen of it: a popup's contents

// The presentation: the picture, one statement, and the lesson's number; see cards.h. Its keys are the arrows, and those of remote
// controls; those in `taken` are used already. `covered`: something is open over it.
void presentation(PanelContext& ui, const Rect& picture);
void take_presentation_keys(PanelContext& ui, std::vector<imgui::KeyCode>& taken, bool covered);

// Whether the program may quit now; else the user is asked first.
bool may_quit(QuitDraft& quit, const State& state);
// The tabs of the dock, each in a child window of it that scrolls; each begins with the sentence that answers its question.
void frame_tab(PanelContext& ui);
void race_tab(PanelContext& ui);
void tiles_tab(PanelContext& ui);
void detector_tab(PanelContext& ui);
void kernel_tab(PanelContext& ui);
void study_tab(PanelContext& ui);
// Their parts: one frame to scale; the graph of the latest frames, in the rest of the window; the gallery of Haar-like features.
void frame_timeline(PanelContext& ui);
void frame_graph(PanelContext& ui);
void haar_gallery(PanelContext& ui);

// Where to begin: at the buttons of the bar; and what a table is.
void hints(PanelContext& ui, const Layout& places);

// A matrix source as a grid of numbers beside its table, over the picture.
void matrix_overlay(PanelContext& ui, const Rect& rect);
void messages(PanelContext& ui, const Rect& rect);

// Diagrams of how an algorithm's sums move, drawn from the steps of its card: one picture per step, side by side, each
// below its number, in as many lines as they need. `seconds`: the time of the animation, which does one step after another.
void carry_diagrams(std::span<const SatStep> steps, double seconds);

// What is opened over the panels are popups of ImGui, of one window: opening one closes another, but for a list within it.
// overlays.cpp decides whose the keys are, and what Escape closes.
void handle_keys(PanelContext& ui);  // before anything is drawn
void dialogs(PanelContext& ui);      // the palette among them; in the window that has the popups
void palette(PanelContext& ui);
void help_dialog(PanelContext& ui);
void file_browser(PanelContext& ui);
void quit_dialog(PanelContext& ui);
// After all is drawn, for the next frame: ImGui's own keys move between the controls of what is open, unless that has keys of
// its own, as the palette has.
void settle_keyboard(PanelContext& ui);
bool is_covered(const PanelContext& ui);  // whether something is opened over the panels
// Opens and closes a popup as it is `on`, by a key, the palette or a script; where ImGui has closed it, that is off. Before the
// popup is drawn, in the same window.
void follow_popup(const char* popup, bool& on);

// Why a command cannot be done now: for its button, which is disabled then, and for its entry in the palette. One line; empty
// if it can. Not for what changes_of() refuses.
std::string why_not(const Command& command, const State& state, const Settings& settings);
// A button for a command, with its help and its keys; disabled where it cannot be done.
void command_button(PanelContext& ui, const char* text, const Command& command);
// An entry of a menu that does a command; at its right the command's first key, or `note`. True when it was chosen.
struct MenuEntry {
  std::string text, note = {}, help = {};  // help: empty: the command's
  bool on = false;
};
bool menu_item(PanelContext& ui, const Command& command, const MenuEntry& entry);

}  // namespace app::ui
