/**
 * Labels that the user sets on a change in a terminal: a decision for all below an orchestrator, or a message
 * to an address. (HOX-2.4)
 */

import type { AnyEvent } from "../any-event.ts";
import { compareOrchestrators, isAddress, matchesAddress } from "../change-metadata/address.ts";
import type { Metadata } from "../change-metadata/metadata.ts";

/** A label of a change as it was read. Plain JSON. */
interface Label {
  /** The same as long as the change says the same: it is carried out once. */
  readonly key: string;
  readonly changeId: string;
  readonly kind: "decision" | "message";
  /** An address: whose readers are meant. Of a decision: the orchestrator above all that it binds. */
  readonly to: string;
  readonly title: string;
  readonly text: string;
}

export interface LabelOfRun extends Label {
  /** It was shown, sent, or refused with a reason. */
  readonly isSettled: boolean;
}

export type LabelEvent =
  | { readonly kind: "LabelFound"; readonly label: Label }
  | { readonly kind: "LabelSettled"; readonly key: string };

/** Adds an event. A change's newest label replaces an earlier one that was not applied yet. */
export function reduceLabels(
  before: readonly LabelOfRun[],
  given: LabelEvent | AnyEvent,
): readonly LabelOfRun[] {
  const event = given as LabelEvent;
  switch (event.kind) {
    case "LabelFound": {
      const { label } = event;
      if (before.some(({ key }) => key === label.key)) return before;
      const others = before.filter((one) => one.isSettled || one.changeId !== label.changeId);
      return [...others, { ...label, isSettled: false }];
    }
    case "LabelSettled":
      return before.some((one) => one.key === event.key && !one.isSettled)
        ? before.map((one) => (one.key === event.key ? { ...one, isSettled: true } : one))
        : before;
    default:
      return before;
  }
}

/** A change that the user may have labelled. `subject` and `body` are its description without trailers. */
export interface LabelledChange {
  readonly changeId: string;
  readonly subject: string;
  readonly body: string;
  readonly metadata: Metadata;
}

/** A label as written on a change. `to` is null without an address, which is valid for a decision only. */
export type WrittenLabel = Omit<Label, "key" | "to"> & { readonly to: string | null };

/** The label of a change; null if there is none. */
export function labelOf({ changeId, subject, body, metadata }: LabelledChange): WrittenLabel | null {
  const { kind, msgTo, msgType, orchestrator } = metadata;
  if (metadata.run !== undefined || metadata.status === "abandoned") return null;
  const text = body === "" ? subject : `${subject}\n\n${body}`;
  const words = { changeId, title: subject, text };
  if (kind === "mutation" || msgType === "mutation") {
    const to = orchestrator ?? msgTo?.split("/")[0] ?? null;
    return { ...words, kind: "decision", to };
  }
  if (msgTo === undefined || !isAddress(msgTo)) return null;
  return { ...words, kind: "message", to: msgTo };
}

/** An active run: its root, and all its orchestrators so far. */
export interface AddressedRun {
  readonly root: string;
  readonly orchestrators: readonly string[];
}

/**
 * The roots of the runs that an address reaches: those in which it matches an orchestrator or a worker of
 * one. (HOX-2.3)
 */
export function rootsReached(address: string, runs: readonly AddressedRun[]): readonly string[] {
  const [orchestrator = ""] = address.split("/");
  return runs
    .filter(({ root, orchestrators }) =>
      [root, ...orchestrators].some((name) =>
        matchesAddress(orchestrator, { orchestrator: name, agent: null }),
      ),
    )
    .map(({ root }) => root);
}

/** The one of several runs that reports what concerns them all, so that it is reported once. */
export const spokesman = (roots: readonly string[]): string | undefined =>
  roots.toSorted(compareOrchestrators)[0];

/** Questions that a description asks: what follows `ALIGN:` at the beginning of a line. Each once. (HOX-4.1) */
export const alignQuestions = (description: string): readonly string[] => [
  ...new Set(
    [...description.matchAll(/^ALIGN:(.*)$/gmu)]
      .map(([, question = ""]) => question.trim())
      .filter((question) => question !== ""),
  ),
];
