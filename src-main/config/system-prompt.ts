import { readFileSync } from "node:fs";
import { resourcePath } from "./resources-folder.ts";

/** A prompt's text with `{{name}}` filled in. An unfilled name or a missing file is an error. */
export function loadPrompt(file: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(resourcePath("prompts", `${file}.md`), "utf8")
    .replaceAll(/\{\{\s*([a-z_]+)\s*\}\}/gu, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`The prompt ${file}.md uses {{${name}}}, which has no value.`);
      return value;
    })
    .trimEnd();
}

/** Identical for a whole conversation, so that the cache hits; the last line names the role. */
export const systemPrompt = (file: string, role: string, values: Readonly<Record<string, string>>): string =>
  [
    loadPrompt(file, { role, name: role, ...values }),
    loadPrompt("quoted-words", {}),
    `Hox-Role: ${role}`,
  ].join("\n\n");
