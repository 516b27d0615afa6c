/** Verdicts on changes that no run asked for: the last one of each change that was looked at, also while it is on its way. */
import { useEffect } from "react";
import { create } from "zustand";
import type { ChangeValidation } from "#shared/contract/commands/validation.ts";
import { client } from "../client.ts";
import { attempt } from "./notify.ts";
import { shownPath } from "./repositories.ts";

interface ChangeValidations {
  /** The change whose dialog is open. */
  readonly open: string | null;
  /** By change id; null: not judged yet. */
  readonly last: Readonly<Record<string, ChangeValidation | null>>;
}

export const useChangeValidations = create<ChangeValidations>(() => ({ open: null, last: {} }));

export const openValidation = (changeId: string): void => useChangeValidations.setState({ open: changeId });
export const closeValidation = (): void => useChangeValidations.setState({ open: null });

const keep = (changeId: string, value: ChangeValidation | null): void =>
  useChangeValidations.setState(({ last }) => ({ last: { ...last, [changeId]: value } }));

/** Those that are being followed, by id. */
const followed = new Set<string>();

/** Receives every vote until the end, so that a reopened dialog shows them. */
async function follow(changeId: string, id: string): Promise<void> {
  if (followed.has(id)) return;
  followed.add(id);
  try {
    const of = shownPath();
    for (let version = 0; ; ) {
      const progress = await client.change.validateMore({ id, after: version });
      // It is asked for again where its repository comes back on screen.
      if (shownPath() !== of) return;
      version = progress.version;
      keep(changeId, progress.value);
      if (progress.value.end !== null) return;
    }
  } finally {
    followed.delete(id);
  }
}

async function load(changeId: string): Promise<void> {
  const value = await client.change.lastValidation({ changeId });
  keep(changeId, value);
  if (value !== null && value.end === null) await follow(changeId, value.id);
}

/** @throws what the host refuses */
export async function beginValidation(changeId: string, goal: string): Promise<void> {
  const { id } = await client.change.validate({ change: changeId, goal: goal.trim() === "" ? null : goal });
  void attempt("The votes cannot be shown", () => follow(changeId, id));
}

export const cancelValidation = (id: string): Promise<unknown> =>
  attempt("The validation was not cancelled", () => client.change.cancelValidate({ id }));

/** The last verdict on a change; undefined while it is asked for. */
export function useLastValidation(changeId: string): ChangeValidation | null | undefined {
  useEffect(() => {
    void attempt("The last verdict could not be read", () => load(changeId));
  }, [changeId]);
  return useChangeValidations(({ last }) => last[changeId]);
}
