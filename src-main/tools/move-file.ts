import { z } from "zod";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Tool } from "./tool-interface.ts";

const input = z.strictObject({
  from: z.string().min(1).describe("A file, relative to the workspace."),
  to: z.string().min(1).describe("Its new path, where nothing is yet; missing folders are made."),
});

export const moveFile: Tool<z.infer<typeof input>> = {
  name: "move_file",
  description:
    "Moves or renames a file. Use it instead of writing the file again elsewhere; what imports it by its old path is yours to change.",
  input,
  writes: true,
  async run(asked, { files, seen }) {
    const { from, to } = await files.move(asked.from, asked.to);
    const hash = seen?.hashOf(from);
    if (hash !== undefined) seen?.note(to, hash);
    return { ok: true, output: `${shownName(from)} is now ${shownName(to)}.` };
  },
};
