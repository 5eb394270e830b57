"""Faults listed by hand: which text becomes which, and the runs that detect it. A run: arguments of check_kernels."""
from dataclasses import dataclass

# Sizes: more than one row and column of tiles with W = 32, no square image, the last tiles partial. Seeds: random
# schedules; more of them where a fault shows only if blocks wait for each other.
SKSS = ("1r1w_skss 32u32u W=32 seeds=12 101x231",)
SKSS_LB = ("1r1w_skss_lb 8u32u W=32 seeds=12 201x131",)
# Blocks take the last tile first, and few are resident: those that start first need the fallback.
FALLBACK = ("decoupled_fallback_backward 8u32u seeds=8 527x391",)
# Runs whose numbers start again after the third one.
LAST_RUNS = ("1r1w_skss_lb 8u32u W=32 runs=4 runs_left=2 seeds=12 201x131",)
# Blocks start in any order, and wait a little: sums of those that gave up are read by others.
GIVES_UP = ("decoupled_fallback 8u32u m=W/2 seeds=60 801x791",)
ROWS_LB = ("2r2w_optimal 8u32u W=32 seeds=12 201x131",)
CHAIN = ("scan_transpose 8u32u section=256 rows=8 seeds=12 601x21",)
HA_BLOCKS = ("ha_blocks 8u32u b=64 151x131", "ha_blocks 32u32u b=64 151x131",
             "ha_blocks 8u64u b=256 shared=64 301x271")
BRLT = ("brlt_scanrow 32u32u 601x71", "brlt_scanrow 8u32u 601x71")
TRANSPOSE = ("scan_transpose_naive 8u32u rows=8 71x51",)
LUMA = ("luma 300x21",)
TILTED = ("tilted 300x2200 2300x70",)
BLUR = ("box_blur 71x41",)
TILES = ("2r1w 8u32u W=64 151x131",)
DIAGONALS = ("1r1w 8u32u W=64 151x131",)
# A detector, and its file with the fault: cascades of so many stages that both kernels evaluate some; of two, so that there are many
# windows to group; of nine, so that there are more detections than a list has room for.
CASCADES = ("tilted=1 stages=15 seeds=3 61x47", "multiprocessors=1 stages=18 trees=8 seeds=3 61x127")
TILE_SEARCH = tuple("detect_tile_search " + cascade for cascade in CASCADES)
PATCH_SEARCH = tuple("detect_patch_search " + cascade for cascade in CASCADES)
CROWD = ("detect_window_groups multiprocessors=1 stages=2 seeds=4 runs=2 99x77",
         "detect_window_groups multiprocessors=1 stages=9 seeds=2 99x77")
WAVE = ("one_wave 8u32u tile=8x4 seeds=12 301x171",)
# Blocks that wait without an end, where a fallback would make good what others have missed.
ENDLESS_WAVE = ("one_wave 8u32u tile=16x1 seeds=12 301x131",)
WAVE_FALLBACK = ("one_wave_impatient 8u32u tile=8x4 seeds=8 301x171", "one_wave_impatient 8u32u tile=8x4 room=3 seeds=8 301x171")
WAVES_AND_FALLBACK = WAVE + ENDLESS_WAVE + WAVE_FALLBACK  # tiles with the fallback, and others
# Tiles of 256 x 128: more than one group of four, partial tiles at both edges; then with the fallback, as above.
TILE_ROWS = ("row_waves 8u32u group=four seeds=12 1301x391",)
ROWS_FALLBACK = ("row_waves_backward 8u32u group=four seeds=8 1301x271",)
# Rows that begin at multiples of 16 bytes, which are copied asynchronously; and three groups before the last.
COPIED_ROWS = ("row_waves 8u32u group=four seeds=2 528x391",)
ROW_GROUPS = ("row_waves 8u32u group=four seeds=24 3101x141",)
ROWS = COPIED_ROWS + TILE_ROWS + ROWS_FALLBACK
ROWS_GIVE_UP = ("row_waves 8u32u group=four seeds=60 1301x391",)

# Two rows and columns of tiles of 128 x 128; of rows that begin anywhere, too.
TENSOR_TILES = ("tensor_tiles 8u32u seeds=3 201x131",)

