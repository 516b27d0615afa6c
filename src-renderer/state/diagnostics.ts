import { client } from "../client.ts";
import { useHost } from "./host-store.ts";
import { attempt, notify } from "./notify.ts";

/**
 * Copies what a bug report needs.
 * @param shown the error that the window shows; its message may hold texts of the user, so only its origin is copied
 */
export const copyDiagnostics = (shown?: Error): Promise<boolean> =>
  attempt("The diagnostics were not copied", async () => {
    const text = await client.diagnostics({ repository: useHost.getState().repository?.path ?? null });
    await navigator.clipboard.writeText(
      shown ? `${text}\n## Error in the window\n\n${originOf(shown)}\n` : text,
    );
    notify("info", "Diagnostics copied. Read them before you attach them to a report.");
  });

/** Its name and where it was thrown, without its message. */
const originOf = ({ name, message, stack = "" }: Error): string =>
  [
    name,
    ...stack
      .replace(message, "")
      .split("\n")
      .filter((line) => /^\s*at |@/u.test(line)),
  ].join("\n");
