#!/usr/bin/env node
// Tests of the plugin, with an agent that keeps its state in a variable.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import test from "node:test";

async function withPlugin(body) {
  const program = spawn(process.execPath, [new URL("plugin.mjs", import.meta.url).pathname], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const state = {};
  const answers = new Map();
  const told = [];
  const send = (message) => program.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  createInterface({ input: program.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) return answers.get(message.id)(message);
    if (message.id === undefined) return told.push(message.params);
    const { key, value } = message.params;
    if (message.method === "state.set") state[key] = value;
    send({ id: message.id, result: message.method === "state.get" ? (state[key] ?? null) : null });
  });
  let last = 0;
  const call = (method, params) =>
    new Promise((resolve) => {
      answers.set(++last, resolve);
      send({ id: last, method, params });
    });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  try {
    await body(call, told);
  } finally {
    program.stdin.end();
  }
  assert.equal(await ended, 0);
}

test("what is added is open, and told", () =>
  withPlugin(async (call, told) => {
    assert.equal((await call("add", { title: "Feed the cat" })).result, "2");
    const { tasks } = (await call("tasks.list")).result;
    assert.deepEqual(tasks.map((task) => task.title), ["Write a plugin", "Feed the cat"]);
    assert.equal(told.at(-1).type, "@NAME@-added");
  }));

test("a decision is taken once", () =>
  withPlugin(async (call) => {
    assert.equal((await call("tasks.complete", { task: "1", action: "approve" })).result.outcome, "approved");
    assert.equal((await call("tasks.complete", { task: "1", action: "reject" })).error.code, -32005);
    assert.equal((await call("tasks.get", { task: "7" })).result, null);
  }));