# The runs that detect a missing barrier, wait or fence of the file.
FOUND_BY = {
    "pictures/for_each_pixel.cuh": BLUR + LUMA,
    "sat/block/register_matrix.cuh": BRLT,
    "sat/block/run_slots.cuh": LAST_RUNS,
    "sat/sat_1r1w_skss.cu": SKSS,
    "sat/sat_decoupled_fallback.cu": FALLBACK,
    "sat/block/look_back.cuh": SKSS_LB + ROWS_FALLBACK,
    "sat/block/look_back_tile.cuh": SKSS_LB,
    "sat/block/tile_of_block.cuh": ROWS_FALLBACK + WAVE_FALLBACK,
    "sat/sat_tensor_tiles.cu": TENSOR_TILES,
    "sat/block/tensor_band.cuh": TENSOR_TILES,
    "sat/sat_2r1w.cu": TILES,
    "sat/sat_2r2w_optimal.cu": ROWS_LB,
    "sat/sat_ha_blocks.cu": HA_BLOCKS,
    "sat/sat_one_wave.cu": WAVES_AND_FALLBACK,
    "sat/block/wave_exchange.cuh": WAVES_AND_FALLBACK,
    "sat/sat_row_waves.cu": ROWS,
    "sat/block/row_wave_pixels.cuh": ROWS,
    "sat/block/row_wave_tile.cuh": ROWS,
    "sat/sat_prefix_tree_blocked.cu": ("prefix_tree_blocked 8u32u k=1024 1301x7",),
    "sat/sat_scan_transpose.cu": CHAIN,
    "sat/sat_transpose_harris.cu": ("transpose_harris 8u32u scan=kogge_stone 1601x5",
                                    "transpose_harris 8u32u scan=blelloch 601x5"),
    "sat/block/tile.cuh": SKSS,
    # A line shared by threads takes two rounds only if it is long and the GPU is small.
    "sat/block/tile_prefix.cuh": ("2r1w 8u64u W=32 multiprocessors=1 1101x128",),
    "sat/block/tile_sums.cuh": TILES + DIAGONALS,
    "sat/block/tile_trace.cuh": TILES,
    "sat/block/transpose.cuh": TRANSPOSE,
    "tables/tilted.cu": TILTED,
    "vision/patch_search.cu": PATCH_SEARCH,
    "vision/tile_search.cu": TILE_SEARCH,
    "vision/tile_tables.cuh": TILE_SEARCH,
    "vision/window_groups.cu": CROWD,
}

# Barriers, waits and fences that are redundant, so that no run can detect the fault: file, text before the site, site, reason.
DEEP_GRIDS = "only in grids of more than 65535 rows of tiles have blocks no tile; where one is run, it is a fault to end without this wait"
SILENT_SITES = (
    ("sat/block/register_matrix.cuh", "data[j] = buffer.at[lane][j];\n  ", "__syncwarp();",
     "both algorithms that transpose matrices have the barrier of Stitch between this and the next matrix"),
    ("sat/block/tile_trace.cuh", "finish(int I, int J) const {\n    ", "__syncthreads();",
     "in passes without look-backs it orders no access: without it the recorded end of a tile comes before the last stores of other threads"),
    ("sat/block/tile_sums.cuh", "let_next_launch_start();\n  ", "wait_for_previous_launch();",
     "the functions that it calls wait before they touch sums; only the trace of a tile would begin too early"),
    ("sat/block/tile_sums.cuh", "are loaded together with the tile.\n  ", "wait_for_previous_launch();",
     "diagonal_tiles(), which alone calls this, has waited, and write_global_sat() waits again"),
    ("sat/sat_2r1w.cu", "if (I < 0) return ", "wait_for_previous_launch();", DEEP_GRIDS),
    ("sat/sat_ha_blocks.cu", "if (place.I < 0) return ", "wait_for_previous_launch();", DEEP_GRIDS),
)


@dataclass(frozen=True)
class PlantedFault:
    name: str
    file: str
    edits: tuple       # of (text, what it becomes)
    runs: tuple = ()   # empty: those of the file in FOUND_BY
    times: int = 1     # occurrences of each text
    silent: str = ""


def edit(name, file, old, new, runs=(), times=1, silent="", folder=None):
    """`folder`: below gpu/; by default sat/ for an algorithm and sat/block/ for a piece."""
    if folder is None:
        folder = "sat/" if file.startswith("sat_") else "sat/block/"
    return PlantedFault(name, folder + file, ((old, new),), runs, times, silent)


BLOCK = "static_cast<int>(blockIdx.x)"
BLOCKS_TICKET = "RunTickets::Ticket{" + BLOCK + ", 1}"
# Several runs in memory that persists, of different images.
RUNS = ("1r1w_skss_lb 8u32u W=32 runs=3 seeds=6 201x131",)
TICKETS = (
    edit("ticket.look_back_tile", "look_back_tile.cuh", "lines.all.tickets->take(gridDim.x)", BLOCKS_TICKET),
    edit("ticket.2r2w_optimal", "sat_2r2w_optimal.cu", "slots.tickets->take(gridDim.x)", BLOCKS_TICKET, times=2),
    # Long chains: few blocks are resident, and soon all of them wait.
    edit("ticket.scan_transpose", "sat_scan_transpose.cu", "slots.tickets->take(gridDim.x)", BLOCKS_TICKET,
         ("scan_transpose 8u32u section=256 rows=8 seeds=30 2001x2",)),
    edit("ticket.skss", "sat_1r1w_skss.cu", "slots.tickets->take(gridDim.x)", BLOCKS_TICKET,
         ("1r1w_skss 32u32u W=32 seeds=30 353x41",)),
    edit("ticket.run_not_counted", "run_slots.cuh", "static_cast<std::uint64_t>(ticket.run) << 32", "std::uint64_t{0}", RUNS),
    edit("ticket.no_next_run", "run_slots.cuh", "if (taken >= last)", "if (false)", RUNS),
    edit("ticket.next_run_too_early", "run_slots.cuh", "if (taken >= last)", "if (taken + 1 >= last)", RUNS),
)

