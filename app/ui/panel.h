// The panels, one file each. They share what Panels::draw() was given.
#pragma once

#include <string>

#include "app/ui/ui.h"

namespace app::ui {

// Text that is being typed and is no setting yet.
struct Drafts {
  std::string source;
  std::string source_of;  // the setting that `source` began as: a change of it from outside starts the draft anew
};

struct Panel {
  const State& state;
  Settings& settings;
  Result& result;
  Drafts& drafts;
  float scale;

  void act(Action action) { result.actions.push_back(action); }
};

void bar(Panel& panel, const Rect& rect);
void source_section(Panel& panel);
void algorithm_section(Panel& panel);
void effect_section(Panel& panel);
void display_section(Panel& panel);
void timings_panel(Panel& panel, const Rect& rect);
void frame_graph_panel(Panel& panel, const Rect& rect);
void status_line(Panel& panel, const Rect& rect);
void help_overlay(Panel& panel, const Rect& rect);
void messages(Panel& panel, const Rect& rect);

}  // namespace app::ui
