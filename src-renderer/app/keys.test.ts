import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decisionKeys, keysOfCards } from "#shared/contract/cards/card.ts";
import { features } from "./features.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("**/*.{ts,tsx}", { cwd: root })
  .filter((path) => !path.includes(".test."))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, "utf8") }));
const tables = features.flatMap((feature) => feature.keys ?? []);

/**
 * Keys of fields, menus and tabs, which do there what they do everywhere: Enter sends, Escape leaves, arrows choose. Whoever
 * adds a line here has looked that its keys are none that a user must be told.
 */
const asEverywhere: readonly string[] = [
  "app/shell.tsx",
  "app/keyboard-help.tsx",
  "app/page-panel.tsx",
  "features/diff/use-line-notes.tsx",
  "features/inspector/composer.tsx",
  "features/inspector/index.tsx",
  "features/patterns/pattern-detail.tsx",
  "features/patterns/feature.tsx",
  "features/run/start-run-dialog.tsx",
  "features/run/start/goal-field.tsx",
  "features/run/start/issue-field.tsx",
  "features/settings/open-in-settings.tsx",
  "features/settings/index.tsx",
  "features/welcome/feature.tsx",
  "graph/filter/filter-box.tsx",
  "graph/log/plan-ghosts.tsx",
  "graph/plan-canvas/plan-canvas-view.tsx",
  "kit/field.tsx",
  "kit/find/find-bar.tsx",
  "kit/submit-form.tsx",
  "kit/use-pointer-drag.ts",
];

describe("the help of the keyboard", () => {
  it("lists every table by which keys are taken", () => {
    const written = sources.flatMap(({ text }) => [
      ...text.matchAll(/^(?:export )?const (\w+): KeyTable</gmu),
    ]);
    expect(written.length).toBeGreaterThan(10);
    const places = sources.flatMap(({ text }) =>
      [...text.matchAll(/: KeyTable<.*> = \{\n\s*place: "([^"]+)"/gu)].map(([, place]) => place),
    );
    expect(tables.map(({ place }) => place).sort()).toEqual(places.sort());
    expect(places).toHaveLength(written.length);
  });

  it("leaves keys to dialogs, menus and fields", () => {
    const deciding = sources
      .filter(({ text }) => /event\.key\b|\bmatches\(event/u.test(text))
      .map(({ path }) => path)
      .filter((path) => !["app/app.tsx", "kit/key-table.ts", "kit/key-table.ts"].includes(path));
    // The first letters of a name are no keys.
    expect(deciding.filter((path) => path !== "graph/change/graph-keys.ts").sort()).toEqual(
      [...asEverywhere].sort(),
    );
  });

  it("says in each place once what a key does, and in words", () => {
    for (const { place, rows } of tables) {
      const lines = rows.map(({ keys, what }) => `${keys}: ${what}`);
      expect([...new Set(lines)], place).toEqual(lines);
      for (const { what } of rows) expect(what, place).toMatch(/^\p{Ll}.*[^.]$/u);
    }
  });

  it("has every key that a card shows on a button", () => {
    const known = new Set<string>(keysOfCards().map(([key]) => key));
    for (const key of Object.values(decisionKeys)) expect(known).toContain(key);
    const shown = sources
      .filter(({ path }) => path.startsWith("features/inbox/"))
      .flatMap(({ text }) =>
        [...text.matchAll(/<DecisionButton[^>]*?keys="(\w)"/gu)].map(([, key]) => key ?? ""),
      );
    for (const key of shown) expect(known).toContain(key);
  });
});
