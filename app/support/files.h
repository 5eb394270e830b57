// Files: written completely or not at all, and found in assets/. Here the names that users type become files. A name may be
// anything: what looks at it gets its answer in an error code, never by an exception of the library.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace app {

// "~" and "~/videos", as a shell reads them; other paths stay as they are.
std::filesystem::path with_home(const std::filesystem::path& path);

// The file that a path leads to: a result takes the place of that file, which need not exist, and links to it stay links.
// Where links lead in a circle: the error, or without one std::runtime_error with one line.
std::filesystem::path behind_links(std::filesystem::path path, std::error_code& error);
std::filesystem::path behind_links(const std::filesystem::path& path);

// Whether something is there under that name, for all that can be seen; a link to nowhere is nothing.
bool is_there(const std::filesystem::path& path);

// Makes a folder, and those above it; one that is there stays. Throws std::runtime_error with one line.
void make_folder(const std::filesystem::path& folder);

// A name for what becomes `target`, in its folder: the target's, shortened where it has to be, and `ending`.
std::filesystem::path beside(const std::filesystem::path& target, const std::string& ending);

// Writes `bytes` to a new file beside `path`, syncs it to the disk, and renames it to `path`: a reader of `path` sees the
// old contents or the new, never a part. Links are followed by behind_links(); a path that is not a regular file (/dev/stdout)
// is written directly, as open_to_write() opens it. Throws std::runtime_error with one line: path, cause.
void write_file(const std::filesystem::path& path, std::string_view bytes);
inline void write_file(const std::filesystem::path& path, std::span<const unsigned char> bytes) {
  write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// Opens what is to be written from its start: an existing file is emptied, a missing one made; it stays locked until it is
// closed, and one that another program has locked so is refused. A pipe that nobody reads is waited for, as a shell does,
// until a signal ends the program (interrupt.h); where `hurry` is asked to stop, for a moment at most. Returns a descriptor,
// which does not block. Throws std::runtime_error with one line: path, cause.
int open_to_write(const std::filesystem::path& path, const std::stop_token& hurry = {});
// Waits until a pipe takes something, or would say why not. False: nobody reads it, and a signal or `hurry` has asked for an end
// a second ago.
bool await_room(int descriptor, const std::stop_token& hurry);
// Writes `bytes` to an open file, in as many parts as it takes; a pipe's reader has as much time as he needs, after such a
// signal, or in a hurry, a second for each part. Returns how many were written; if not all, `error` is the errno of the cause.
std::size_t write_bytes(int descriptor, std::string_view bytes, int& error, const std::stop_token& hurry = {});

// Where an open file is now, which was opened as `path`. Empty: it was removed.
std::filesystem::path place_of(int descriptor, const std::filesystem::path& path);
// At the end of what was written to an open file: throws std::runtime_error with one line where `path` does not lead to it any
// more. A file that is not regular may be removed while its reader has it.
void check_place(int descriptor, const std::filesystem::path& path);

// Makes a new file and opens it to read and write, under the first of name(1), name(2), ... under which nothing is, not even a
// link. Returns a descriptor, `path`: its name; or -1, errno says why.
int open_new(const std::function<std::filesystem::path(int number)>& name, std::filesystem::path& path);

// Makes an empty file under a name that no file has, and that no other program takes at the same time: `path`, or that with the
// first number that is free. Returns the name; `error`: why there is none.
std::filesystem::path take_name(const std::filesystem::path& path, std::error_code& error);
// Renames a file that is not what its name says: to <path>.broken, or .broken.2 if that exists already. Returns the end of a sentence
// that says where it is now.
std::string set_aside(const std::filesystem::path& path);
// Has `write` write such a file, which is removed again where that throws. Returns its name. Throws std::runtime_error, too.
std::filesystem::path write_new_file(const std::filesystem::path& path,
                                     const std::function<void(const std::filesystem::path&)>& write);

// Where a result goes: into a file that a user named, into one that the program named, which write_new_file() writes, or to the
// clipboard.
enum class Destination { named_file, new_file, clipboard };
struct ResultName {
  std::filesystem::path path;  // of the clipboard: what messages call it
  Destination to = Destination::named_file;
};

// The cause of a failed write by its errno: the system's words, and the next step where one is known.
std::string why_not_written(int error);

// Why new files cannot be made in `folder`, which need not exist yet but for folders above it: one line. Empty: they can.
std::string why_no_new_files(const std::filesystem::path& folder);

// Checks a path for a result before the work: throws ExitError if no file can be made there (failed), or if the result
// would replace the file `source` from which it is made (empty: none), one of the `others` that are made too, or one that another
// program has opened by open_to_write() (usage).
void check_result(const std::filesystem::path& path, const std::filesystem::path& source,
                  std::span<const std::filesystem::path> others = {});
// Throws ExitError (usage) if a result would replace one of the others.
void check_no_other(const std::filesystem::path& result, std::span<const std::filesystem::path> others);
// Throws ExitError (usage) if a result would replace one of the files that the run reads.
void check_not_read(const std::filesystem::path& result, std::span<const std::filesystem::path> read);
// Two names of one file: the same device and inode, or, where there is no file yet, the same place behind all links. What is
// not a regular file (/dev/null) takes any number of results.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);
// What same_file() compares, for many names: the file's device and inode, and its place behind all links. Empty: there is none.
std::string inode_of(const std::filesystem::path& path);
std::string place_of(const std::filesystem::path& path);
// The same as check_result() for all results of a run.
void check_results(std::span<const std::filesystem::path> paths, const std::filesystem::path& source);

// The files of assets/: installed with the program, or in the source tree from which it was built. The path of one, e.g.
// asset("clip.mp4"), in the first of these folders that contains it: $SATSCOPE_ASSETS, the installed share/satscope (found
// from the program's path, so that an installation can be moved), the source tree, to which the link `assets` beside programs
// of a build tree leads. If none does, its path in the first folder, so that an error message names a sensible place.
std::filesystem::path asset(std::string_view name);

// The folders that asset() searches, in order, for a program at `executable`.
std::vector<std::filesystem::path> asset_folders(const std::filesystem::path& executable);
std::filesystem::path find_asset(std::string_view name, std::span<const std::filesystem::path> folders);

}  // namespace app
