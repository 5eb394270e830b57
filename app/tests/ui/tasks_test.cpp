// What a newcomer wants to do, from the first start: each task is done by the mouse in few actions, and by its key.
#include "app/control/key_table.h"
#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"
#include "app/ui/rectangle.h"

namespace app::ui {
namespace {

class TasksTest;

struct Task {
  const char* name;
  int actions;  // of the mouse: clicks, drags, turns of the wheel
  void (*by_mouse)(TasksTest&);
  const char* key;  // null: it has none
  bool (*done)(TasksTest&);
  void (*then)(TasksTest&) = nullptr;  // what follows the mouse and the key alike
};
void PrintTo(const Task& task, std::ostream* out) { *out << task.name; }

class TasksTest : public ControlsTest, public ::testing::WithParamInterface<Task> {
 public:
  void click_on(const char* text, const char* window) { count(click_text(text, window)); }
  void click_menu() {
    count(click(1280 - 30, 22));
    rest();
  }
  void turn_wheel_over(const char* text, const char* window) {
    auto& io = ImGui::GetIO();
    io.MousePos = middle_of(text, window);
    draw(2);
    io.MouseWheel = -1;
    count(draw());
    io.MouseWheel = 0;
    rest();
  }
  void drag_from(ImVec2 from, ImVec2 to) {
    drag(from, to);
    count({});
    rest();
  }
  // To the right, along the slider beside that label.
  void drag_slider_of(const char* label) {
    const auto place = TextCheck::place_of(label, "strip");
    ASSERT_TRUE(place) << label;
    const auto y = place->GetCenter().y;
    drag_from({place->Max.x + 20, y}, {place->Max.x + 122, y});
  }
  void press_key(const char* label) {
    const auto key = parse_key(label);
    if (key.named == KeyCode::page_down) return keep(press(KeyCode::page_down));
    if (!key.control) return keep(type(std::string(1, key.character)));
    const auto code = key.character == '+' ? KeyCode::equal : imgui::following(KeyCode::a, key.character - 'A');
    imgui::report_control(true);
    keep(press(code));
    imgui::report_control(false);
    draw();
  }
  // As the session does: the source is there.
  void open_matrix() {
    if (did(Action::matrix)) settings_.source = "matrix:8x8";
    ASSERT_EQ(settings_.source, "matrix:8x8");
    show_matrix(state_);
    draw(3);
  }
  void enter_number(const char* number) {
    type(number);
    press(KeyCode::enter);
    draw(2);
  }

  bool did(Action action) const { return std::ranges::find(did_, action) != did_.end(); }
  bool reads(const char* text, const char* window) const { return shown(text, window); }
  const Settings& settings() const { return settings_; }
  const Settings& before() const { return before_; }
  int actions() const { return actions_; }

 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    ImGui::GetIO().DisplaySize = {1280, 800};
    settings_.dock_open = false;
    settings_.compare.on = settings_.hints = true;
    state_.undoes = "box_blur.window";
    state_.selection = make_selection(settings_, gpu::Device::host);
    before_ = settings_;
    rest();
  }
  // As the program does: the picture has the mouse where no panel has it.
  void draw_under_panels() override {
    const auto& io = ImGui::GetIO();
    if (!settings_.rectangle_tool || io.WantCaptureMouse) return tool_.let_go();
    const auto area = layout(settings_, static_cast<int>(io.DisplaySize.x), static_cast<int>(io.DisplaySize.y)).picture;
    const View view{0, {0.5, 0.5}, state_.picture, {area.x, area.y, area.width, area.height}};
    const MouseInput mouse{{io.MousePos.x, io.MousePos.y}, ImGui::IsMouseClicked(0), ImGui::IsMouseDown(0)};
    settings_.rectangle = tool_.update(view, settings_.rectangle, mouse, 6);
  }

 private:
  void keep(const std::vector<Action>& actions) {
    did_.insert(did_.end(), actions.begin(), actions.end());
    draw(3);
  }
  void count(const std::vector<Action>& actions) {
    ++actions_;
    keep(actions);
  }

