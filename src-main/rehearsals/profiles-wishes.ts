/** What agents of the profiles rehearsal do whatever their task is. */
import { startOf } from "#shared/domain/text/cut-text.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Step } from "../model/stand-in/script.ts";
import { ownerNameIn, paths, undecided } from "./profiles-sources.ts";
import { call, conflictRegions, edit, type Knowledge, type Wish, write } from "./reading.ts";

export const testOf = (path: string): string => `node --test ${path}`;
export const text = (know: Knowledge, path: string): string | null => know.files.get(path) ?? null;

/** The name of the owner's field in the contract as this agent sees it; null while it is open or unreadable. */
export function settledName(know: Knowledge): string | null {
  const name = ownerNameIn(text(know, paths.contract) ?? "");
  return name === undecided ? null : name;
}

/** In a conflict with a decision its side holds; in any other both sides stay where they are lists. */
export const mendConflicts: Wish = (know) => {
  const mended = [...know.files].flatMap(([path, content]) => {
    const regions = content === null ? [] : conflictRegions(content);
    if (content === null || regions.length === 0) return [];
    let after = content;
    for (const { region, sides } of regions) {
      const chosen = sides.find((side) => side.includes("Decided for all")) ?? allEntries(sides);
      if (chosen === null) return [];
      after = after.replace(region, () => chosen);
    }
    return [write(path, after)];
  });
  if (mended.length === 0) return null;
  const contradiction = sectionOf(know.seen.prompt, "Conflict with a decision") !== "";
  return contradiction
    ? {
        thinking:
          "The markers show my line against the decision's. A decision binds me, whatever I had guessed.",
        say: "My line in the contract contradicts the decision. I take the decision's side unchanged, then follow it in my own files.",
        calls: mended,
      }
    : {
        say: "Everyone added to the same list. No entry excludes another, so all of them stay.",
        calls: mended,
      };
};

/** Lists of which each side added some: every entry once, with the blank lines around them. Null for anything else. */
function allEntries(sides: readonly string[]): string | null {
  const entries = [...new Set(sides.flatMap((side) => side.split("\n")))].filter((line) => line !== "");
  if (!entries.every((line) => line.startsWith("- "))) return null;
  const before = sides.some((side) => side.startsWith("\n")) ? "\n" : "";
  const after = sides.some((side) => side.endsWith("\n\n")) ? "\n" : "";
  return `${before}${entries.join("\n")}\n${after}`;
}

/** Conflicts that no script can resolve are reported. */
export const giveUpOnConflicts: Wish = (know) => {
  const left = [...know.files].filter(
    ([, content]) => content !== null && conflictRegions(content).length > 0,
  );
  if (left.length === 0) return null;
  const names = left.map(([path]) => path).join(", ");
  return {
    say: `I cannot tell which side of ${names} is meant.`,
    calls: [
      call("report_done", {
        summary: `Stopped at ${names}.`,
        blocked: `Both sides of the conflict in ${names} say something else. Decide which one holds.`,
      }),
    ],
  };
};

/** Reads the files that the prompt says are in conflict. */
export const lookAtConflicts: Wish = (know) => {
  const named = ["Conflict with a decision", "Conflicts"].flatMap((title) =>
    [...sectionOf(know.seen.prompt, title).matchAll(/^- (\S+)$/gmu)].map((match) => match[1] ?? ""),
  );
  const unread = named.filter((path) => path !== "" && !know.files.has(path));
  return unread.length === 0
    ? null
    : {
        say: "First the files with conflict markers.",
        calls: unread.map((path) => call("read_file", { path })),
      };
};

export const changelog =
  (line: string): Wish =>
  (know) => {
    const before = text(know, paths.changelog);
    if (before === null || before.includes(line)) return null;
    const heading = "## Unreleased\n";
    if (before.split(heading).length !== 2) return null;
    const first = before.includes(`${heading}\n- `);
    return {
      say: "A line for the changelog.",
      calls: [
        first
          ? edit(paths.changelog, `${heading}\n`, `${heading}\n- ${line}\n`)
          : edit(paths.changelog, heading, `${heading}\n- ${line}\n`),
      ],
    };
  };

/** A failing check with nothing left to fix ends the round: the next prompt shows it. */
export const endOnFailure: Wish = ({ runs }) => {
  const failed = [...runs].find(([, result]) => result.isError);
  if (!failed) return null;
  const words =
    failed[1].output.split("\n").find((line) => /not ok|rror|problem|not run/u.test(line)) ??
    "see its output";
  return {
    say: `\`${failed[0]}\` fails: ${startOf(words.trim(), 200)}. I end this round with the work saved.`,
  };
};

export const done =
  (summary: string): Wish =>
  () => ({ calls: [call("report_done", { summary })] });
export const endRound = (say: string): Step => ({ say });
