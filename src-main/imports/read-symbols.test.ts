import { expect, it, test } from "vitest";
import { readOutlines } from "./read-symbols.ts";

const outlineOf = async (path: string, text: string) =>
  (await readOutlines(new Map([[path, text]]), async () => {})).get(path) ?? null;
const lines = async (path: string, text: string) =>
  (await outlineOf(path, text))?.symbols.map(({ name, from, to }) => `${name} ${from}-${to}`);

test("JavaScript and TypeScript: declarations, members, what factories return, tests and routes", async () => {
  const text = `import { a } from "./a.ts";

/** Keeps users. */
@kept
export abstract class UserStore<T> extends Store {
  limit = 1;

  // Writes.
  save(user: T): void {
    const inner = 1;
  }
}
export interface User { id: string }
export interface Name {
  first: string;
  last: string;
}
export const createClient = (send) => {
  const call = async () => {
    await send();
  };
  return {
    users: () => call(),
    user(id) {
      return call(id);
    },
  };
};
const one = 1,
  two = 2;
export default function () {}
module.exports.old = function () {};
namespace Deep {
  export function inside() {}
}
describe("the store", () => {
  test("saves. Twice", () => {
    const store = 1;
    check(store);
  });
});
app.get("/users", (request) => {});
enum Level {
  Low,
  High = 2,
}
`;
  expect(await lines("src/a.ts", text)).toEqual([
    ...["UserStore 3-12", "UserStore.limit 6-6", "UserStore.save 8-11", "User 13-13"],
    ...["Name 14-17", "Name.first 15-15", "Name.last 16-16"],
    ...[
      "createClient 18-28",
      "createClient.call 19-21",
      "createClient.users 23-23",
      "createClient.user 24-26",
    ],
    ...["one 29-29", "two 30-30", "default 31-31", "old 32-32", "Deep 33-35", "Deep.inside 34-34"],
    ...["describe the store 36-41", "describe the store.test saves  Twice 37-40", "app get /users 42-42"],
    ...["Level 43-46", "Level.Low 44-44", "Level.High 45-45"],
  ]);
  const outline = await outlineOf("src/a.ts", text);
  expect(outline?.imports).toEqual([{ from: 1, to: 1 }]);
  expect(outline?.symbols.find(({ name }) => name === "UserStore.save")?.signature).toBe(
    "save(user: T): void",
  );
  expect(outline?.symbols.find(({ name }) => name === "Name")?.signature).toContain("first: string;");
});

test("Python: decorated definitions, class members, conditions", async () => {
  const text = `import os

LIMIT = 1

@kept
class UserStore(Store):
    name: str = "x"

    # Writes.
    def save(self, user):
        local = 1
        return user


if os.name == "nt":
    def quit() -> None:
        pass
`;
  expect(await lines("store.py", text)).toEqual([
    ...["LIMIT 3-3", "UserStore 5-12", "UserStore.name 7-7", "UserStore.save 9-12", "quit 16-17"],
  ]);
});

test("Rust: items with documentation and attributes, members of impl blocks, fields and variants", async () => {
  const text = `use a::b;

/// A store.
#[derive(Debug)]
pub struct UserStore<T> {
    pub name: String,
    limit: u8,
}

impl<T> Saves for UserStore<T> {
    /// Writes.
    fn save(&self) -> u8 {
        1
    }
}
enum Level {
    Low,
    High(u8),
}
mod inner {
    fn deep() {}
}
`;
  expect(await lines("src/store.rs", text)).toEqual([
    ...[
      "UserStore 3-8",
      "UserStore.name 6-6",
      "UserStore.limit 7-7",
      "UserStore 10-15",
      "UserStore.save 11-14",
    ],
    ...["Level 16-19", "Level.Low 17-17", "Level.High 18-18", "inner 20-22", "inner.deep 21-21"],
  ]);
});

it("knows nothing of files with broken syntax and of other languages", async () => {
  expect(await outlineOf("a.ts", "<<<<<<< one\nfunction f( {\n=======\n")).toBeNull();
  expect(await outlineOf("a.go", "func f() {}")).toBeNull();
});
