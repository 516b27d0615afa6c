import type { Seen, Step } from "../../src-main/model/stand-in/script.ts";

/** What is known of a file that only one agent writes. */
interface OwnFile {
  /** The whole text that was acknowledged last; null before the first time. */
  acknowledged: string | null;
  /** Texts that were asked for since, and of which no result has come: a pause may have cut in between. */
  readonly asked: Set<string>;
}

/**
 * What agents were told is written. An edit counts as acknowledged when the model has seen its result without an
 * error; from then on it must be in the run's result, unless the agent itself wrote over it.
 */
export class Ledger {
  readonly #files = new Map<number, Map<string, OwnFile>>();
  /** Per run: `path\0entry` that must be in a file that several write. */
  readonly #entries = new Map<number, Set<string>>();
  #acknowledged = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Takes over what a request says of the calls before it. */
  take(run: number, seen: Seen): void {
    for (const { tool, input, isError } of seen.results) {
      const edit = editOf(tool, input);
      if (isError || edit === null) continue;
      this.#acknowledged += 1;
      if (isShared(edit.path)) {
        const entries = this.#entries.get(run) ?? new Set();
        this.#entries.set(run, entries);
        for (const entry of entriesOf(edit.text)) entries.add(`${edit.path}\0${entry}`);
      } else {
        const file = this.#file(run, edit.path);
        file.acknowledged = edit.text;
        file.asked.clear();
      }
    }
  }

  /** Takes over what an answer asks for. */
  ask(run: number, step: Step): Step {
    for (const { tool, input } of step.calls ?? []) {
      const edit = editOf(tool, input);
      if (edit !== null && !isShared(edit.path)) this.#file(run, edit.path).asked.add(edit.text);
    }
    return step;
  }

  #file(run: number, path: string): OwnFile {
    const files = this.#files.get(run) ?? new Map<string, OwnFile>();
    this.#files.set(run, files);
    const file = files.get(path) ?? { acknowledged: null, asked: new Set() };
    files.set(path, file);
    return file;
  }

  /** The files to look at for a run. */
  paths(run: number): readonly string[] {
    const shared = [...(this.#entries.get(run) ?? [])].map((one) => one.split("\0")[0] ?? "");
    return [...new Set([...(this.#files.get(run)?.keys() ?? []), ...shared])];
  }

  /** What was acknowledged and is not there. `text`: a file of the result, null where it is missing. */
  lost(run: number, text: (path: string) => string | null): readonly string[] {
    const files = [...(this.#files.get(run) ?? [])].flatMap(([path, { acknowledged, asked }]) => {
      const found = text(path);
      return acknowledged === null || found === acknowledged || (found !== null && asked.has(found))
        ? []
        : [`${path} should be ${JSON.stringify(acknowledged)} and is ${JSON.stringify(found)}`];
    });
    const entries = [...(this.#entries.get(run) ?? [])].flatMap((one) => {
      const [path = "", entry = ""] = one.split("\0");
      return entriesOf(text(path) ?? "").includes(entry) ? [] : [`${path} lost "entry ${entry}"`];
    });
    return [...files, ...entries];
  }
}

/** The whole text that a call writes. Agents of the soak replace the whole of their own line. */
function editOf(tool: string, input: unknown): { readonly path: string; readonly text: string } | null {
  const { path = "", content, new_text: line } = input as Record<string, string | undefined>;
  if (tool === "write_file" && content !== undefined) return { path, text: content };
  return tool === "edit_file" && line !== undefined ? { path, text: `${line}\n` } : null;
}

/** Files that several agents write; each line is an entry, and no agent removes one. */
const isShared = (path: string): boolean => path.startsWith("shared/") || path.startsWith("contracts/");

/** Every entry of a text, also in the middle of jj's conflict markers. */
export const entriesOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\bentry ([\w.-]+)/gu)].map((match) => match[1] ?? "")),
];
