import { counted } from "../../domain/text/format-text.ts";
import { block, shownName } from "../../domain/text/shown-text.ts";
import { type CardBase, type CardKind, type YesOrNoAnswer, yesOrNo } from "./card.ts";

/** Changes to protected files that were taken out of an agent's change. */
export interface ProtectedCard extends CardBase {
  readonly kind: "protected";
  readonly worker: string;
  readonly paths: readonly string[];
  /** Holds them as they were found. */
  readonly commitId: string;
  readonly diff: string;
  /** It is too long to be shown whole. */
  readonly isDiffCut?: boolean;
}

export const protectedKind: CardKind<ProtectedCard, YesOrNoAnswer> = {
  ...yesOrNo("allows the change", "discards it"),
  title: "Protected files",
  tone: "warning",
  gate: null,
  headline: ({ paths, worker }) =>
    `${worker} changed ${paths.length === 1 ? `the protected file ${paths[0] ?? ""}` : counted(paths.length, "protected file")}`,
  from: ({ worker }) => worker,
  askerWaits: "when-done",
  lines: (item) => [
    `${item.worker} changed protected files. Hox removed this from its change. Allow it as shown here?`,
    ...item.paths.map((path) => `  ${shownName(path)}`),
    ...block(item.diff),
    ...(item.isDiffCut ? ["  Diff too long. Only the first part is shown."] : []),
  ],
};