LOOK_BACKS = (
    edit("status.global_as_local", "look_back_walk.h", "publish(Status::global, carry + local)",
         "publish(Status::local, carry + local)", ROWS_LB),
    edit("status.local_as_global", "look_back_walk.h", "publish(Status::local, local)", "publish(Status::global, local)",
         ROWS_LB),
    edit("status.no_local", "look_back_walk.h", "if (predecessors > 0) mine->publish(Status::local, local);", "",
         silent="only slower: the look-back waits for the global sum, which always comes"),
    edit("status.walk_does_not_stop", "look_back_walk.h", "if (seen[b].status == Status::global) return carry;", "",
         ROWS_LB),
    edit("status.empty_is_taken", "look_back_walk.h", "if (seen[b].status == Status::empty)", "if (false)", ROWS_LB),
    edit("status.warp_takes_empty", "look_back_walk.h", "(empties & up_to_global) == 0 ?", "true ?", SKSS_LB),
    edit("status.warp_takes_only_global", "look_back_walk.h", "globals ^ (globals - 1);", "globals;", SKSS_LB),
    # More predecessors than a warp has lanes.
    edit("status.warp_does_not_wait", "look_back.cuh", "while (adding == 0 && all_poll_again(budget));", "while (false);", SKSS_LB),
    edit("status.warp_does_not_stop", "look_back.cuh", "if (globals) break;", "",
         ("1r1w_skss_lb 8u32u W=32 seeds=0 1101x1061",)),
    edit("status.warp_last_slot", "look_back.cuh", "d + lane <= count ?", "d + lane < count ?", SKSS_LB),
    edit("status.corner_local_as_global", "look_back_tile.cuh", "publish(Status::local, l_shape)",
         "publish(Status::global, l_shape)"),
    edit("status.corner_global_as_local", "look_back_tile.cuh", "publish(Status::global, carry + l_shape)",
         "publish(Status::local, carry + l_shape)"),
    edit("status.corner_no_local", "look_back_tile.cuh",
         "if (thread == 0 && predecessors > 0) mine->publish(Status::local, l_shape);", "",
         silent="only slower: as status.no_local"),
    edit("status.skss_does_not_wait", "sat_1r1w_skss.cu", "while (seen.status != Status::global) seen", "if (false) seen"),
    edit("status.skss_published_as_local", "sat_1r1w_skss.cu", "publish(Status::global,", "publish(Status::local,"),
    edit("status.chain_published_as_local", "sat_scan_transpose.cu", "publish(Status::global,", "publish(Status::local,"),
    edit("status.chain_does_not_wait", "sat_scan_transpose.cu", "Published<Sum> seen{}; seen.status != Status::global; left = seen.value)",
         "Published<Sum> seen{}; seen.status == Status::empty && left == 0; left = seen.value, seen.status = Status::global)"),
    # A word of two stores, the value first, of which a reader may see the second one only.
    PlantedFault("status.published_apart", "sat/block/tagged_word.cuh",
          (("    store_word(this, static_cast<Word>(its_tag)", "    if constexpr (sizeof bits == 8) {\n"
            "      store_word(&value, bits);\n      store_word(&tag, static_cast<Bits>(its_tag));\n"
            "    } else store_word(this, static_cast<Word>(its_tag)"),
           ("    load_word(this, word);", "    if constexpr (sizeof(Bits) == 8) {\n      Bits low, high;\n      load_word(&tag, high);\n"
            "      load_word(&value, low);\n      word = static_cast<Word>(high) << 64 | low;\n    } else load_word(this, word);")),
          ("1r1w_skss_lb 8u64u W=32 seeds=12 201x131",)),
    edit("slot.skipped", "look_back_walk.h", "++d;", "d += 2;", ROWS_LB),
    edit("slot.first_skipped", "look_back_walk.h", "words[b] = slot(d + b)->load();",
         "words[b] = slot(d + b + 1)->load();", ROWS_LB),
    edit("slot.last_skipped", "look_back_walk.h", "if (d + b <= count) words[b]", "if (d + b < count) words[b]", ROWS_LB),
    edit("slot.step_of_walk", "look_back_walk.h", "return mine - d * step;", "return mine - (d + 1) * step;", ROWS_LB),
    edit("slot.column_stride", "look_back_tile.cuh", "I, tile_columns * W,", "I, (tile_columns + 1) * W,"),
    edit("slot.corner_stride", "look_back_tile.cuh", "mine - d * (tile_columns + 1)", "mine - d * tile_columns"),
    edit("slot.skss_stride", "sat_1r1w_skss.cu", "mine - static_cast<std::ptrdiff_t>(tile_rows) * W",
         "mine - static_cast<std::ptrdiff_t>(tile_columns) * W"),
    edit("slot.chain_neighbour", "sat_scan_transpose.cu", "(mine - image.height)->read()",
         "(mine - 1)->read()"),
    edit("slot.of_any_run", "run_slots.cuh", "(seen.tag > first ? seen.tag : first) - first",
         "(seen.tag % 4 + first) - first", RUNS),
    edit("slot.run_not_published", "run_slots.cuh", "word->publish(4 * run + static_cast", "word->publish(4 + static_cast", RUNS),
    edit("fallback.never", "sat_decoupled_fallback.cu", "PollBudget{order.most_polls}", "Endless{}", FALLBACK),
    edit("fallback.of_itself_only", "sat_decoupled_fallback.cu", "for (int number = 0;", "for (int number = own;", FALLBACK),
    edit("fallback.not_of_itself", "sat_decoupled_fallback.cu", "has_come = number < own &&", "has_come =", FALLBACK),
    edit("fallback.corner_of_another_tile", "sat_decoupled_fallback.cu", "(place.I) * tile_columns + place.J, shared.run}",
         "(place.I) * tile_rows + place.J, shared.run}", FALLBACK),
    edit("fallback.publishes_a_part", "look_back_walk.h", "if (!budget.spent()) mine->publish", "mine->publish", GIVES_UP),
    edit("fallback.publishes_a_part_of_the_corner", "look_back_tile.cuh", "thread == 0 && !budget.spent()", "thread == 0", GIVES_UP),
    edit("fallback.threads_disagree", "look_back.cuh", "!__syncthreads_or(budget.spent())", "!budget.spent()", FALLBACK),
    edit("fallback.lanes_disagree", "look_back.cuh", "__ballot_sync(whole_warp, !budget.poll_again()) == 0",
         "budget.poll_again()", GIVES_UP),
)

