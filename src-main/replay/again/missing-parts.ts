/** What of a run cannot be done again, or not be compared, in words for people. */
import { counted } from "#shared/domain/text/counted.ts";
import type { Recording } from "../recording.ts";
import { replacedFile } from "./recorded-works.ts";

/** What people did beside cards; nobody does it again. */
const byPeople: Readonly<Record<string, string>> = {
  TakenOver: "took work over",
  WorkUndone: "undid work",
  HandedBack: "gave work back",
  StatusSaid: "set a status by hand",
};

/** @param hasFiles whether somebody knows what the files held */
export function missingIn(
  { input, attachments, moments, conversations, works }: Recording,
  hasFiles: boolean,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { event } of moments) {
    const words =
      event.kind === "StageMoved"
        ? event.event.kind === "Stop" && event.event.by === "person"
          ? "stopped the run"
          : event.event.kind === "Pause"
            ? "paused the run"
            : undefined
        : event.kind === "AttemptAdded" && event.origin !== null
          ? "forked a conversation"
          : byPeople[event.kind];
    if (words) counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const replaced = new Set(
    works.flatMap(({ files }) => Object.keys(files).filter((path) => files[path] === replacedFile)),
  ).size;
  const broken = Object.entries(conversations).filter(
    ([, rows]) =>
      rows.length > 0 &&
      rows.some(({ kind }) => kind === "usage") &&
      rows.every(({ kind }) => kind !== "prompt"),
  );
  return [
    ...(hasFiles
      ? []
      : [
          "What the files held at the end is not in this recording: export the run again with this version to have it compared.",
        ]),
    ...(replaced > 0
      ? [
          `In ${counted(replaced, "file")} something was replaced when the run was exported; what they hold is not compared.`,
        ]
      : []),
    ...input.attachments
      .filter(({ name }) => !attachments.some((one) => one.name === name))
      .map(({ name }) => `${name}, which was attached to the goal, is not in this recording.`),
    ...broken.map(([worker]) => `What ${worker} was asked is not in this recording.`),
    ...[...counts].map(
      ([words, count]) => `A person ${words}${count > 1 ? ` (${count} times)` : ""}; nobody does it again.`,
    ),
  ];
}
