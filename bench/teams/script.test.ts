import { expect, test } from "vitest";
import type { Seen, SeenResult, Step } from "../../src-main/model/stand-in/script.ts";
import { type Feature, insertBefore, type TeamProject } from "./feature.ts";
import { type Resolution, teamScript } from "./script.ts";

const base = { "a.txt": "top\nplace\n" };
const feature = (id: string): Feature => ({
  id,
  title: `Add ${id}`,
  asks: id,
  edits: [insertBefore("a.txt", "place\n", `line of ${id}\n`)],
  test: { path: `${id}.test`, content: id },
});
const features = [feature("one"), feature("two")];
const set = { name: "lines", meets: "", features };
const project = {
  name: "example",
  sets: [set],
  testOne: (path: string) => `try ${path}`,
  testAll: "try all",
} as unknown as TeamProject;

const resolutions: Resolution[] = [];
const script = teamScript({ project, set, base, onResolution: (one) => void resolutions.push(one) }, false);

const result = (tool: string, input: Readonly<Record<string, unknown>>, output = ""): SeenResult => ({
  ...{ tool, input, output, isError: false },
});
const looked = [
  result("read_file", { path: "a.txt" }, `a.txt: 2 lines\n${base["a.txt"]}`),
  result("list_files", { path: "." }),
  result("glob", { pattern: "*.test" }),
  result("run_command", { command: "try all" }),
  result("search", { pattern: "one", files: "*.{md,rst,txt}", ignore_case: true }),
  result("search", { pattern: "place", context: 10 }),
];
const wrote = [
  result("edit_file", { path: "a.txt", old_text: "place\n", new_text: "line of one\nplace\n" }),
  result("write_file", { path: "one.test", content: "one" }),
  result("run_command", { command: "try one.test" }),
  result("search", { pattern: "line of one", context: 8 }),
];
const opening = "[TASK] Add one\nIteration 1.";

/** What the agent of the first feature answers next. */
function stepAfter(history: readonly SeenResult[], more: Partial<Seen> = {}, of = script): Step {
  const seen = {
    role: "agent-1",
    opening,
    prompt: opening,
    turn: history.length,
    turns: history.length,
    history,
  };
  const step = of.routes["agent-*"]?.[0]?.steps[0];
  return (typeof step === "function" ? step({ ...seen, ...more } as Seen) : step) as Step;
}

/** Its calls, as `tool input…`. */
const next = (history: readonly SeenResult[], more: Partial<Seen> = {}): readonly string[] =>
  (stepAfter(history, more).calls ?? []).map(({ tool, input }) => [tool, ...Object.values(input)].join(" "));

test("an agent looks around, edits, writes its test, tries it alone and with all, and reports", () => {
  const all = [...looked, ...wrote];
  expect(all.map((_, done) => next(all.slice(0, done)))).toEqual([
    ["read_file a.txt"],
    ["list_files ."],
    ["glob *.test"],
    ["run_command try all"],
    ["search one *.{md,rst,txt} true"],
    ["search place 10"],
    ["edit_file a.txt place\n line of one\nplace\n"],
    ["write_file one.test one"],
    ["run_command try one.test"],
    ["search line of one 8"],
  ]);
  expect(next(all)).toEqual(["run_command try all"]);
  expect(next([...all, result("run_command", { command: "try all" })])).toEqual(["report_done Add one"]);
});

test("an agent that is asked in the same conversation reads what is in conflict, keeps both and tries again", () => {
  const prompt =
    "## Conflicts\nThese files hold jj's conflict markers. Bring both sides together:\n- a.txt\n";
  const finished = [
    ...looked,
    ...wrote,
    result("run_command", { command: "try all" }),
    result("report_done", {}),
  ];
  const conflict =
    "top\n<<<<<<< conflict 1 of 1\n%%%%%%% diff\n+line of two\n+++++++ side\nline of one\n>>>>>>> end\nplace\n";
  const read = result("read_file", { path: "a.txt" }, `a.txt: 9 lines\n${conflict}`);
  const [place = ""] = /<{7}(?:.*\n)*?>.*end\n/u.exec(conflict) ?? [];
  const both = "line of one\nline of two\n";
  const written = result("edit_file", { path: "a.txt", old_text: place, new_text: both });

  expect(next(finished, { prompt, turn: 0 })).toEqual(["read_file a.txt"]);
  expect(next([...finished, read], { prompt, turn: 1 })).toEqual([`edit_file a.txt ${place} ${both}`]);
  expect(resolutions).toEqual([{ role: "agent-1", files: ["a.txt"] }]);
  expect(next([...finished, read, written], { prompt, turn: 2 })).toEqual(["run_command try all"]);
});

test("an agent edits the places in conflict that its prompt shows, and reads the file where they do not tell enough", () => {
  const finished = [
    ...looked,
    ...wrote,
    result("run_command", { command: "try all" }),
    result("report_done", {}),
  ];
  const place =
    "<<<<<<< conflict 1 of 1\n%%%%%%% diff\n+line of two\n+++++++ side\nline of one\n>>>>>>> conflict 1 of 1 ends\n";
  const promptWith = (shown: string): string =>
    `## Conflicts\n\nThese files hold jj's conflict markers. Bring both sides together:\n- a.txt\n\nThe places:\n- a.txt, lines 1 to 8:\n${shown
      .trimEnd()
      .split("\n")
      .map((line) => `> ${line}\n`)
      .join("")}`;
  const prompt = promptWith(`top\n${place}place\n`);
  const first = "<<<<<<< conflict 1 of 1";
  const edit = `edit_file a.txt ${first} line of one\nline of two\n`;
  const edited = result("edit_file", {
    ...{ path: "a.txt", old_text: first, new_text: "line of one\nline of two\n" },
  });

  resolutions.length = 0;
  expect(next(finished, { prompt, turn: 0 })).toEqual([edit]);
  expect(resolutions).toEqual([{ role: "agent-1", files: ["a.txt"] }]);
  expect(next([...finished, edited], { prompt, turn: 1 })).toEqual(["report_done Add one"]);
  expect(next(finished, { prompt: promptWith(place), turn: 0 })).toEqual(["read_file a.txt"]);
});

test("an agent that answers late makes its usual next call, after 20 seconds and only once", () => {
  const faults = { one: "answers-late" } as const;
  const late = teamScript({ project, set, base, faults, onResolution: () => {} }, false);
  const before = [...looked, ...wrote.slice(0, 1)];
  expect(stepAfter(before, {}, late)).toEqual({ ...stepAfter(before), waitMs: 20_000 });
  const after = [...looked, ...wrote.slice(0, 2)];
  expect(stepAfter(after, {}, late)).toEqual(stepAfter(after));
});