# Several launches, one after another: on a GPU of one multiprocessor, and with few resident blocks.
BANDS = ("one_wave 8u32u tile=8x4 multiprocessors=1 seeds=6 301x171",)
WAVES = (
    edit("wave.any_tag", "tagged_word.cuh", "if (seen_[b].tag != tag) seen_[b]", "if (seen_[b].tag == 0) seen_[b]", BANDS),
    edit("wave.words_not_read_again", "tagged_word.cuh", "while (batch.poll(places, tag))",
         "if (batch.poll(places, tag))", WAVE),
    edit("wave.both_not_read_again", "tagged_word.cuh", "while (missing)", "if (missing)", ENDLESS_WAVE),
    edit("wave.one_of_both_read_again", "tagged_word.cuh", "missing |= batch_b.poll(b, tag);", "batch_b.poll(b, tag);", ENDLESS_WAVE),
    edit("wave.first_word_only", "tagged_word.cuh", "places.begin += count * places.stride", "places.begin = places.end",
         ("one_wave 8u32u tile=16x1 seeds=4 131x301",)),
    edit("wave.stride", "tagged_word.cuh", "places.begin += count * places.stride", "places.begin += count",
         ("one_wave 8u32u tile=16x1 seeds=4 131x401",)),
    edit("wave.stride_of_rows", "tagged_word.cuh", "a.begin += count_a * a.stride;", "a.begin += count_a;",
         ("one_wave 8u32u tile=8x4 seeds=0 1025x41",)),
    edit("wave.stride_of_tiles", "tagged_word.cuh", "b.begin += count_b * b.stride;", "b.begin += count_b;", WAVE),
    edit("wave.same_tag", "run_slots.cuh", "return 4 * run;", "return 4;", BANDS),
    edit("wave.columns_not_published", "wave_exchange.cuh", "words[I * step + t / lines_of_word].publish(tag, word);", ";"),
    edit("wave.last_columns_published", "wave_exchange.cuh", "if (I + 1 < wave.rows && t % lines_of_word == 0) words[",
         "if (t % lines_of_word == 0) words[",
         silent="only slower: nobody reads these words"),
    edit("wave.second_of_two", "tagged_word.cuh", "second += word >> 16;", "second += word & 0xffffu;",
         ("one_wave 8u32u tile=16x4 seeds=2 301x201",)),
    edit("wave.word_of_two", "wave_exchange.cuh", "word_of(row[0], row[lines_of_word - 1])", "word_of(row[0], row[0])",
         ("one_wave 8u32u tile=16x4 seeds=2 301x201",)),
    edit("wave.rows_not_published", "wave_exchange.cuh", "part == 0 && J + 1 < wave.columns",
         "part == 0 && J + 2 < wave.columns"),
    edit("wave.corner", "wave_exchange.cuh", "if (I == 0 || J == 0) return", "if (I <= 1 || J == 0) return"),
    edit("wave.tiles_step", "wave_exchange.cuh", "Places<Sum>{words, wave.columns, part",
         "Places<Sum>{words, wave.columns - 1, part"),
    edit("wave.high_tiles_step", "wave_exchange.cuh", "sums.corner = sum_of_words<Sum, Sum>({words, wave.columns, part",
         "sums.corner = sum_of_words<Sum, Sum>({words, wave.columns - 1, part", ("one_wave 8u32u tile=8x16 seeds=4 301x401",)),
    edit("wave.top", "sat_one_wave.cu", "wave.first_row * H - 1", "wave.first_row * H", BANDS),
    # What lies behind the end of a row is written by the same launch only if the launch has whole rows.
    edit("wave.top_edge", "sat_one_wave.cu", " && x0 + thread < sat.width;", ";",
         ("one_wave 8u32u tile=8x4 multiprocessors=2 seeds=6 301x171",)),
    edit("wave.from_left", "wave_exchange.cuh", "if (wave.from_left) sum += wave.from_left[i];", "", BANDS),
    edit("wave.to_right", "wave_exchange.cuh", "wave.to_right[i] = sum + shared.row[i]", "wave.to_right[i] = sum", BANDS),
    # The fallback of small launches.
    edit("wave.threads_disagree", "sat_one_wave.cu", "__syncthreads_or(!all_came)", "!all_came", WAVE_FALLBACK),
    edit("wave.a_part_is_enough", "sat_one_wave.cu", "__syncthreads_or(!all_came)", "__syncthreads_or(false)", WAVE_FALLBACK),
    edit("wave.fallback_of_itself_only", "tile_of_block.cuh", "for (int number = 0;", "for (int number = own;",
         WAVE_FALLBACK),
    edit("wave.fallback_does_not_wait", "sat_one_wave.cu", "own ? std::numeric_limits<int>::max() : 0", "0",
         silent="its own block has published all words before a barrier, and therefore finds them at once"),
    # Three launches side by side.
    edit("buffer.wave_passed_on", "sat_one_wave.cu", "passed_on + number % 2 * shape.H()", "passed_on",
         ("one_wave 8u32u tile=8x4 multiprocessors=1 seeds=6 601x71",), times=2),
)