  BoxDrag tool_;
  Settings before_;
  std::vector<Action> did_;
  int actions_ = 0;
};

int window_of_blur(const Settings& settings) { return std::stoi(settings.effect_values.at("box_blur").at("window")); }

template <Action action>
bool has_done(TasksTest& test) {
  return test.did(action);
}

void edit_first_number(TasksTest& test) {
  test.open_matrix();
  test.enter_number("9");
}
void drag_over_picture(TasksTest& test) { test.drag_from({500, 300}, {700, 500}); }

const Task tasks[] = {
    {"OpenOwnPhoto", 2,
     [](TasksTest& t) {
       t.click_on("Source", "bar");
       t.click_on("Open file", "##Popup");
     },
     "Ctrl+O", [](TasksTest& t) { return t.settings().browse; }},
    {"NextAlgorithm", 1, [](TasksTest& t) { t.turn_wheel_over("Algorithm", "bar"); }, "Page down",
     [](TasksTest& t) { return t.settings().host_algorithm != t.before().host_algorithm; }},
    {"BlurMore", 1, [](TasksTest& t) { t.drag_slider_of("Window"); }, nullptr,
     [](TasksTest& t) { return window_of_blur(t.settings()) > window_of_blur(t.before()); }},
    {"PixelateFaces", 2,
     [](TasksTest& t) {
       t.click_on("Effect", "bar");
       t.click_on("Faces, pixelated", "##Popup");
     },
     nullptr,
     [](TasksTest& t) {
       return t.settings().effect == "faces" && t.settings().effect_values.at("faces").at("show") == "pixelated";
     }},
    {"CompareWithOriginal", 1, [](TasksTest& t) { t.click_on("Compare", "strip"); }, "C",  // it is on at first
     [](TasksTest& t) { return t.settings().compare.on != t.before().compare.on; }},
    {"RaceAll", 1, [](TasksTest& t) { t.click_on("Race", "bar"); }, "Shift+A", has_done<Action::toggle_race>},
    {"SlowestKernel", 1, [](TasksTest& t) { t.click_on("Measure", "bar"); }, "I",
     [](TasksTest& t) { return t.reads("The slowest kernel is", "dock"); }},
    {"Record", 2,
     [](TasksTest& t) {
       t.click_on("Save", "bar");
       t.click_on("Record video", "##Popup");
     },
     "R", has_done<Action::toggle_record>},
    {"SavePicture", 2,
     [](TasksTest& t) {
       t.click_on("Save", "bar");
       t.click_on("Save picture", "##Popup");
     },
     "Ctrl+S", has_done<Action::save_picture>},
    {"CopyPicture", 2,
     [](TasksTest& t) {
       t.click_on("Save", "bar");
       t.click_on("Copy picture", "##Popup");
     },
     "Ctrl+C", has_done<Action::copy_picture>},
    {"EditANumberOfAMatrix", 2,
     [](TasksTest& t) {
       t.click_on("Source", "bar");
       t.click_on("Matrix 8x8", "##Popup");
     },
     "M", [](TasksTest& t) { return t.settings().matrix == "9,12,13;21,22,27"; }, edit_first_number},
    {"SumOfARectangle", 2, [](TasksTest& t) { t.click_on("Rectangle", "strip"); }, "B",
     [](TasksTest& t) { return t.settings().rectangle.has_value(); }, drag_over_picture},
    {"TraceTiles", 2,
     [](TasksTest& t) {
       t.click_on("Measure", "bar");
       t.click_on("Tiles", "dock/tabs");
     },
     "Shift+T", has_done<Action::trace_tiles>},
    {"CheckTables", 1, [](TasksTest& t) { t.click_on("Check", "strip"); }, "K",
     [](TasksTest& t) { return t.settings().check; }},
    {"TheSameSimulated", 2,
     [](TasksTest& t) {
       t.click_on("Algorithm", "bar");
       t.click_on("Simulated GPU", "##Popup");
     },
     "D", [](TasksTest& t) { return t.settings().device == DeviceChoice::simulated; }},
    {"LargerText", 2,
     [](TasksTest& t) {
       t.click_menu();
       t.click_on("Larger text", "##Popup");
     },
     "Ctrl++", [](TasksTest& t) { return t.settings().ui_scale > 1; }},
    {"FullScreen", 2,
     [](TasksTest& t) {
       t.click_menu();
       t.click_on("Full screen", "##Popup");
     },
     "F", [](TasksTest& t) { return t.settings().fullscreen; }},
    {"Undo", 2,
     [](TasksTest& t) {
       t.click_menu();
       t.click_on("Undo", "##Popup");
     },
     "Ctrl+Z", has_done<Action::undo>},
    {"Help", 2,
     [](TasksTest& t) {
       t.click_menu();
       t.click_on("Keys and help", "##Popup");
     },
     "H", [](TasksTest& t) { return t.settings().help; }},
};

TEST_P(TasksTest, IsDoneByTheMouseInFewActions) {
  const auto& task = GetParam();
  ASSERT_FALSE(task.done(*this)) << "it is done already";
  task.by_mouse(*this);
  if (task.then && !HasFailure()) task.then(*this);
  EXPECT_TRUE(HasFailure() || task.done(*this));
  EXPECT_LE(actions(), task.actions);
  EXPECT_TRUE(refusals_.empty());
}

TEST_P(TasksTest, IsDoneByItsKey) {
  const auto& task = GetParam();
  if (!task.key) return;
  ASSERT_FALSE(task.done(*this)) << "it is done already";
  press_key(task.key);
  if (task.then) task.then(*this);
  EXPECT_TRUE(task.done(*this));
  EXPECT_TRUE(refusals_.empty());
}

INSTANTIATE_TEST_SUITE_P(Newcomer, TasksTest, ::testing::ValuesIn(tasks),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace app::ui
