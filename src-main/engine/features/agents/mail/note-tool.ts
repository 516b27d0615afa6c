import { z } from "zod";
import { inOneLine } from "#shared/domain/merge-request/fold-news.ts";
import { newsFor } from "#shared/domain/news/news-events.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import { queuedUpdates } from "../../../orchestrators/queued-updates.ts";
import type { RunReader, RunWriter } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";

const noteShape = z.strictObject({ text: z.string().min(1).max(300) });

/** So many notes of one worker may wait to be read; a model that writes them in a circle fills nobody's prompt. */
const maxUnreadNotes = 10;

/** Lets a worker tell its parent something that needs no answer; the parent reads it with its next event. (HYLO-15) */
export function noteTool(run: RunReader & RunWriter, name: string): Tool {
  return {
    name: "note",
    description:
      "Tells your orchestrator something in passing. Use it for what it should know and that needs no answer: it reads it with its next event, and you continue. What you need an answer to you ask with align_request.",
    input: noteShape,
    writes: true,
    async run(input) {
      const { text } = noteShape.parse(input);
      const parent = parentOf(run, name);
      const begin = `${name} notes: `;
      const unread = queuedUpdates(run, parent, "children").filter((line) => line.startsWith(begin));
      const line = `${begin}${inOneLine(text)}`;
      if (unread.includes(line)) return { ok: true, output: "Noted already." };
      if (unread.length >= maxUnreadNotes)
        return {
          ok: false,
          error: "not-allowed",
          output: `${parent} has ${maxUnreadNotes} notes of yours that it has not read. Put the rest into your summary.`,
        };
      run.append(
        { kind: "NoteTaken", worker: name, text: inOneLine(text) },
        ...newsFor(parent, "children", [line]),
      );
      return { ok: true, output: `Noted for ${parent}.` };
    },
  };
}
