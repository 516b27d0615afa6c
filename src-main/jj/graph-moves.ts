import { onlyVisible, visibleAmong } from "./only-visible.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import { present } from "./read-access.ts";
import { messageArgument } from "./unpublished.ts";
import type { WriterParts } from "./writer-parts.ts";
import { writeOne, written } from "./writer-parts.ts";

/** Makes the writes that move changes and names. */
export function createGraphMoves(
  parts: WriterParts,
): Pick<GraphWriter, "rebase" | "squash" | "restore" | "abandon" | "setBookmark" | "deleteBookmark"> {
  return {
    rebase({ revisions, source, onto = [], insertAfter = [], insertBefore = [], ...options }) {
      return written(
        writeOne(
          parts,
          [
            "rebase",
            ...(revisions === undefined ? [] : ["-r", onlyVisible(revisions)]),
            ...(source === undefined ? [] : ["-s", onlyVisible(source)]),
            ...onto.flatMap((each) => ["-o", onlyVisible(each)]),
            ...insertAfter.flatMap((each) => ["-A", onlyVisible(each)]),
            ...insertBefore.flatMap((each) => ["-B", onlyVisible(each)]),
          ],
          options,
          { describes: [] },
        ),
      );
    },

    squash({ from, into, description, ...options }) {
      const message =
        description === undefined ? ["--use-destination-message"] : [messageArgument(description)];
      return written(
        writeOne(
          parts,
          ["squash", "--from", onlyVisible(from), "--into", onlyVisible(into), ...message],
          options,
        ),
      );
    },

    restore: (change, options) =>
      written(writeOne(parts, ["restore", "--changes-in", onlyVisible(change)], options, { describes: [] })),

    abandon: (change, options) => {
      const revset =
        typeof change === "string" ? onlyVisible(change) : visibleAmong(change.map(present).join(" | "));
      return written(writeOne(parts, ["abandon", "-r", revset], options));
    },

    setBookmark: (name, to, options) =>
      written(
        writeOne(
          parts,
          // jj parses a name as a symbol: "fix#12" is a fine branch of Git, and a syntax error without quotes.
          [
            "bookmark",
            "set",
            "-r",
            onlyVisible(to),
            ...(options?.allowBackwards ? ["-B"] : []),
            "--",
            JSON.stringify(name),
          ],
          options,
          { describes: [] },
        ),
      ),

    deleteBookmark: (name, options) =>
      written(
        writeOne(
          parts,
          [
            ...["bookmark", "delete", "--"],
            ...(typeof name === "string" ? [name] : name).map((each) => `exact:${JSON.stringify(each)}`),
          ],
          options,
          { describes: [] },
        ),
      ),
  };
}