ROW_WAVES = (
    edit("rows.empty_is_taken", "row_wave_tile.cuh", "waiting |= seen_[b].status == Status::empty;", ""),
    edit("rows.column_does_not_wait", "row_wave_tile.cuh", "while (!first.ended()) {", "for (int once = 0; once < 1; ++once) {",
         ("row_waves 32u32u group=four seeds=12 601x391",)),
    edit("rows.columns_do_not_wait", "row_wave_tile.cuh", "while (!first.ended() || !second.ended()) {",
         "for (int once = 0; once < 1; ++once) {"),
    edit("rows.rows_do_not_wait", "row_wave_tile.cuh", "while (!tiles.ended() || !far.ended()) {",
         "for (int once = 0; once < 1; ++once) {"),
    edit("rows.copies_of_four", "sat_row_waves.cu", "aligned_to<CopiedPiece>(image)},", "aligned_to_four(image)},",
         ("row_waves 8u32u group=four seeds=2 604x391",)),
    edit("rows.walk_does_not_stop", "row_wave_tile.cuh", "seen_[b].status == Status::global ? count_ + 1 : next_ + 1", "next_ + 1"),
    edit("rows.group_without_tiles", "row_wave_tile.cuh", "publish(Status::local, tiles.carry() + local)",
         "publish(Status::local, local)", ROW_GROUPS),
    edit("rows.group_as_global", "row_wave_tile.cuh", "of_group->publish(Status::local,", "of_group->publish(Status::global,",
         ROW_GROUPS),
    edit("rows.group_too_early", "row_wave_tile.cuh", "if (!group_known && tiles.ended())", "if (!group_known)", ROW_GROUPS),
    edit("rows.group_not_local", "row_wave_tile.cuh", "bool group_known = !read_by_others || !last;", "bool group_known = true;",
         silent="only slower: the look-back waits for the global sum of the group"),
    edit("rows.groups_stride", "row_wave_tile.cuh", "of_group - d * H", "of_group - (d - 1) * H"),
    edit("rows.tiles_stride", "row_wave_tile.cuh", "return mine - d * H;", "return mine - (d + 1) * H;"),
    edit("rows.columns_stride", "row_wave_tile.cuh", "const int step = grid.step_down(),", "const int step = grid.step_down() - 4,"),
    edit("rows.corner_stride", "row_wave_tile.cuh", "corner - d * (grid.columns + 1)", "corner - d * grid.columns"),
    # With more polls: the fallback makes good what a tile has missed that started too early.
    PlantedFault("rows.corner_at_once", "sat/block/row_wave_tile.cuh",
          (("shared.corner_has_come = !none.spent();", "shared.corner_has_come = true;"),
           ("    depths = {};\n", "    depths = {};\n    if constexpr (Waiting::ends) budget.most = 20;\n")),
          TILE_ROWS),
    edit("rows.corner_as_local", "row_wave_tile.cuh", "publish(Status::global, shared.corner + l_shape())",
         "publish(Status::local, shared.corner + l_shape())"),
    edit("rows.second_piece_above", "row_wave_tile.cuh", "if (piece == 1) rest += shared.first.all();", ";"),
    edit("rows.second_piece_left", "row_wave_tile.cuh", "put(i, carry + shared.row[0][i])", "put(i, carry)"),
    edit("rows.threads_disagree", "look_back.cuh", "!__syncthreads_or(budget.spent())", "!budget.spent()", ROWS_FALLBACK),
    edit("rows.publishes_a_part_of_a_column", "row_wave_tile.cuh", "read_by_others[p] && !budget.spent()", "read_by_others[p]",
         ROWS_GIVE_UP),
    edit("rows.publishes_a_part_of_a_group", "row_wave_tile.cuh", "read_by_others && last && !budget.spent()", "read_by_others && last",
         ROWS_GIVE_UP),
    edit("rows.publishes_a_part_of_the_corner", "row_wave_tile.cuh", "thread() == corner_thread && !budget.spent()",
         "thread() == corner_thread", ROWS_GIVE_UP),
    edit("rows.no_fallback", "sat_row_waves.cu", "PollBudget{launch.order.most_polls}", "Endless{}", ROWS_FALLBACK),
    edit("rows.fallback_of_itself_only", "tile_of_block.cuh", "for (int number = 0;", "for (int number = own;", ROWS_FALLBACK),
    edit("rows.fallback_not_of_itself", "tile_of_block.cuh", "tile.is_published() && number < own", "tile.is_published()", ROWS_FALLBACK),
    edit("edge.rows_load_right", "row_wave_pixels.cuh", "first_of(k, before) + 4 <= image.width",
         "first_of(k, before) < image.width"),
    edit("edge.rows_load_bytes", "row_wave_pixels.cuh", "x >= 0 && x < image.width", "x >= 0 && x <= image.width"),
    edit("edge.rows_load_below", "row_wave_pixels.cuh", "return y0() + r < image.height &&", "return y0() + r <= image.height &&"),
    edit("edge.rows_inside_right", "row_wave_pixels.cuh", "x0() + piece_columns <= width", "x0() < width"),
    edit("edge.rows_inside_below", "row_wave_pixels.cuh", "y0() + rows <= height", "y0() < height"),
    edit("edge.rows_store_right", "row_wave_tile.cuh", "if (x + c < sat.width) target", "if (x + c <= sat.width) target"),
    edit("edge.rows_store_four", "row_wave_tile.cuh", "(x + 4 <= sat.width &&", "(x < sat.width &&"),
    edit("edge.rows_store_below", "row_wave_tile.cuh", "} else if (y0 + r0 + k < sat.height) {",
         "} else if (y0 + r0 + k <= sat.height) {"),
)

