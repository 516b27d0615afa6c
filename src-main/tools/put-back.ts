import { protectedReason } from "#shared/domain/files/protected-files.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";

/**
 * What became of the protected files that a command made or changed, one line each. Many programs leave such a file
 * without meaning to: it says nothing about what the command was run for.
 */
export const putBack = (restored: readonly string[]): readonly string[] =>
  restored.map((path) =>
    path.startsWith("… and ")
      ? `Protected, restored: ${shownLine(path.slice(2))}`
      : `Protected, restored: ${shownName(path)} (${protectedReason(path)})`,
  );
