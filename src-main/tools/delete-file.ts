import { z } from "zod";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Tool } from "./tool-interface.ts";

const input = z.strictObject({
  path: z.string().min(1).describe("A file or a link, relative to the workspace."),
});

export const deleteFile: Tool<z.infer<typeof input>> = {
  name: "delete_file",
  description:
    "Deletes a file; of a link the link, not the file that it leads to. Use it for what your task makes superfluous, " +
    "instead of a command.",
  input,
  writes: true,
  async run(asked, { files }) {
    const { path } = await files.remove(asked.path);
    return { ok: true, output: `${shownName(path)} is deleted.` };
  },
};
