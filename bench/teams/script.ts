/** What the models say while a team, or one agent alone, writes features: agents work from what they read, in several turns. */

import type { Edit } from "../../e2e/real/project.ts";
import {
  defineScript,
  type Scene,
  type Script,
  type ScriptedStep,
  type Seen,
  type SeenResult,
  type Step,
} from "../../src-main/model/stand-in/script.ts";
import type { Plan } from "../../src-shared/domain/plan/plan.ts";
import { chance, seedOf } from "../soak/random.ts";
import {
  type Feature,
  type FeatureSet,
  type Files,
  featuresIn,
  hasMarkers,
  isReplacement,
  markOf,
  pathsOf,
  resolved,
  sourcesOf,
  type TeamProject,
  withFeatures,
} from "./feature.ts";

/** How an agent of a team misbehaves: it also begins another task's test, ends a turn without a report, or answers late. */
export type Fault = "edits-beyond" | "stops-half-way" | "answers-late";

export interface Scripted {
  readonly project: TeamProject;
  readonly set: FeatureSet;
  readonly base: Files;
  /** Feature's id → what its agent does wrong. */
  readonly faults?: Readonly<Record<string, Fault>>;
  readonly onResolution: (resolution: Resolution) => void;
}

/** A conflict that somebody was asked to resolve. */
export interface Resolution {
  readonly role: string;
  readonly files: readonly string[];
}

type ScriptedCall = NonNullable<Step["calls"]>[number];
const call = (tool: string, input: Record<string, unknown>): ScriptedCall => ({ tool, input });
const read = (path: string) => call("read_file", { path });
const done = (summary: string): Step => ({ calls: [call("report_done", { summary })] });

/** What a model thinks between two calls, as long as models do, about the task in hand. */
const thoughts: readonly string[] = [
  "The task is small, but it touches code that others call, so I look at every caller before I decide.",
  "What is there follows one manner: short functions, plain names, errors that say what was expected. I keep to that.",
  "There are two ways to do it. One adds a branch where the value is made; the other wraps the whole. The branch is smaller, leaves what exists as it is, and is easier to test.",
  "Without the option nothing may change, so the default has to be the behaviour of today, and a test has to say so.",
  "The edge is the empty value: it must neither fail nor be taken for one that was not given.",
  "The place for the edit is right before the value is used, because everything above only prepares it.",
  "I will run the new test alone first, which is quick, and all of them afterwards.",
];

/** A model that answers after 2 to 4 seconds, the same for the same turn of the same agent. */
function paced(step: Step, ...turn: readonly (string | number)[]): Step {
  const luck = chance(seedOf(...turn));
  const waitMs = 2_000 + luck.below(2_000);
  const thinking = Array.from({ length: 4 + luck.below(4) }, () => luck.pick(thoughts)).join(" ");
  return { waitMs, thinking, ...step };
}
const lateMs = 20_000;

const isWrite = ({ tool }: SeenResult): boolean => /^(?:write|edit)_file$/u.test(tool);

/** How often a conversation has written so far. */
export const writesIn = ({ history }: Pick<Seen, "history">): number => history.filter(isWrite).length;

export const goalOf = (set: FeatureSet): string =>
  [
    "Add these features, each with a test:",
    ...set.features.map((one) => `- ${one.title}: ${one.asks}.`),
  ].join("\n");

const planOf = (set: FeatureSet): Plan => ({
  goal: "Add features, each with a test.",
  summary: set.features.map(({ title }) => title).join("; "),
  orchestrators: { count: 1, reason: "Each feature is one task." },
  contracts: { title: "Nothing is shared", description: "", files: [] },
  phases: [{ number: 1, title: "Features" }],
  tasks: set.features.map((feature) => ({
    id: feature.id,
    title: feature.title,
    description: `${feature.asks}. With a test in ${feature.test.path}.`,
    phase: 1,
    priority: "medium" as const,
    files: [...pathsOf(feature)],
    after: [],
  })),
  integration: { title: "All features together", description: "Every feature works, and all tests pass." },
  budget: { tokens: null, microDollars: null },
});

/** The texts of files as the conversation last read or wrote them. */
function textsIn({ history }: Pick<Seen, "history">): Files {
  const texts: Record<string, string> = {};
  for (const { tool, input, output, isError } of history) {
    const { path = "", content, old_text, new_text } = input as Record<string, string | undefined>;
    if (isError) continue;
    if (tool === "read_file") texts[path] = output.slice(output.indexOf("\n") + 1);
    else if (tool === "write_file" && content !== undefined) texts[path] = content;
    else if (tool === "edit_file" && old_text !== undefined && new_text !== undefined)
      texts[path] = (texts[path] ?? "").replace(old_text, () => new_text);
  }
  return texts;
}

