import { z } from "zod";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { fileHeader } from "./file-output.ts";
import type { Tool } from "./tool-interface.ts";

const maxLines = 2000;
const maxCharacters = 60_000;

const input = z.strictObject({
  path: z.string().min(1).describe("Relative to the workspace."),
  first_line: z.int().min(1).optional().describe("1-based; default 1."),
  lines: z.int().min(1).max(maxLines).optional().describe(`Default and most: ${maxLines}.`),
});

export const readFile: Tool<z.infer<typeof input>> = {
  name: "read_file",
  description:
    "Reads a text file of the workspace. The first line of the answer names the file, the hash of its content and the " +
    "lines shown; the text follows exactly as it is in the file. Long files are read part by part. A picture (png, jpg, " +
    "gif, webp) is shown to you. Use it before you change a file.",
  input,
  writes: false,
  async run({ path, first_line = 1, lines = maxLines }, { files, seen }) {
    const picture = await files.readPicture(path);
    if (picture !== null) {
      const { mediaType, data, bytes } = picture;
      return {
        ok: true,
        output: `${shownName(picture.path)}: ${mediaType}, ${bytes} bytes`,
        images: [{ mediaType, data }],
      };
    }
    const file = await files.readText(path);
    seen?.note(file.path, file.hash);
    const all = file.text.split("\n");
    const { shown, last, isCut } = portion(all, first_line - 1, lines);
    const rest = isCut
      ? `; line ${last} is cut after ${maxCharacters} characters`
      : last < all.length
        ? `; continue with first_line ${last + 1}`
        : "";
    const detail = `lines ${first_line}-${last} of ${all.length}${rest}`;
    return { ok: true, output: `${fileHeader(file.path, file.hash, detail)}\n${shown}` };
  },
};

/** Whole lines, as many as there is room for; of a line that is too long by itself its beginning. */
function portion(
  all: readonly string[],
  from: number,
  lines: number,
): { readonly shown: string; readonly last: number; readonly isCut: boolean } {
  let size = 0;
  let end = from;
  for (; end < Math.min(all.length, from + lines); end++) {
    size += (all[end]?.length ?? 0) + 1;
    if (size > maxCharacters + 1) break;
  }
  const isCut = end === from && from < all.length;
  const shown = isCut ? startOf(all[from] ?? "", maxCharacters) : all.slice(from, end).join("\n");
  return { shown, last: isCut ? from + 1 : Math.max(end, Math.min(from, all.length)), isCut };
}
