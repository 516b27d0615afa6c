import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandsFor, quoted } from "./feature.tsx";

const place = {
  path: "/srv/a b/it's.ts",
  folder: "/srv/a b",
  line: 7,
  machine: "host",
  user: "ada",
} as const;

test("whatever a path holds is one word of a shell", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }).filter((text) => !text.includes("\0")),
      (text) => {
        const output = execFileSync("sh", ["-c", `printf %s ${quoted(text) || "''"}`]);
        expect(output.equals(Buffer.from(text))).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});

test("an editor is told the line, a terminal the folder", () => {
  const [code, editor] = commandsFor({ ...place, for: "editor" });
  expect(code?.command).toBe(`code --remote ssh-remote+ada@host --goto '/srv/a b/it'\\''s.ts:7'`);
  expect(editor?.command).toContain("+7");
  expect(commandsFor({ ...place, for: "terminal" }).map(({ command }) => command)).toEqual([
    `ssh -t ada@host 'cd '\\''/srv/a b'\\'' && exec $SHELL -l'`,
  ]);
  expect(commandsFor({ ...place, for: "files" })[0]?.command).toBe("scp -r 'ada@host:/srv/a b' .");
});
