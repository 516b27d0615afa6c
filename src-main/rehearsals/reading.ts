import { readFileSync } from "node:fs";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import { resourcePath } from "../config/resources-folder.ts";
import type { ScriptedStep, Seen, SeenResult, Step } from "../model/stand-in/script.ts";

/**
 * What a scripted model knows: only its conversation. Everything is derived from the request, so a restart,
 * the user's edit or another order of events leads to other steps and not to nonsense.
 */
export interface Knowledge {
  readonly seen: Seen;
  /** Path → text as last read or written in this conversation; null when it was not there. */
  readonly files: ReadonlyMap<string, string | null>;
  /** Paths that this conversation has written. */
  readonly written: ReadonlySet<string>;
  /** Commands that ran after the last write, with what they printed. */
  readonly runs: ReadonlyMap<string, SeenResult>;
  /** Paths whose writing was refused. */
  readonly refused: ReadonlyMap<string, SeenResult>;
  /** The last list of its files. */
  readonly listing: SeenResult | undefined;
}

function knowledgeOf(seen: Seen): Knowledge {
  const files = new Map<string, string | null>();
  const written = new Set<string>();
  const runs = new Map<string, SeenResult>();
  const refused = new Map<string, SeenResult>();
  let listing: SeenResult | undefined;
  // Whoever goes on after it was done finds other files.
  const begin = seen.history.findLastIndex(({ tool }) => tool === "report_done") + 1;
  for (const result of seen.history.slice(begin)) {
    const path = textOf(result.input, "path");
    switch (result.tool) {
      case "read_file":
        files.set(path, result.isError ? null : withoutHeader(result.output));
        break;
      case "write_file":
      case "edit_file": {
        if (result.isError) {
          refused.set(path, result);
          break;
        }
        const before = files.get(path) ?? "";
        const after =
          result.tool === "write_file"
            ? textOf(result.input, "content")
            : before.replace(textOf(result.input, "old_text"), () => textOf(result.input, "new_text"));
        files.set(path, after);
        written.add(path);
        runs.clear();
        break;
      }
      case "list_files":
        if (!result.isError) listing = result;
        break;
      case "run_command":
        runs.set(textOf(result.input, "command"), result);
        break;
    }
  }
  return { seen, files, written, runs, refused, listing };
}

const textOf = (input: unknown, key: string): string => {
  const value: unknown = typeof input === "object" && input !== null ? Reflect.get(input, key) : undefined;
  return typeof value === "string" ? value : "";
};

/** The first line of a read names file and hash; the text follows. */
const withoutHeader = (output: string): string => output.slice(output.indexOf("\n") + 1);

/** A wish of a scripted worker: the step that it takes now, or null when it has what it wants. */
export type Wish = (know: Knowledge) => Step | null;

/** The first wish that is open decides; enough places for every way through. */
export const follow = (...wishes: readonly Wish[]): readonly ScriptedStep[] =>
  Array.from({ length: 40 }, () => (seen: Seen): Step => {
    const know = knowledgeOf(seen);
    for (const wish of wishes) {
      const step = wish(know);
      if (step) return step;
    }
    return { say: "That is all I can do here." };
  });

export const call = (tool: string, input: Readonly<Record<string, unknown>>) => ({ tool, input });
export const read = (path: string) => call("read_file", { path });
export const write = (path: string, content: string) => call("write_file", { path, content });
export const edit = (path: string, old_text: string, new_text: string) =>
  call("edit_file", { path, old_text, new_text });
export const run = (command: string) => call("run_command", { command });

/** Lists the workspace and reads what is always there; then, of the rest, what the list names. */
export const look =
  (say: string, always: readonly string[], ifThere: readonly string[] = []): Wish =>
  ({ seen, files, listing }) => {
    const missing = always.filter((path) => !files.has(path));
    if (!listing)
      return { say: openingOf(seen.prompt, say), calls: [call("list_files", {}), ...missing.map(read)] };
    const there = listing.output.split("\n");
    const more = ifThere.filter((path) => there.includes(path) && !files.has(path));
    const wanted = [...missing, ...more];
    return wanted.length === 0 ? null : { say: "And what is there already.", calls: wanted.map(read) };
  };

