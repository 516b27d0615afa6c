import type { ConflictCause } from "#shared/domain/conflict/conflict.ts";
import type { Place } from "#shared/domain/decision/compliance-status.ts";
import {
  type PromptText,
  pathLines,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { RunReader } from "../../../ports.ts";
import { bindingOn, contradictionsOf } from "./compliance-status.ts";

/** What stands between an agent's work and the decisions that bind it, and what else is in conflict. (HOX-5.1) */
export function conflictSections(
  run: RunReader,
  worker: string,
  conflicts: readonly string[],
): readonly PromptText[] {
  const { contradicts, conflictCause } = run.worker(worker).record;
  const against = contradictionsOf(run, worker);
  const decision = bindingOn(run, worker).find((one) => one.changeId === contradicts);
  const inConflict =
    conflicts.length > 0 &&
    decision !== undefined &&
    !against.some(
      ({ compliance }) => compliance.shownBy === "compliance" || compliance.shownBy === "override",
    );
  const elsewhere = against
    .filter(({ compliance }) => compliance.shownBy === "conflict")
    .flatMap(({ compliance }) => compliance.places.filter(({ path }) => !conflicts.includes(path)));
  return [
    inConflict
      ? section("Conflict with a decision", [
          promptLine`Your work contradicts the decision "${decision.title}": ${decision.reason}`,
          promptLine`The decision binds you. These files of yours hold jj's conflict markers; change them so that they follow the decision, and remove every marker:`,
          ...pathLines(conflicts),
          ...(elsewhere.length === 0
            ? []
            : [
                promptLine``,
                promptLine`These lines of yours may not follow it either, though no conflict shows them:`,
                ...elsewhere.map(placeLine),
              ]),
        ])
      : section(
          "Conflicts",
          conflicts.length > 0
            ? [
                ...causeLines(conflictCause ?? null),
                promptLine`These files hold jj's conflict markers. Bring both sides together:`,
                ...pathLines(conflicts),
              ]
            : [],
        ),
    section(
      "Contradiction of a decision",
      against
        .filter(({ compliance }) => compliance.shownBy !== "conflict")
        .flatMap(({ decision: { title, reason }, compliance }) => [
          promptLine`Your work contradicts the decision "${title}": ${reason}`,
          quoteText(compliance.reason),
          ...compliance.places.map(placeLine),
          promptLine`The decision binds you: change your work so that it follows, and nothing of it counts as done before. If you think that the decision is wrong, say so with align_request and follow it meanwhile.`,
        ]),
    ),
  ];
}

const placeLine = (place: Place): PromptText =>
  promptLine`- ${shownName(place.path)}${place.line === null ? "" : `:${place.line}`}: \`${place.text}\``;

/** Where a conflict comes from, for whoever has to resolve it. */
const causeLines = (cause: ConflictCause | null): readonly PromptText[] =>
  cause === null
    ? []
    : [
        promptLine`They came with an operation of ${formatActor(cause.actor)}: "${cause.description}" (${cause.operation.slice(0, 12)}).`,
      ];

const formatActor = (actor: string): string =>
  actor === "terminal" ? "a person in a terminal" : actor === "hox" ? "a person in the app" : actor;