/** The next turn that writes something of a feature; null where all of it is in the files. */
function nextEdit({ set, base }: Scripted, feature: Feature, texts: Files): Step | null {
  const { edits, move, test } = feature;
  const all = Object.values(texts).join("\n");
  const edit = edits.find((one) => !all.includes(markOf(one)));
  const there = featuresIn(all, set.features);
  const whole = () =>
    withFeatures(
      base,
      set.features.filter((one) => one === feature || there.includes(one)),
    );
  if (edit) return { say: `Now ${edit.path}.`, calls: [callFor(edit, texts, whole)] };
  if (move && texts[move.into] === undefined) {
    // What others wrote in the block goes with it.
    const moved = withFeatures(texts, [{ ...feature, edits: [] }]);
    return {
      say: `I move the block to ${move.into}.`,
      calls: [move.into, move.path].map((path) => call("write_file", { path, content: moved[path] })),
    };
  }
  return texts[test.path] === test.content
    ? null
    : { say: "Its test.", calls: [call("write_file", { path: test.path, content: test.content })] };
}

/** An edit where its place is, also where that was moved to another file; else the whole file with all that is in it. */
function callFor(edit: Edit, texts: Files, whole: () => Files) {
  if (!isReplacement(edit)) return call("write_file", { path: edit.path, content: edit.content });
  const { path, from, to } = edit;
  const at = [path, ...Object.keys(texts)].find((one) => (texts[one] ?? "").split(from).length === 2);
  return at === undefined
    ? call("write_file", { path, content: whole()[path] })
    : call("edit_file", { path: at, old_text: from, new_text: to });
}

/** What an agent looks at before it writes a feature: what there is, what its title names, and where its edits go. */
const looksBefore = ({ project }: Scripted, { id, title, edits, test }: Feature) => [
  call("list_files", { path: "." }),
  call("glob", { pattern: `*.${test.path.split(".").at(-1)}` }),
  call("run_command", { command: project.testAll }),
  ...title
    .split(" ")
    .filter((word) => word.length > 3)
    .map((pattern) => call("search", { pattern, ignore_case: true })),
  call("search", { pattern: id, files: "*.{md,rst,txt}", ignore_case: true }),
  ...edits
    .filter(isReplacement)
    .map(({ from }) => call("search", { pattern: from.trim().split("\n")[0], context: 10 })),
];

/** What it looks at once the feature's own test passes. */
const looksAfter = ({ edits }: Feature) =>
  edits.map((edit) => call("search", { pattern: markOf(edit), context: 8 }));

/** The next of these calls that the conversation has not made, as a turn; null where it has made all. */
function notYet(calls: readonly ScriptedCall[], { history }: Seen): Step | null {
  const made = new Set(history.map(({ tool, input }) => JSON.stringify([tool, input])));
  const next = calls.find(({ tool, input }) => !made.has(JSON.stringify([tool, input])));
  return next ? { say: "I look before I go on.", calls: [next] } : null;
}