/** A later iteration begins according to its prompt, and does not repeat the first message. */
function openingOf(prompt: string, first: string): string {
  if (sectionOf(prompt, "Conflict with a decision") !== "")
    return "A decision contradicts my work. I'll look at the current files.";
  if (/: (?:failed|timed-out|missing) \(/u.test(sectionOf(prompt, "Last checks")))
    return "A check fails. I look at what I left.";
  if (sectionOf(prompt, "Changes requested") !== "")
    return "My work was read and comes back. I look at what is named.";
  if (sectionOf(prompt, "Messages") !== "") return "The answer is here. I'll look at the current contract.";
  const iteration = Number(/^Iteration (\d+)\.$/mu.exec(prompt)?.[1] ?? 1);
  return iteration > 1 ? "A fresh start: I read what I left, and what it builds on." : first;
}

/** Runs commands together whose results are older than the last write. */
export const runFresh =
  (say: string, commands: readonly string[]): Wish =>
  ({ runs }) => {
    const due = commands.filter((command) => !runs.has(command));
    return due.length === 0 ? null : { say, calls: due.map(run) };
  };

/** Both sides of every conflict in a file with jj's or git's markers, each as the lines that it wants. */
export function conflictRegions(
  text: string,
): readonly { readonly region: string; readonly sides: readonly string[] }[] {
  const regions = text.matchAll(/^<{7}[^\n]*\n([\s\S]*?)^>{7}[^\n]*(?:\n|$)/gmu);
  return [...regions].map((match) => ({ region: match[0], sides: sidesOf(match[1] ?? "") }));
}

function sidesOf(inside: string): readonly string[] {
  const sides: string[] = [];
  let kind: "none" | "diff" | "side" | "base" =
    inside.startsWith("%%%%%%%") || inside.startsWith("+++++++") ? "none" : "side";
  let lines: string[] = [];
  const close = (): void => {
    if (kind === "diff" || kind === "side") sides.push(lines.map((line) => `${line}\n`).join(""));
    lines = [];
  };
  for (const line of inside.replace(/\n$/u, "").split("\n")) {
    const marker = /^(%{7}|\+{7}|-{7}|\|{7}|={7})(?: |$)/u.exec(line)?.[1];
    if (marker) {
      close();
      kind = marker.startsWith("%")
        ? "diff"
        : marker.startsWith("+") || marker.startsWith("=")
          ? "side"
          : "base";
    } else if (line.startsWith("\\\\\\\\\\\\\\")) continue;
    else if (kind !== "diff") lines.push(line);
    else if (!line.startsWith("-")) lines.push(line.slice(1));
  }
  close();
  return sides;
}

/**
 * The text that the agents of a rehearsal write to a file of their project.
 * @param path below `resources/rehearsal/<name>/written`, as in the project
 */
export const writtenFile = (rehearsal: string, path: string): string =>
  readFileSync(resourcePath("rehearsal", rehearsal, "written", ...path.split("/")), "utf8");

/** Several of them, by their paths. */
export const writtenFiles = (rehearsal: string, paths: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(paths.map((path) => [path, writtenFile(rehearsal, path)]));

/** What an orchestrator of a rehearsal proposes; the root's is `plan`. */
export const writtenPlan = (rehearsal: string, name = "plan"): Plan =>
  JSON.parse(readFileSync(resourcePath("rehearsal", rehearsal, `${name}.json`), "utf8")) as Plan;

/** The text of a pattern that a rehearsal proposes. */
export const writtenPattern = (rehearsal: string, name: string): string =>
  readFileSync(resourcePath("rehearsal", rehearsal, `pattern-${name}.md`), "utf8");
