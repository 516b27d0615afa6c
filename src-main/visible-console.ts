import { format } from "node:util";
import { shownText } from "#shared/domain/text/shown-text.ts";

/**
 * Makes visible what a host prints with `console`: its errors name files, branches and answers of other programs, and a terminal
 * would act on escapes in them, and turn the direction of text around.
 */
export function makeConsoleVisible(): void {
  for (const name of ["log", "warn", "error"] as const) {
    const print = console[name].bind(console);
    console[name] = (...parts: readonly unknown[]) => print(shownText(format(...parts)));
  }
}
