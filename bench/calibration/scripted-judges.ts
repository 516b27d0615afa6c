import type { Scene, Script } from "../../src-main/model/stand-in/script.ts";
import { builtInSample } from "../../src-shared/domain/planting/built-in-sample.ts";

/** What judges said of one commit, as they know it themselves. */
export interface Judged {
  readonly isBad: boolean;
  readonly votes: Map<string, "approve" | "reject">;
}

/** The tool has a head of its own above the file. */
const isSame = (shown: string, text: string): boolean =>
  shown.slice(shown.indexOf("\n") + 1).trimEnd() === text.trimEnd();

/**
 * Four judges who see whether anything was planted by reading the files. Two are wrong on the same half of all commits,
 * the third on half of those, and the fourth never.
 *
 * @param judged hears every vote, by commit
 */
export function scriptedJudges(judged: Map<string, Judged>): Script {
  const judge = (isWrongOn: RegExp | null): Scene => ({
    name: "judges",
    prompt: "[VALIDATE]",
    steps: [
      {
        calls: Object.keys(builtInSample.files).map((path) => ({ tool: "read_file", input: { path } })),
      },
      (seen) => {
        const commit = /^Commit: ([0-9a-f]{40})$/mu.exec(seen.prompt)?.[1] ?? "";
        const isBad = seen.results.some(({ input, output }) => {
          const { path } = input as { readonly path: string };
          return !isSame(output, builtInSample.files[path] ?? "");
        });
        const isWrong = isWrongOn?.test(commit) ?? false;
        const vote = isBad === isWrong ? "approve" : "reject";
        const known = judged.get(commit) ?? { isBad, votes: new Map() };
        known.votes.set(seen.role, vote);
        judged.set(commit, known);
        return { calls: [{ tool: "cast_vote", input: { vote, commit, reason: "As scripted." } }] };
      },
    ],
  });
  return {
    name: "scripted judges",
    routes: {
      "validator-1": [judge(/[0-7]$/u)],
      "validator-2": [judge(/[0-7]$/u)],
      "validator-3": [judge(/[0-3]$/u)],
      "validator-4": [judge(null)],
    },
  };
}
