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

/** Tasks on files of the example that the rehearsal of profiles begins with. */
export const exampleTasks: readonly LabelledFile[] = [
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
        patch: [["    renameSync(", "    flush(path);\n    renameSync("]],
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
        patch: [["  return () => ", "  return () => crypto.randomUUID() ?? "]],
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
            "function parsed(path) {\n  try {\n    return JSON.parse(readFileSync(path));\n  } catch (cause) {\n    throw new Error(path, { cause });\n  }\n}\n\nfunction counter() {",
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
            '    addUser: (email) => call("POST", "/users", { email }),\n    removeUser: (id) => call("DELETE", "/users/".concat(id)),\n',
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
            "    addUser: (email)",
            '    changeEmail: (id, email) => call("PATCH", "/users/".concat(id), { email }),\n    addUser: (email)',
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
];
