// Drawing of one tile of a trace over the picture: its colour, its number, and how far it looks back.
#pragma once

#include <imgui.h>

#include <string>

#include "app/gl/view.h"
#include "app/pipeline/tile_history.h"

namespace app::ui {

// What is drawn of one tile.
struct TileLook {
  ImU32 fill = 0;  // transparent: the picture itself
  bool under_way = false;
  std::string label{};
  gpu::LookBackDepths reach{};
};

class TileDrawing {
 public:
  // `longest`: of the labels; all have one size. Clips what is drawn during its lifetime to what is visible of the picture.
  TileDrawing(const View& view, const gpu::TilePass& pass, const std::string& longest);
  ~TileDrawing() { draw_.PopClipRect(); }
  TileDrawing(const TileDrawing&) = delete;
  TileDrawing& operator=(const TileDrawing&) = delete;

  bool has_labels() const { return face_; }  // they fit
  bool visible(int I, int J) const;
  void tile(int I, int J, const TileLook& look) const;  // without its label
  // Over all tiles: where they are large enough, an arrow from the farthest tile in each direction, with a dot at every one
  // between.
  void look_backs(int I, int J, const TileLook& look) const;
  // Over all arrows.
  void label(int I, int J, const TileLook& look) const;

 private:
  struct Box {
    ImVec2 from, to;
    ImVec2 at(float x, float y) const { return {from.x + (to.x - from.x) * x, from.y + (to.y - from.y) * y}; }
  };
  Box box(int I, int J) const;
  void arrow(ImVec2 from, ImVec2 to, ImU32 colour) const;

  const View& view_;
  const gpu::TilePass& pass_;
  ImDrawList& draw_;
  Area visible_;
  ImFont* face_ = nullptr;  // of labels; null: they do not fit
  float side_ = 0;          // of the shorter side of a whole tile, on the screen
};

}  // namespace app::ui
