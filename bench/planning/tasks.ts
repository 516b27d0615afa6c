/** Tasks on five files, as planners write them, each with the patch that an agent made of it. All pairs of a file are measured. */

export interface LabelledTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** What it changes, without its file. */
  readonly symbols: readonly string[];
  /** Old text, once in the file, and what replaces it. */
  readonly patch: readonly (readonly [string, string])[];
}

export interface LabelledFile {
  readonly path: string;
  /** Null: in the example that the rehearsal of profiles begins with. */
  readonly text: string | null;
  readonly tasks: readonly LabelledTask[];
  /** Pairs that merge and yet do not fit together: one uses what the other changed, or both wrote the same thing. */
  readonly semantic: readonly (readonly [string, string])[];
}

const python = `"""What is on the shelves."""
import json

MAX_ITEMS = 100
MAX_NAME = 40


class Inventory:
    """Things by name."""

    def __init__(self):
        self.items = {}

    def add(self, name, count):
        """Puts things on the shelf."""
        self.items[name] = self.items.get(name, 0) + count

    def remove(self, name, count):
        """Takes things off the shelf."""
        self.items[name] -= count

    def total(self):
        """How many things there are."""
        return sum(self.items.values())


def load(path):
    with open(path) as file:
        return json.load(file)


def save(path, items):
    with open(path, "w") as file:
        json.dump(items, file)
`;

const rust = `use std::collections::VecDeque;

/// How urgent a job is.
#[derive(Debug, Clone, PartialEq)]
pub enum Priority {
    Low,
    High,
}

pub struct Job {
    pub name: String,
    pub priority: Priority,
}

#[derive(Default)]
pub struct Queue {
    jobs: VecDeque<Job>,
}

impl Queue {
    /// Adds a job at the end.
    pub fn push(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    /// Takes the first job.
    pub fn pop(&mut self) -> Option<Job> {
        self.jobs.pop_front()
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }
}

/// Reads a priority.
pub fn parse(text: &str) -> Option<Priority> {
    match text {
        "low" => Some(Priority::Low),
        "high" => Some(Priority::High),
        _ => None,
    }
}
`;

