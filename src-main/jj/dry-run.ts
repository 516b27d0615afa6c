import { createdIn } from "./created.ts";
import type { DryRun } from "./ports/dry-runs.ts";
import type { Jj } from "./process.ts";
import type { Reader } from "./reader.ts";
import { restoreInRow } from "./restore-everything.ts";
import { beginUnpublished, messageArgument } from "./unpublished.ts";

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)];

/**
 * Computes a write and leaves it unpublished: no operation head, no working copy, nobody sees it. (CARD-4)
 * @param operation the operation to try it on
 * @returns the operation to read the outcome at, with every reading call
 */
export async function dryRun(
  {
    jj,
    root,
    reader,
  }: { readonly jj: Jj; readonly root: string; readonly reader: Pick<Reader, "readGraph"> },
  operation: string,
  write: DryRun,
): Promise<{ operation: string }> {
  const row = beginUnpublished(jj, root, operation, { actor: "dry-run" });
  switch (write.kind) {
    case "rebase":
      await row.run(["rebase", "-s", write.source, ...write.onto.flatMap((onto) => ["-o", onto])]);
      break;
    case "merge":
      {
        const made = await row.run(["new", "--no-edit", "-m", "", "--", ...distinct(write.parents)]);
        if (write.bookmark === undefined) break;
        const { changeId } = createdIn(made);
        await row.run(["bookmark", "set", "-B", "-r", changeId, "--", JSON.stringify(write.bookmark)]);
      }
      break;
    case "mutation": {
      const made = createdIn(
        await row.run(["new", "--no-edit", messageArgument(write.description), "-A", write.base]),
      );
      await row.writeFiles(made.changeId, write.files);
      break;
    }
    case "restore":
      await row.run(["restore", "--changes-in", write.change]);
      break;
    case "restore-everything":
      await restoreInRow(row, { root, reader }, write.operation);
      break;
    default:
      write satisfies never;
  }
  return { operation: row.operation() };
}
