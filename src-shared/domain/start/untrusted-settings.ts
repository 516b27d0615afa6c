import { counted } from "../text/counted.ts";
import { startOf } from "../text/cut-text.ts";
import { shownLine } from "../text/shown-text.ts";

interface Untrusted {
  readonly text: string;
  readonly allows: string;
}

const areNotInForce = (count: number): string =>
  `${counted(count, "setting")} of .hox/config.toml would loosen your limits and ${count === 1 ? "is" : "are"} not in force`;

/** Says in one line that settings of a repository are not in force, and which. */
export function untrustedText(settings: readonly Pick<Untrusted, "text">[]): string {
  const shown = settings.slice(0, 3).map(({ text }) => shownLine(startOf(text, 80)));
  const more = settings.length > 3 ? `; and ${settings.length - 3} more` : "";
  return `${areNotInForce(settings.length)}: ${shown.join("; ")}${more}.`;
}

/** The same for a terminal, with what each setting would allow. */
export const untrustedLines = (settings: readonly Untrusted[]): readonly string[] => [
  `${areNotInForce(settings.length)}:`,
  ...settings.flatMap(({ text, allows }) => [`  ${shownLine(text)}`, `      ${shownLine(allows)}`]),
];