export const labelledFiles: readonly LabelledFile[] = [
  {
    path: "src/store.js",
    text: null,
    semantic: [["remove", "ids"]],
    tasks: [
      {
        id: "durable",
        title: "Make writes durable",
        description:
          "Let `save` in src/store.js flush the new file to the disk before it replaces the old one.",
        symbols: ["table.save"],
        patch: [
          [
            "    renameSync(`${path}.new`, path);",
            "    flush(`${path}.new`);\n    renameSync(`${path}.new`, path);",
          ],
        ],
      },
      {
        id: "remove",
        title: "Remove users from the store",
        description:
          "Add `remove(id)` to the users of createStore, and what tables need for it. Ids start at u1.",
        symbols: ["createStore.users.remove", "table.remove"],
        patch: [
          [
            "      add: ({ email }) => users.add({ id: newId(), email, created_at: now().toISOString() }),\n",
            "      add: ({ email }) => users.add({ id: newId(), email, created_at: now().toISOString() }),\n      remove: (id) => /^u\\d+$/.test(id) && users.remove((user) => user.id === id),\n",
          ],
          [
            "      return { ...row };\n    },\n  };\n}\n\nfunction counter",
            "      return { ...row };\n    },\n    remove: (fits) => {\n      const at = rows.findIndex(fits);\n      if (at >= 0) rows.splice(at, 1);\n      save();\n      return at >= 0;\n    },\n  };\n}\n\nfunction counter",
          ],
        ],
      },
      {
        id: "sorted",
        title: "List users by address",
        description: "`createStore.users.list` returns users in the order of their addresses.",
        symbols: ["createStore.users.list"],
        patch: [
          [
            "list: () => users.all(),",
            "list: () => users.all().sort((one, other) => (one.email < other.email ? -1 : 1)),",
          ],
        ],
      },
      {
        id: "ids",
        title: "Use random ids",
        description: "Users get a UUID: replace what `counter` returns. Old rows keep theirs.",
        symbols: ["counter"],
        patch: [["  return () => `u${++last}`;", "  return () => crypto.randomUUID();"]],
      },
      {
        id: "by-email",
        title: "Find users by their address",
        description: "Add `byEmail(email)` to the users of `createStore`, next to get and add.",
        symbols: ["createStore.users.byEmail"],
        patch: [
          [
            "created_at: now().toISOString() }),\n",
            "created_at: now().toISOString() }),\n      byEmail: (email) => users.find((user) => user.email === email),\n",
          ],
        ],
      },
      {
        id: "broken-file",
        title: "Report a broken file",
        description:
          "When a table's file is no JSON, throw an error that names the file instead of a SyntaxError.",
        symbols: ["table"],
        patch: [
          [
            'existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];',
            "existsSync(path) ? parsed(path) : [];",
          ],
          [
            "function counter() {",
            "function parsed(path) {\n  try {\n    return JSON.parse(readFileSync(path));\n  } catch (cause) {\n    throw new Error(`${path} is broken.`, { cause });\n  }\n}\n\nfunction counter() {",
          ],
        ],
      },
    ],
  },
  {
    path: "src/http.js",
    text: null,
    semantic: [
      ["headers", "redirect"],
      ["hint", "redirect"],
      ["slash", "wildcard"],
    ],
    tasks: [
      {
        id: "headers",
        title: "Answers have headers",
        description: "`answer` takes headers between status and body: answer(status, headers, body).",
        symbols: ["answer"],
        patch: [
          [
            "answer = (status, body) => ({ status, body });",
            "answer = (status, headers, body) => ({ status, headers, body });",
          ],
        ],
      },
      {
        id: "slash",
        title: "Ignore a slash at the end of paths",
        description: "`matchPath` treats /users/ as /users.",
        symbols: ["matchPath"],
        patch: [['  const given = path.split("/");', '  const given = path.replace(/\\/$/, "").split("/");']],
      },
      {
        id: "wildcard",
        title: "Match the rest of a path",
        description: "In `matchPath` a last part * of the pattern takes the rest of the path.",
        symbols: ["matchPath"],
        patch: [
          [
            "  return params;\n}",
            '  if (wanted.at(-1) === "*") params.rest = given.slice(wanted.length - 1).join("/");\n  return params;\n}',
          ],
        ],
      },
      {
        id: "hint",
        title: "Problems say what to do",
        description: "`problem` gets a hint before its message: problem(status, code, hint, message).",
        symbols: ["problem"],
        patch: [
          [
            "problem = (status, code, message) => ({ status, body: { error: { code, message } } });",
            "problem = (status, code, hint, message) => ({ status, body: { error: { code, hint, message } } });",
          ],
        ],
      },
      {
        id: "redirect",
        title: "Add redirects",
        description:
          "Add `redirect(path)` to src/http.js: an answer with status 302, or a problem for a path of another host.",
        symbols: ["redirect"],
        patch: [
          [
            "  return params;\n}\n",
            '  return params;\n}\n\n/** Sends to another path. */\nexport const redirect = (path) =>\n  path.startsWith("/") ? answer(302, { path }) : problem(400, "bad-path", "Stay here.");\n',
          ],
        ],
      },
      {
        id: "no-content",
        title: "Add empty answers",
        description: "Add `noContent()` to src/http.js for a 204, at the end of the file.",
        symbols: ["noContent"],
        patch: [
          [
            "  return params;\n}\n",
            "  return params;\n}\n\n/** Done, with nothing to say. */\nexport const noContent = () => ({ status: 204, body: null });\n",
          ],
        ],
      },
    ],
  },
  {
    path: "src/client.js",
    text: null,
    semantic: [
      ["signal", "remove-user"],
      ["signal", "rename-user"],
      ["error-hint", "retry"],
    ],
    tasks: [
      {
        id: "retry",
        title: "Retry failed requests",
        description: "In createClient, `call` tries a request again twice when it fails with 503.",
        symbols: ["createClient.call"],
        patch: [
          [
            "    if (status >= 400) throw new HarbourError(status, content.error);",
            "    if (status === 503 && tries > 0) return call(method, path, body, tries - 1);\n    if (status >= 400) throw new HarbourError(status, content.error);",
          ],
          [
            "const call = async (method, path, body) => {",
            "const call = async (method, path, body, tries = 2) => {",
          ],
        ],
      },
      {
        id: "remove-user",
        title: "The client removes users",
        description: "Add `removeUser(id)` to what `createClient` returns.",
        symbols: ["createClient.removeUser"],
        patch: [
          [
            '    addUser: (email) => call("POST", "/users", { email }),\n',
            '    addUser: (email) => call("POST", "/users", { email }),\n    removeUser: (id) => call("DELETE", `/users/${id}`),\n',
          ],
        ],
      },
      {
        id: "rename-user",
        title: "The client changes addresses",
        description: "Add `changeEmail(id, email)` to what createClient returns, after `user`.",
        symbols: ["createClient.changeEmail"],
        patch: [
          [
            '    user: (id) => call("GET", `/users/${encodeURIComponent(id)}`),\n',
            '    user: (id) => call("GET", `/users/${encodeURIComponent(id)}`),\n    changeEmail: (id, email) => call("PATCH", `/users/${id}`, { email }),\n',
          ],
        ],
      },
      {
        id: "timeout",
        title: "Requests time out",
        description: "`overHttp` gives up after ten seconds. Do not touch `createClient`.",
        symbols: ["overHttp"],
        patch: [
          [
            '    headers: { "content-type": "application/json" },',
            '    headers: { "content-type": "application/json" },\n    signal: AbortSignal.timeout(10_000),',
          ],
        ],
      },
      {
        id: "error-hint",
        title: "Errors carry a hint",
        description:
          "`HarbourError` is made from the error alone, whose status it has: new HarbourError(error).",
        symbols: ["HarbourError.constructor", "createClient.call"],
        patch: [
          ["  constructor(status, { code, message }) {", "  constructor({ status, code, message, hint }) {"],
          ["    this.code = code;\n", "    this.code = code;\n    this.hint = hint;\n"],
          [
            "throw new HarbourError(status, content.error);",
            "throw new HarbourError({ status, ...content.error });",
          ],
        ],
      },
      {
        id: "signal",
        title: "Requests can be cancelled",
        description: "In `createClient`, `call` takes an AbortSignal first, and every method passes one on.",
        symbols: ["createClient.call", "createClient.users"],
        patch: [
          [
            "const call = async (method, path, body) => {",
            "const call = async (signal, method, path, body) => {",
          ],
          ["await send({ method, path, body });", "await send({ signal, method, path, body });"],
          [
            '    users: () => call("GET", "/users"),',
            '    users: (signal) => call(signal, "GET", "/users"),',
          ],
        ],
      },
    ],
  },
  {
    path: "src/inventory.py",
    text: python,
    semantic: [
      ["currency", "report"],
      ["atomic", "backup"],
    ],
    tasks: [
      {
        id: "validate",
        title: "Reject negative counts",
        description: "`Inventory.add` raises ValueError for a count below one.",
        symbols: ["Inventory.add"],
        patch: [
          [
            "        self.items[name] = self.items.get(name, 0) + count",
            '        if count < 1:\n            raise ValueError("count")\n        self.items[name] = self.items.get(name, 0) + count',
          ],
        ],
      },
      {
        id: "empty",
        title: "Drop things that are gone",
        description: "`Inventory.remove` deletes a name whose count reaches zero.",
        symbols: ["Inventory.remove"],
        patch: [
          [
            "        self.items[name] -= count",
            "        self.items[name] -= count\n        if self.items[name] <= 0:\n            del self.items[name]",
          ],
        ],
      },
      {
        id: "currency",
        title: "Totals by kind",
        description: "`Inventory.total` takes the kind of things to count: total(kind).",
        symbols: ["Inventory.total"],
        patch: [
          ["    def total(self):", "    def total(self, kind):"],
          [
            "        return sum(self.items.values())",
            "        return sum(count for name, count in self.items.items() if name.startswith(kind))",
          ],
        ],
      },
      {
        id: "find",
        title: "Find things by a part of their name",
        description: "Add `Inventory.find(part)` to src/inventory.py, at the end of the class.",
        symbols: ["Inventory.find"],
        patch: [
          [
            "        return sum(self.items.values())\n",
            "        return sum(self.items.values())\n\n    def find(self, part):\n        return [name for name in self.items if part in name]\n",
          ],
        ],
      },
      {
        id: "more-items",
        title: "Allow more things",
        description: "Raise `MAX_ITEMS` to 500.",
        symbols: ["MAX_ITEMS"],
        patch: [["MAX_ITEMS = 100", "MAX_ITEMS = 500"]],
      },
      {
        id: "longer-names",
        title: "Allow longer names",
        description: "Raise `MAX_NAME` to 80.",
        symbols: ["MAX_NAME"],
        patch: [["MAX_NAME = 40", "MAX_NAME = 80"]],
      },
      {
        id: "report",
        title: "Print a report",
        description:
          "Add a function `report(inventory)` to src/inventory.py that prints each thing and the total.",
        symbols: ["report"],
        patch: [
          [
            "        json.dump(items, file)\n",
            "        json.dump(items, file)\n\n\ndef report(inventory):\n    for name, count in inventory.items.items():\n        print(name, count)\n    print(inventory.total())\n",
          ],
        ],
      },
      {
        id: "atomic",
        title: "Write files atomically",
        description: "`save` takes the items first, save(items, path), and replaces the file in one step.",
        symbols: ["save"],
        patch: [
          [
            'def save(path, items):\n    with open(path, "w") as file:',
            "def save(items, path):\n    with replaced(path) as file:",
          ],
        ],
      },
      {
        id: "backup",
        title: "Back up before loading",
        description: "`load` writes a copy of what it has read with save.",
        symbols: ["load"],
        patch: [
          [
            "        return json.load(file)",
            '        items = json.load(file)\n    save(path + ".bak", items)\n    return items',
          ],
        ],
      },
    ],
  },
  {
    path: "src/queue.rs",
    text: rust,
    semantic: [["capped", "drain"]],
    tasks: [
      {
        id: "urgent",
        title: "Add urgent jobs",
        description: "Add a variant Urgent to `Priority`, and let `parse` read it.",
        symbols: ["Priority.Urgent", "parse"],
        patch: [
          ["    High,\n}", "    High,\n    Urgent,\n}"],
          [
            '        "high" => Some(Priority::High),',
            '        "high" => Some(Priority::High),\n        "urgent" => Some(Priority::Urgent),',
          ],
        ],
      },
      {
        id: "idle",
        title: "Add idle jobs",
        description: "Add a variant Idle to Priority.",
        symbols: ["Priority.Idle"],
        patch: [["    High,\n}", "    High,\n    Idle,\n}"]],
      },
      {
        id: "ordered",
        title: "Take urgent jobs first",
        description: "`Queue::pop` takes the first job of the highest priority.",
        symbols: ["Queue::pop"],
        patch: [
          [
            "        self.jobs.pop_front()",
            "        let at = self.jobs.iter().position(|job| job.priority == Priority::High);\n        self.jobs.remove(at.unwrap_or(0))",
          ],
        ],
      },
      {
        id: "capped",
        title: "Limit the queue",
        description: "`Queue::push` refuses a job beyond 100: it returns Result<(), Job>.",
        symbols: ["Queue::push"],
        patch: [
          [
            "    pub fn push(&mut self, job: Job) {",
            "    pub fn push(&mut self, job: Job) -> Result<(), Job> {",
          ],
          [
            "        self.jobs.push_back(job);",
            "        if self.jobs.len() == 100 {\n            return Err(job);\n        }\n        self.jobs.push_back(job);\n        Ok(())",
          ],
        ],
      },
      {
        id: "peek",
        title: "Look at the next job",
        description: "Add `Queue::peek` to src/queue.rs.",
        symbols: ["Queue::peek"],
        patch: [
          [
            "    pub fn len(&self)",
            "    pub fn peek(&self) -> Option<&Job> {\n        self.jobs.front()\n    }\n\n    pub fn len(&self)",
          ],
        ],
      },
      {
        id: "drain",
        title: "Move jobs between queues",
        description:
          "Add `move_all(from, to)` to src/queue.rs, a function that pushes all jobs of one queue to another.",
        symbols: ["move_all"],
        patch: [
          [
            "        _ => None,\n    }\n}\n",
            "        _ => None,\n    }\n}\n\npub fn move_all(from: &mut Queue, to: &mut Queue) {\n    while let Some(job) = from.pop() {\n        to.push(job);\n    }\n}\n",
          ],
        ],
      },
      {
        id: "lower",
        title: "Read priorities in any case",
        description: "`parse` ignores upper and lower case.",
        symbols: ["parse"],
        patch: [["    match text {", "    match text.to_lowercase().as_str() {"]],
      },
    ],
  },
];
