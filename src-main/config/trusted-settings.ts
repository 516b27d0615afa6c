/** Which settings of a repository the user has trusted, or has chosen to ignore: kept outside of the repository. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileAtomically } from "./atomic-file.ts";

const kept = z.object({
  trusted: z.array(z.string()).catch([]),
  ignored: z.array(z.string()).catch([]),
});
export type TrustedSettings = z.infer<typeof kept>;

const none: TrustedSettings = { trusted: [], ignored: [] };

/** @param stateFolder of the repository */
export const trustedSettingsPath = (stateFolder: string): string =>
  join(stateFolder, "trusted-settings.json");

/** What cannot be read trusts nothing: then the user is asked again. */
export async function readTrustedSettings(stateFolder: string): Promise<TrustedSettings> {
  try {
    return kept.parse(JSON.parse(await readFile(trustedSettingsPath(stateFolder), "utf8")));
  } catch {
    return none;
  }
}

/** @param texts of the settings, as `loosening` says them */
export async function trustSettings(
  stateFolder: string,
  texts: readonly string[],
  answer: "trust" | "ignore",
): Promise<void> {
  if (texts.length === 0) return;
  const { trusted, ignored } = await readTrustedSettings(stateFolder);
  const others = (list: readonly string[]): string[] => list.filter((text) => !texts.includes(text));
  const now: TrustedSettings =
    answer === "trust"
      ? { trusted: [...others(trusted), ...texts], ignored: others(ignored) }
      : { trusted: others(trusted), ignored: [...others(ignored), ...texts] };
  await writeFileAtomically(trustedSettingsPath(stateFolder), `${JSON.stringify(now, null, 2)}\n`);
}
