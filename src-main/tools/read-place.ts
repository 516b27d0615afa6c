import { looksLikePicture, maxPictureBytes, pictureTypeOf } from "./picture.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FileAccess } from "./tool-interface.ts";
import type { Place } from "./workspace-place.ts";

/** The text of a file, or why there is none, in words for the agent that asked for it. */
export async function readText(place: Place, asked: string, maxBytes: number): Promise<string> {
  const [name = ""] = place.names;
  if (place.path === "" || place.stats?.isDirectory())
    throw new ToolFailure("not-text", `${asked} is a folder; use list_files.`);
  if (place.stats === null) throw new ToolFailure("not-found", `${asked} does not exist.`);
  const file = await place.parent.readFile(name, maxBytes);
  if ("unreadable" in file) {
    switch (file.unreadable) {
      case "absent":
        throw new ToolFailure("not-found", `${asked} does not exist.`);
      case "irregular":
        throw new ToolFailure("not-text", `${asked} is not a regular file.`);
      case "too-large":
        throw new ToolFailure(
          "too-large",
          `${asked} has ${file.size} bytes; the limit is ${maxBytes}. Use search.`,
        );
    }
  }
  if (file.bytes.includes(0)) throw new ToolFailure("not-text", `${asked} is a binary file.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file.bytes);
  } catch {
    throw new ToolFailure("not-text", `${asked} is not UTF-8 text.`);
  }
}

/** Null where the file is no picture. */
export async function readPicture(
  place: Place,
  asked: string,
): Promise<Awaited<ReturnType<FileAccess["readPicture"]>>> {
  const [name = ""] = place.names;
  if (!place.stats?.isFile() || !looksLikePicture(name)) return null;
  const file = await place.parent.readFile(name, maxPictureBytes);
  if ("unreadable" in file) {
    if (file.unreadable !== "too-large") return null;
    throw new ToolFailure(
      "too-large",
      `${asked} has ${file.size} bytes; a picture may have ${maxPictureBytes}. Make a smaller copy with a command.`,
    );
  }
  const mediaType = pictureTypeOf(file.bytes);
  if (mediaType === null) return null;
  return {
    path: place.path,
    mediaType,
    data: Buffer.from(file.bytes).toString("base64"),
    bytes: file.bytes.length,
  };
}
