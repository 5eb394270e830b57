#!/usr/bin/python3
"""The program in a real window, with mouse and keyboard in the list of algorithms and their cards. Places are found by their
words. Usage: window_cards_test.py SATSCOPE ASSETS"""
from window_case import PATIENCE, WindowCase, main, xdotool

LEFT, CARDS = (slice(40, 770), slice(0, 320)), (slice(45, 790), slice(146, 1134))


class WindowCards(WindowCase):
    def open(self):
        process = self.start("--device", "host", "--effect", "none", "--algorithm", "host_parallel")
        self.steady()
        self.click_text("host_parallel", LEFT)
        self.assertTrue(self.sees("Use this"))
        return process

    def test_a_card_is_searched_read_and_used(self):
        process = self.open()
        self.assertTrue(self.sees("prefix_tree", CARDS))
        self.click_text("Search", CARDS)
        xdotool("type", "--delay", "50", "serial")
        self.assertTrue(self.misses("prefix_tree", CARDS))
        self.click_text("host_serial", CARDS)
        self.assertTrue(self.sees("How the sums move", CARDS))
        self.click_text("Use this", CARDS)
        self.click_text("Close", CARDS)
        self.assertTrue(self.misses("Use this"))
        self.assertEqual(self.quit(process)["algorithm"], "host_serial")

    def test_the_order_of_the_list(self):
        process = self.open()
        by_family = self.place_of("one_wave", CARDS)
        self.click_text("Family", CARDS)
        self.click_text("Year", CARDS)
        self.assertTrue(self.wait_for(lambda: self.places_of("one_wave", CARDS) not in ([], [by_family])))
        xdotool("key", "Escape")
        self.assertTrue(self.misses("Use this"))
        self.quit(process)
        self.assertEqual(self.saved()["card_order"], "year")

    def test_slash_and_ctrl_f_search_and_escape_leaves_the_search_first(self):
        process = self.open()
        self.assertTrue(self.sees("prefix_tree", CARDS))
        for key in "slash", "ctrl+f":
            # Letters of it are keys: L toggles looping, O reopens the source, C compares, A closes the cards.
            xdotool("key", key, "type", "--delay", "20", "looking back")
            self.assertTrue(self.misses("prefix_tree", CARDS), key)
            self.assertTrue(self.sees("1r1w_skss_lb", CARDS), key)
            xdotool("key", "Escape")
            self.assertTrue(self.sees("prefix_tree", CARDS), key)
            self.assertTrue(self.sees("Use this"), key)
        xdotool("key", "Escape")
        self.assertTrue(self.misses("Use this"))
        xdotool("key", "slash", "type", "--delay", "20", "serial")  # opens them, too
        self.assertTrue(self.sees("Use this"))
        self.assertTrue(self.sees("host_serial", CARDS))
        self.assertTrue(self.misses("prefix_tree", CARDS))
        xdotool("key", "Escape", "Escape")
        self.assertTrue(self.misses("Use this"))
        self.quit(process)

    def test_a_script_moves_the_keyboard_to_the_search_of_the_open_list(self):
        process = self.start_scripted("synthetic:320x240", "--no-config", "--device", "host", "--effect", "none")
        self.ask(process, {"set": {"cards": True}})
        self.ask(process, {"frames": 2})
        self.assertTrue(self.sees("prefix_tree", CARDS))
        self.ask(process, {"do": "search_cards"})
        self.ask(process, {"seconds": 0.5})
        xdotool("type", "--delay", "20", "serial")
        self.assertTrue(self.misses("prefix_tree", CARDS))
        self.assertTrue(self.sees("host_serial", CARDS))
        self.ask(process, {"do": "quit"})
        self.assertEqual(process.wait(PATIENCE), 0)


if __name__ == "__main__":
    main()