BUFFERS = (
    edit("buffer.stitch", "register_matrix.cuh", "partial[step % 2]", "partial[0]"),
    edit("buffer.ha_blocks_scan", "sat_ha_blocks.cu", "shared.edge[strip % 2]", "shared.edge[0]"),
    edit("buffer.skss_above", "sat_1r1w_skss.cu", "above[(I + 1) % 2]", "above[I % 2]"),
    edit("buffer.skss_staging", "sat_1r1w_skss.cu", "staging + (I % Depth) * (W * W / 4)", "staging", times=2),
    edit("buffer.harris", "sat_transpose_harris.cu", "current = 1 - current;", ""),
    edit("buffer.blelloch_root", "sat_transpose_harris.cu", "tree.at[padded(piece - 1)] = 0;", ""),
    edit("wait.one_group_early", "sat_1r1w_skss.cu", "unstage<Depth - 1>", "unstage<Depth>"),
)

TRANSPOSITIONS = (
    edit("transpose.block", "transpose.cuh", "= tile[column][i];", "= tile[i][column];"),
    edit("transpose.warp", "register_matrix.cuh", "data[j] = buffer.at[lane][j];", "data[j] = buffer.at[j][lane];"),
    edit("transpose.packed", "register_matrix.cuh", "buffer.at[4 * k + matrix.row()][matrix.column() + c]",
         "buffer.at[matrix.column() + c][4 * k + matrix.row()]", BRLT[1:]),
    edit("transpose.order_of_tiles", "transpose.cuh", "tile_x = J * Side, tile_y = I * Side",
         "tile_x = I * Side, tile_y = J * Side"),
)

