#include "app/support/file_dialog.h"

#include <dlfcn.h>

#include "app/support/machine.h"
#include "app/support/threads.h"

namespace app {
namespace {

// Of GLib and libportal, which are loaded where they are there: the program needs neither.
struct Error {
  unsigned domain;
  int code;
  char* message;
};
constexpr int cancelled = 19;  // G_IO_ERROR_CANCELLED

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

using Callback = void(void* portal, void* result, void* data);

// A name is looked for in the library and in those that it needs.
struct Library {
  void* (*new_portal)(Error**) = nullptr;
  void (*open_file)(void* portal, void* parent, const char* title, void* filters, void* filter, void* choices, int flags,
                    void* cancellable, Callback* done, void* data) = nullptr;
  void* (*finish)(void* portal, void* result, Error**) = nullptr;
  void* (*new_context)() = nullptr;
  void (*push_context)(void*) = nullptr;
  void (*pop_context)(void*) = nullptr;
  int (*iterate)(void* context, int may_block) = nullptr;
  void (*unref_context)(void*) = nullptr;
  int (*lookup)(void* dictionary, const char* key, const char* format, ...) = nullptr;
  void (*unref_variant)(void*) = nullptr;
  void (*unref)(void*) = nullptr;
  void (*free_texts)(char**) = nullptr;
  void (*free_error)(Error*) = nullptr;
  bool complete = false;

  Library() {
    void* const all = dlopen("libportal.so.1", RTLD_LAZY | RTLD_LOCAL);
    complete = all && find(all, "xdp_portal_initable_new", new_portal) && find(all, "xdp_portal_open_file", open_file) &&
               find(all, "xdp_portal_open_file_finish", finish) && find(all, "g_main_context_new", new_context) &&
               find(all, "g_main_context_push_thread_default", push_context) &&
               find(all, "g_main_context_pop_thread_default", pop_context) &&
               find(all, "g_main_context_iteration", iterate) && find(all, "g_main_context_unref", unref_context) &&
               find(all, "g_variant_lookup", lookup) && find(all, "g_variant_unref", unref_variant) &&
               find(all, "g_object_unref", unref) && find(all, "g_strfreev", free_texts) &&
               find(all, "g_error_free", free_error);
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

struct Answer {
  bool done = false;
  ChosenFile file = {};
};

void take_answer(void* portal, void* result, void* data) {
  auto& answer = *static_cast<Answer*>(data);
  const auto& with = library();
  Error* error = nullptr;
  void* const chosen = with.finish(portal, result, &error);
  answer.done = true;
  answer.file.asked = chosen || (error && error->code == cancelled);
  if (error) with.free_error(error);
  if (!chosen) return;
  char** uris = nullptr;
  if (with.lookup(chosen, "uris", "^as", &uris) && uris) {
    if (uris[0]) answer.file.uri = uris[0];
    with.free_texts(uris);
  }
  with.unref_variant(chosen);
}

// Answers arrive in the context of the thread that asks.
ChosenFile ask(const std::string& title) {
  const auto& with = library();
  void* const context = with.new_context();
  with.push_context(context);
  Answer answer;
  Error* error = nullptr;
  if (void* const portal = with.new_portal(&error)) {
    with.open_file(portal, nullptr, title.c_str(), nullptr, nullptr, nullptr, 0, nullptr, take_answer, &answer);
    while (!answer.done) with.iterate(context, 1);
    with.unref(portal);
  }
  if (error) with.free_error(error);
  with.pop_context(context);
  with.unref_context(context);
  return answer.file;
}

}  // namespace

bool may_have_file_dialog() { return !environment("DBUS_SESSION_BUS_ADDRESS").empty() && library().complete; }

std::future<ChosenFile> ask_for_file(const std::string& title) {
  return result_detached([title] { return may_have_file_dialog() ? ask(title) : ChosenFile(); });
}

}  // namespace app
