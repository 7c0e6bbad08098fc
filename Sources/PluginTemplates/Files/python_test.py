#!/usr/bin/env python3
"""Tests of the plugin, without an agent: what an agent keeps is a dictionary here."""

import unittest

import plugin as subject
from ringi_plugin import Conflict


class Memory(dict):
    set = dict.__setitem__


class PluginTest(unittest.TestCase):
    def setUp(self):
        self.events = []
        subject.plugin.state = Memory()
        subject.plugin.event = lambda type, data=None: self.events.append(type)

    def test_what_is_added_is_open(self):
        key = subject.add("Feed the cat")
        self.assertEqual([task["title"] for task in subject.open_tasks()], ["Write a plugin", "Feed the cat"])
        self.assertEqual(subject.get(key)["title"], "Feed the cat")
        self.assertEqual(self.events, ["@NAME@-added"])

    def test_a_decision_is_taken_once(self):
        self.assertEqual(subject.complete("1", "approve", None)["outcome"], "approved")
        self.assertEqual(subject.open_tasks(), [])
        with self.assertRaises(Conflict):
            subject.complete("1", "reject", None)

    def test_there_is_no_such_task(self):
        self.assertIsNone(subject.get("7"))


if __name__ == "__main__":
    unittest.main()
