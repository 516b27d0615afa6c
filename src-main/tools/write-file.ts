import { z } from "zod";
import { fileHeader } from "./file-output.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FileAccess, FileText, Tool } from "./tool-interface.ts";

const input = z.strictObject({
  path: z.string().min(1).describe("Relative to the workspace; missing folders are made."),
  content: z.string().describe("The whole text of the file."),
});

export const writeFile: Tool<z.infer<typeof input>> = {
  name: "write_file",
  description:
    "Writes a whole text file. A file that exists must have been read in this conversation and must not have changed " +
    "since. Use it for new files and whole rewrites; for small changes use edit_file.",
  input,
  writes: true,
  async run({ path, content }, { files, seen }) {
    const there = await textThere(path, files);
    const bytes = Buffer.byteLength(content);
    if (there && there.text === content) {
      // A step that runs again after a restart finds its own work, and that is no reason to stop.
      seen?.note(there.path, there.hash);
      return { ok: true, output: fileHeader(there.path, there.hash, `unchanged, ${bytes} bytes`) };
    }
    // The name that was asked for may be a link or a detour; the access layer knows the one spelling.
    const known = seen?.hashOf(there?.path ?? path) ?? null;
    const written = await files.writeText(path, content, seen ? known : undefined);
    seen?.note(written.path, written.hash);
    const detail = `${written.created ? "created" : "replaced"}, ${bytes} bytes`;
    return { ok: true, output: fileHeader(written.path, written.hash, detail) };
  },
};

/** Null where there is no text file to read: `writeText` says why, if that matters. */
async function textThere(path: string, files: FileAccess): Promise<FileText | null> {
  try {
    return await files.readText(path);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
