// The panels, one file each. They share what Panels::draw() was given.
#pragma once

#include <span>
#include <stdexcept>
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
  Settings& settings;  // changed by change() alone
  ChangeContext context;
  Result& result;
  Drafts& drafts;
  float scale;

  void act(Action action) { result.actions.push_back(action); }
  // What cannot be is said.
  void change(std::span<const Change> changes) {
    try {
      apply(settings, changes, context);
    } catch (const std::invalid_argument& error) {
      result.refusals.push_back(error.what());
    }
  }
  void change(std::string_view path, std::string text) {
    const Change one{std::string(path), std::move(text)};
    change(std::span(&one, 1));
  }
  void change(std::string_view path, bool on) { change(path, std::string(on ? "on" : "off")); }
  void change(std::string_view path, const char* text) { change(path, std::string(text)); }
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
