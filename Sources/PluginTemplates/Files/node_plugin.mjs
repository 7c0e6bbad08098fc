// A task source to start from: a list of things to do, kept by the agent. docs/plugins.md tells the rest.

// The protocol: JSON-RPC 2.0, one message a line. Standard output takes nothing else; console.log goes to the log.
console.log = console.error;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const tell = (method, params) => send({ method, params });
const questions = new Map();
let asked = 0;
/** Asks the agent: state.get, state.set or agent.call. */
const ask = (method, params) =>
  new Promise((resolve, reject) => {
    const id = `q${++asked}`;
    questions.set(id, (answer) => (answer.error ? reject(answer.error) : resolve(answer.result)));
    send({ id, method, params });
  });
/** An error for the caller; the kinds are in docs/plugins.md. */
const failure = (kind, code, message, data = {}) => ({ code, message, data: { kind, ...data } });

// Replace these two by what your backend has.
const load = async () => (await ask("state.get", { key: "tasks" })) ?? { 1: { id: "1", title: "Write a plugin" } };
const save = (tasks) => ask("state.set", { key: "tasks", value: tasks });

/** One call after the other; a plugin that can do several at once need not wait here. */
let last = Promise.resolve();
const inTurn = (work) => (last = last.then(work, work));

const methods = {
  initialize: async ({ settings }) => {
    tell("log", { level: "info", message: `${settings.greeting ?? "hello"}, this is @NAME@` });
    return {
      name: "@NAME@",
      version: "1.0",
      tasks: true,
      methods: [
        {
          name: "add",
          summary: "Adds a task, and tells its id.",
          mutation: true,
          params: {
            type: "object",
            properties: { title: { type: "string" }, priority: { enum: ["low", "medium", "high", "urgent"] } },
            required: ["title"],
            additionalProperties: false,
          },
          result: { type: "string" },
        },
      ],
      settingsSchema: {
        type: "object",
        properties: { greeting: { type: "string" } },
        additionalProperties: false,
      },
    };
  },
  add: async ({ title, priority }) => {
    const tasks = await load();
    const id = String(Object.keys(tasks).length + 1);
    tasks[id] = { id, title, priority };
    await save(tasks);
    tell("event", { type: "@NAME@-added", data: { title } });
    return id;
  },
  "tasks.list": async () => ({ tasks: Object.values(await load()).filter((task) => !task.outcome) }),
  "tasks.get": async ({ task }) => (await load())[task] ?? null,
  "tasks.complete": async ({ task, action, comment }) => {
    const tasks = await load();
    if (!tasks[task]) throw failure("not-found", -32004, "There is no such task.");
    if (tasks[task].outcome) throw failure("conflict", -32005, "It is decided already.", { task: tasks[task] });
    tasks[task].outcome = { approve: "approved", reject: "rejected", complete: "completed" }[action];
    tasks[task].raw = { comment };
    await save(tasks);
    return tasks[task];
  },
  shutdown: async () => null,
};

/** What changes something; add yours. */
const writes = new Set(["add", "tasks.complete"]);
/** What went wrong unforeseen in a write may have gone wrong after something was written. */
const fault = (method, error) => {
  const [kind, code] = writes.has(method) ? ["outcome-unknown", -32008] : ["backend-error", -32002];
  return failure(kind, code, String(error));
};

const answer = async ({ id, method, params = {} }) => {
  try {
    if (!Object.hasOwn(methods, method)) throw { code: -32601, message: `There is no method ${method}.` };
    send({ id, result: await methods[method](params) });
  } catch (error) {
    if (error instanceof Error) console.error(error);
    send({ id, error: error instanceof Error ? fault(method, error) : error });
  }
};

/** A line ends with \n alone; node:readline takes \r and U+2028 for ends too, and JSON may have both inside. */
async function* lines(input) {
  let rest = "";
  for await (const text of input.setEncoding("utf8")) {
    const parts = text.split("\n");
    parts[0] = rest + parts[0];
    rest = parts.pop();
    yield* parts;
  }
}

const parse = (line) => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

for await (const line of lines(process.stdin)) {
  const message = parse(line);
  if (message === null) {
    console.error(`passed over, as it is no message: ${line}`);
  } else if (message.method === undefined) {
    questions.get(message.id)?.(message);
    questions.delete(message.id);
  } else if (message.id !== undefined) {
    inTurn(() => answer(message));
  }
}
// Nobody answers any more; what is worked on comes to its end.
for (const answered of questions.values()) answered({ error: failure("unavailable", -32006, "The agent has gone.") });