/** Files that the prompt says are in conflict. */
const conflictsIn = (prompt: string): readonly string[] =>
  [...prompt.matchAll(/hold jj's conflict markers[^\n]*\n((?:- [^\n]+(?:\n|$))+)/gu)].flatMap(
    ([, lines = ""]) =>
      lines
        .trim()
        .split("\n")
        .map((line) => line.slice(2)),
  );

const inputsOf = (history: Seen["history"], tool: string, field: string): readonly unknown[] =>
  history
    .filter((one) => one.tool === tool)
    .map(({ input }) => (input as Readonly<Record<string, unknown>>)[field]);

/** A place in conflict, from its first marker to its last. */
const conflict = /^<{7,} .*\n(?:.*\n)*?>{7,} .*(?:\n|$)/gmu;

/** One edit for each place in conflict, as a model makes them; the whole file where more than these places changes. */
function callsFor(path: string, before: string, after: string) {
  const between = before.split(conflict);
  const whole = [call("write_file", { path, content: after })];
  let at = between[0]?.length ?? 0;
  if (between.length < 2 || !after.startsWith(between[0] ?? "")) return whole;
  const calls = [];
  for (const [nth, [old_text]] of [...before.matchAll(conflict)].entries()) {
    const next = between[nth + 1] ?? "";
    const end = nth === between.length - 2 ? after.length - next.length : after.indexOf(next, at);
    if (end < at || !after.startsWith(next, end)) return whole;
    calls.push(call("edit_file", { path, old_text, new_text: after.slice(at, end) }));
    at = end + next.length;
  }
  return calls;
}

const writes = (texts: Files, these: Files): Step | null => {
  const calls = Object.entries(these).flatMap(([path, text]) =>
    texts[path] === text ? [] : callsFor(path, texts[path] ?? "", text),
  );
  return calls.length === 0 ? null : { say: "Both are needed.", calls };
};

interface Job {
  /** What it has to add; empty for one who only brings together. */
  readonly own: readonly Feature[];
  /** Files to look at before anything else. */
  readonly looksAt: readonly string[];
}

/** A place in conflict that the prompt shows, with lines around it. */
const shownPlace = /^- (.+), lines \d+ to \d+:\n((?:>.*(?:\n|$))+)/gmu;

/**
 * The edits that resolve what the prompt shows of conflicts; null where that is not all, or where these lines alone do not
 * tell what to write: then the files have to be read.
 */
function editsOfShown(
  { set, base }: Scripted,
  { own }: Job,
  { prompt }: Seen,
): readonly ScriptedCall[] | null {
  const shown = [...prompt.matchAll(shownPlace)].map(([, path = "", quoted = ""]) => ({
    path,
    text: quoted.replaceAll(/^>(?: |$)/gmu, ""),
  }));
  if (conflictsIn(prompt).some((path) => !shown.some((one) => one.path === path))) return null;
  const there = featuresIn(shown.map(({ text }) => text).join("\n"), set.features);
  const involved = set.features.filter((one) => own.includes(one) || there.includes(one));
  // What others wrote in a block that was moved has to go to its new file.
  if (involved.some(({ move }) => shown.some(({ path }) => path === move?.path))) return null;
  const whole = withFeatures(base, involved);
  const edits = shown.flatMap(({ path, text }) => {
    const around = text.split(conflict);
    return [...text.matchAll(conflict)].map(([place], nth) => {
      const old_text = place.slice(0, place.indexOf("\n"));
      const new_text = textBetween(whole[path] ?? "", around[nth] ?? "", around[nth + 1] ?? "");
      return new_text === null ? null : call("edit_file", { path, old_text, new_text });
    });
  });
  return edits.every((edit) => edit !== null) ? edits : null;
}

/** What a text has between two others; null unless it has them once. */
function textBetween(text: string, before: string, after: string): string | null {
  const [, rest, ...others] = text.split(before);
  const end = rest?.indexOf(after) ?? -1;
  return rest === undefined || others.length > 0 || before === "" || after === "" || end < 0
    ? null
    : rest.slice(0, end);
}

/** What has to be read now: once what the task is about, and with each new prompt what is in conflict. */
function toRead(
  { set }: Scripted,
  { looksAt }: Job,
  seen: Seen,
  inConflict: readonly string[],
): readonly string[] {
  const looked = inputsOf(seen.history, "read_file", "path");
  // A block that was moved may be in a file by now that nobody planned for.
  const moves = set.features.flatMap(({ move }) =>
    move && (inConflict.includes(move.path) || Object.values(textsIn(seen)).some(hasMarkers))
      ? [move.into]
      : [],
  );
  // A file that was not thought to be there has to be read before it is written.
  const refused = inputsOf(
    seen.history.filter(({ isError }) => isError),
    "write_file",
    "path",
  );
  const unread = [...looksAt, ...moves, ...refused.map(String)].filter((path) => !looked.includes(path));
  return [...new Set(seen.turn === 0 ? [...unread, ...inConflict] : unread)];
}

/**
 * The next turn of one who works on files, whatever was done before: everything comes from what it has read. A feature takes
 * 15 to 19 turns; for a problem of SWE-bench Verified an efficient agent makes 19, others more than 40.
 */
function work(scripted: Scripted, job: Job, seen: Seen): Step {
  const { project, set, base, onResolution } = scripted;
  const shown = editsOfShown(scripted, job, seen);
  const summary =
    job.own.map(({ title }) => title).join("; ") || "Everything is together, and all tests pass.";
  if (shown !== null && shown.length > 0) {
    // The checks run with its report, as the prompt says.
    if (notYet(shown, seen) === null) return done(summary);
    onResolution({ role: seen.role, files: conflictsIn(seen.prompt) });
    return { say: "Both are needed.", calls: shown };
  }
  const unread = toRead(scripted, job, seen, shown === null ? conflictsIn(seen.prompt) : []);
  if (unread.length > 0) return { say: "I read before I write.", calls: unread.map(read) };
  const texts = textsIn(seen);
  const inConflict = Object.keys(texts).filter((path) => hasMarkers(texts[path] ?? ""));
  const resolution = writes(texts, resolved(base, texts, set.features, job.own));
  if (resolution !== null) {
    onResolution({ role: seen.role, files: inConflict });
    return resolution;
  }
  const commands = inputsOf(seen.history, "run_command", "command");
  const written = seen.history.findLastIndex(isWrite);
  const isTried = inputsOf(seen.history.slice(written + 1), "run_command", "command").includes(
    project.testAll,
  );
  const tryAll = { say: "Now all tests.", calls: [call("run_command", { command: project.testAll })] };
  for (const [nth, feature] of job.own.entries()) {
    const edit = nextEdit(scripted, feature, texts);
    const isBegun = featuresIn(Object.values(texts).join("\n"), [feature]).length > 0;
    if (edit && !isBegun && nth > 0 && !isTried) return tryAll;
    if (edit) return (isBegun ? null : notYet(looksBefore(scripted, feature), seen)) ?? edit;
    const command = project.testOne(feature.test.path);
    if (!commands.includes(command)) return { say: "I try it.", calls: [call("run_command", { command })] };
    const look = notYet(looksAfter(feature), seen);
    if (look) return look;
  }
  if (!isTried) return tryAll;
  return done(summary);
}

/**
 * The next turn of an agent that does something wrong right after its first write.
 *
 * @param next what it would do
 */
function withMistake({ set, faults = {} }: Scripted, own: Feature, seen: Seen, next: () => Step): Step {
  const fault = faults[own.id];
  if (fault === undefined || !/^Iteration 1\./mu.test(seen.opening)) return next();
  const last = seen.history.at(-1);
  if (last === undefined || !isWrite(last) || writesIn(seen) !== 1) return next();
  if (fault === "answers-late") return { ...next(), waitMs: lateMs };
  if (fault === "stops-half-way") return { say: "I stop here." };
  const other = set.features[(set.features.indexOf(own) + 1) % set.features.length] ?? own;
  const { path } = other.test;
  const content = `${path.endsWith(".py") ? "#" : "//"} ${other.title}: here comes its test.\n`;
  return { say: "I begin the next test, too.", calls: [call("write_file", { path, content })] };
}

const always = (name: string, step: ScriptedStep, prompt?: Scene["prompt"]): Scene => ({
  name,
  ...(prompt === undefined ? {} : { prompt }),
  steps: Array.from({ length: 60 }, () => step),
  optional: true,
});

/** The feature that is named first. */
const taskIn = (opening: string, features: readonly Feature[]): Feature | undefined =>
  features
    .filter(({ title }) => opening.includes(title))
    .toSorted((a, b) => opening.indexOf(a.title) - opening.indexOf(b.title))[0];

/** @param isAlone one agent has all features as its task */
export function teamScript(scripted: Scripted, isAlone: boolean): Script {
  const { project, set, base } = scripted;
  const { features } = set;
  const thereBefore = (these: readonly Feature[]) =>
    [...new Set(these.flatMap(sourcesOf))].filter((path) => base[path] !== undefined);
  const agent = (seen: Seen): Step => {
    const task = taskIn(seen.opening, features);
    if (!task) throw new Error(`${seen.role} has no task: ${seen.opening.slice(0, 300)}`);
    const own = isAlone ? features : [task];
    const next = (): Step => work(scripted, { own, looksAt: thereBefore(own) }, seen);
    return paced(
      isAlone ? next() : withMistake(scripted, task, seen, next),
      project.name,
      set.name,
      task.id,
      seen.turns,
    );
  };
  const bringsTogether = (seen: Seen): Step =>
    paced(work(scripted, { own: [], looksAt: thereBefore(features) }, seen), seen.role, seen.turns);
  const plans = (seen: Seen): Step =>
    notYet([call("list_files", { path: "." })], seen) ?? {
      calls: [call("propose_plan", { ...planOf(set) })],
    };
  return defineScript({
    name: `${project.name} ${set.name}`,
    routes: {
      "O-A-1": [
        {
          name: "plan",
          prompt: /^\[EVENT plan(?: changed)?\]/u,
          optional: true,
          steps: [plans, plans],
        },
        always(
          "review",
          { calls: [call("approve_merge_request", { comment: "As asked, with a test." })] },
          /^\[EVENT merge request ready\]/u,
        ),
        always("else", done("Nothing to add.")),
      ],
      "agent-*": [always("works", agent)],
      "validator-*": [
        {
          name: "judges",
          prompt: "[VALIDATE]",
          optional: true,
          steps: [
            { calls: [call("run_command", { command: project.testAll })] },
            (seen) => ({
              calls: [
                call("cast_vote", {
                  vote: "approve",
                  commit: /^Commit: ([0-9a-f]+)/mu.exec(seen.prompt)?.[1] ?? "",
                  reason: "Every feature is there with its test, and all tests pass in this checkout.",
                }),
              ],
            }),
          ],
        },
      ],
      "*": [always("brings together", bringsTogether)],
    },
  });
}
