#!/usr/bin/python3
"""The program in a real window, with mouse and keyboard in the list of algorithms and their cards. Places are found by their
words. Usage: window_cards_test.py SATSCOPE ASSETS"""
from window_case import WindowCase, main, xdotool

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


if __name__ == "__main__":
    main()