EDGES = (
    edit("edge.load_right", "tile.cuh", "return aligned ? x + columns <= image.width", "return aligned ? x < image.width", TILES),
    edit("edge.load_below", "tile.cuh", "by_words && y + r < image.height", "by_words && y + r <= image.height", TILES),
    edit("edge.load_whole_tiles", "tile.cuh",
         "x0 + W <= image.width && y0 + H <= image.height) {\n      const Input* source = image.row(y) + x;",
         "x0 < image.width && y0 + H <= image.height) {\n      const Input* source = image.row(y) + x;",
         ("2r1w 8u32u W=64 150x128",)),
    edit("edge.load_words_below", "tile.cuh", "whole = x + columns <= image.width && y + r < image.height",
         "whole = x + columns <= image.width && y + r <= image.height", ("1r1w_skss 32u32u W=32 97x41",)),
    edit("edge.stage_whole_tiles", "tile.cuh",
         "y0 + H <= image.height) {\n      const Input* source = image.row(y0 + first_row())",
         "y0 < image.height) {\n      const Input* source = image.row(y0 + first_row())", ("1r1w_skss 32u32u W=32 96x41",)),
    edit("edge.store_right", "four.cuh", "if (x + c < end)", "if (x + c <= end)", ("2r1w 8u32u W=64 149x131",) + CHAIN),
    edit("edge.store_below", "tile.cuh", "y < sums.height ? sums.width", "y <= sums.height ? sums.width", TILES),
    edit("edge.prefix_of_warps", "warp.cuh", "if (w < warp)", "if (w <= warp)", TILES),
    edit("edge.bands_above", "tile.cuh", "g >= band()", "g > band()", TILES),
    edit("edge.corner", "tile_sums.cuh", "I > 0 && J > 0 ? sums.corner_of(I - 1, J - 1)",
         "I > 1 && J > 0 ? sums.corner_of(I - 1, J - 1)", TILES),
    edit("edge.prefix_load", "tile_prefix.cuh", "read[i] = i < count ?", "read[i] = i <= count ?"),
    edit("edge.prefix_store", "tile_prefix.cuh", "if (i < count) entry", "if (i <= count) entry"),
    edit("edge.last_diagonal", "tile_sums.cuh", "diagonal < end;", "diagonal + 1 < end;",
         DIAGONALS),
    edit("edge.transpose_load", "transpose.cuh", "tile_y + i < from.height ?", "tile_y + i <= from.height ?"),
    edit("edge.transpose_store", "transpose.cuh", "if (y < from.height &&", "if (y <= from.height &&"),
    edit("edge.matrix_load", "register_matrix.cuh", "y0 + j < image.height ? *source", "y0 + j <= image.height ? *source"),
    edit("edge.matrix_load_right", "register_matrix.cuh", "if (inside && x < image.width)",
         "if (inside && x <= image.width)", ("brlt_scanrow 32u32u 601x64",)),
    edit("edge.matrix_packed", "register_matrix.cuh", "x + c < image.width && y + Apart * k < image.height ? source[c]",
         "x + c < image.width && y + Apart * k <= image.height ? source[c]", BRLT[1:]),
    edit("edge.matrix_store", "register_matrix.cuh", "if (y0 + j < image.height) *target",
         "if (y0 + j <= image.height) *target"),
    edit("edge.matrix_store_right", "register_matrix.cuh", "if (x >= image.width) return;", "if (x > image.width) return;"),
    edit("edge.harris_store", "sat_transpose_harris.cu", "if (x < image.width) target[x] = value[p]",
         "if (x <= image.width) target[x] = value[p]"),
    edit("edge.blelloch_store", "sat_transpose_harris.cu", "if (x < image.width) target[x] = tree",
         "if (x <= image.width) target[x] = tree"),
    edit("edge.tree_first_lane", "sat_prefix_tree_blocked.cu", "(lane > 0 ? lower : Sum(0))", "lower"),
    edit("edge.tree_seed", "sat_prefix_tree_blocked.cu", "if (lane == 0) interval += seed;", ""),
    edit("edge.doubling_load", "sat_prefix_doubling.cu", "(x >= distance ?", "(x > distance ?",
         ("prefix_doubling 8u32u 71x51",)),
    edit("edge.doubling_store", "sat_prefix_doubling.cu", "if (x < from.width)", "if (x <= from.width)",
         ("prefix_doubling 8u32u 71x51",)),
    edit("edge.tree_pair", "sat_prefix_tree.cu", "if (i < whole)", "if (i <= whole)", ("prefix_tree 8u32u 71x51",)),
    edit("edge.tree_step", "sat_prefix_tree.cu", "first + k * step", "first + k",
         ("prefix_tree 8u32u multiprocessors=1 171x151",)),
    edit("edge.tree_child", "sat_prefix_tree.cu", "if (2 * i + 1 < sums.width)", "if (2 * i + 1 <= sums.width)",
         ("prefix_tree 8u32u 71x51",)),
    edit("edge.row_scan_store", "sat_scanrow_column.cu", "if (x + j * warp_lanes < image.width) target",
         "if (x + j * warp_lanes <= image.width) target", ("scanrow_column 8u32u 71x51",)),
    edit("edge.column_thread", "sat_2r2w.cu", "if (x >= image.width) return;", "if (x > image.width) return;",
         ("2r2w 8u32u 71x51",)),
)

