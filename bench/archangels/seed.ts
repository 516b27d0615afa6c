/** Small changes for archangels to look at: most with one mistake planted, some with none. */
import type { CommentRelation } from "../../src-shared/domain/archangel/archangel.ts";

export interface Seed {
  readonly name: string;
  /** Id of the step of `plan` that the change is made for. */
  readonly step: string;
  readonly path: string;
  /** One hunk from line 1 on: lines after a blank, `-` or `+`; `!` is an added line with the planted mistake. */
  readonly hunk: string;
  /** Every one of them is right for the planted line; none: there is nothing to say. */
  readonly expected: readonly CommentRelation[];
}

export const goal = "A small web service for notes: sign in, write notes, share one by a link.";

/** What every change of the seeds is a part of. */
export const plan: readonly { readonly id: string; readonly title: string; readonly does: string }[] = [
  { id: "sign-in", title: "Sign in", does: "Sessions by a signed cookie; passwords hashed with scrypt." },
  { id: "store", title: "Store notes", does: "Read and write notes in SQLite, with tests of both." },
  {
    id: "share",
    title: "Share by link",
    does: "A link with a random token opens one note, until it is taken back.",
  },
  { id: "page", title: "Page of a note", does: "Shows one note as text, with its links to share it." },
  { id: "export", title: "Export", does: "All notes of a user as one Markdown file." },
];

interface PlacedLine {
  /** From 1 on, in the new file. */
  readonly line: number;
  readonly text: string;
}

const linesOf = ({ hunk }: Seed): readonly string[] => hunk.replace(/^\n/u, "").trimEnd().split("\n");

/** The file before or after the change. */
export const fileOf = (seed: Seed, when: "before" | "after"): string =>
  linesOf(seed)
    .filter((line) => line.startsWith(" ") || (line.startsWith("-") ? when === "before" : when === "after"))
    .map((line) => `${line.slice(1)}\n`)
    .join("");

/** Null: nothing is planted. */
export function plantedLine(seed: Seed): PlacedLine | null {
  const after = linesOf(seed).filter((line) => !line.startsWith("-"));
  const at = after.findIndex((line) => line.startsWith("!"));
  return at < 0 ? null : { line: at + 1, text: after[at]?.slice(1) ?? "" };
}

/** As git would show it. */
export function diffOf(seed: Seed): string {
  const lines = linesOf(seed).map((line) => line.replace(/^!/u, "+"));
  const before = lines.filter((line) => !line.startsWith("+")).length;
  const after = lines.filter((line) => !line.startsWith("-")).length;
  const from = before === 0 ? "/dev/null" : `a/${seed.path}`;
  return [
    `diff --git a/${seed.path} b/${seed.path}`,
    ...(before === 0 ? ["new file mode 100644"] : []),
    `--- ${from}`,
    `+++ b/${seed.path}`,
    `@@ -${before === 0 ? 0 : 1},${before} +1,${after} @@`,
    ...lines,
    "",
  ].join("\n");
}