TENSORS = (
    edit("tensor.triangle_of_columns", "tensor_band.cuh", "column - first + 1", "column - first"),
    edit("tensor.triangle_of_rows", "tensor_band.cuh", "g() - 2 * t() + 1", "g() - 2 * t()"),
    edit("tensor.chunks_before", "tensor_band.cuh", "add_product(before[half], twos, operand);", ""),
    edit("tensor.high_parts", "tensor_band.cuh", "{second, second << 7}", "{second, first << 7}"),
    edit("tensor.split_of_sums", "tensor_band.cuh", "0x7531)", "0x6420)"),
    edit("transpose.tensor", "tensor_band.cuh", "exchange_fours<4>(four, t());", ""),
    edit("edge.tensor_store_right", "tensor_band.cuh", "x + t() < sat.width", "x + t() <= sat.width"),
    edit("edge.tensor_store_below", "tensor_band.cuh", "row + 2 * k < sat.height", "row + 2 * k <= sat.height"),
    edit("edge.tensor_store_rows", "tensor_band.cuh", "y < sat.height ? sat.width", "y <= sat.height ? sat.width"),
)

# Pixels of a row, and rows whose first word begins before the row.
COLOURS = (
    edit("edge.colour_words", "pictures/for_each_pixel.cuh", "x0 + colours_per_warp > colour.width)", "x0 > colour.width)",
         folder=""),
    edit("edge.colour_pixel", "pictures/for_each_pixel.cuh", "x < std::min(colour.width, x0", "x <= std::min(colour.width, x0",
         folder=""),
    edit("edge.colour_alignment", "pictures/for_each_pixel.cuh", "if (!aligned || x0", "if (x0", ("luma 301x21",), folder=""),
    edit("transpose.colour", "pictures/for_each_pixel.cuh", "words[i * colour_lanes + lane] = fetched[i]",
         "words[lane * words_per_lane + i] = fetched[i]", folder=""),
)

# Work of the launch before that is used too early, although every thread waits at last. (Waits that are missing: sites.py.)
SUMS_WAIT = "  wait_for_previous_launch();  // which made the sums, not the image\n"
LAUNCHES = (
    PlantedFault("launch.ha_blocks_reads_early", "sat/sat_ha_blocks.cu",
          ((SUMS_WAIT, ""), ("  Sum next_left = left_of_strip(0);\n", "  Sum next_left = left_of_strip(0);\n" + SUMS_WAIT)), HA_BLOCKS),
    PlantedFault("launch.tile_reads_early", "sat/block/tile_sums.cuh",
          ((SUMS_WAIT, ""), ("  bands.put(tile.band_column_sums());\n  __syncthreads();\n  trace.carry",
                             SUMS_WAIT + "  bands.put(tile.band_column_sums());\n  __syncthreads();\n  trace.carry")), TILES),
    PlantedFault("launch.prefix_sums_wait_last", "sat/block/tile_prefix.cuh",
          (("  wait_for_previous_launch();\n  let_next", "  let_next"),
           ("tiles, blocks.corners);\n  }\n", "tiles, blocks.corners);\n  }\n  wait_for_previous_launch();\n")), TILES),
    edit("launch.prefix_sums_let_first", "tile_prefix.cuh", "  wait_for_previous_launch();\n  let_next_launch_start();\n",
         "  let_next_launch_start();\n  wait_for_previous_launch();\n",
         silent="before they wait, the kernels that follow read only the image, which no launch of the run writes"),
)

LISTED = LAUNCHES + TICKETS + LOOK_BACKS + WAVES + ROW_WAVES + BUFFERS + TRANSPOSITIONS + EDGES + TENSORS + COLOURS
