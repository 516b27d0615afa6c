/** Measuring the panel: its dialog, and the last calibration of this repository, also while it goes on. */
import { create } from "zustand";
import type { CalibrationView } from "#shared/contract/views/calibration.ts";
import { client } from "../client.ts";
import { closeValidation, openValidation, useChangeValidations } from "./change-validation.ts";
import { attempt } from "./notice-store.ts";
import { shownPath } from "./repositories.ts";

interface CalibrationState {
  readonly isOpen: boolean;
  /** The change whose verdict was looked at before; it is looked at again afterwards. */
  readonly from: string | null;
  /** Undefined until it was asked for; null: nobody has measured anything here. */
  readonly last: CalibrationView | null | undefined;
}

export const useCalibration = create<CalibrationState>(() => ({
  isOpen: false,
  from: null,
  last: undefined,
}));

/** One dialog at a time: that of a verdict waits. */
export function openCalibration(): void {
  const from = useChangeValidations.getState().open;
  closeValidation();
  useCalibration.setState({ isOpen: true, from, last: undefined });
  void attempt("The last calibration could not be read", load);
}

export function closeCalibration(): void {
  const { from } = useCalibration.getState();
  useCalibration.setState({ isOpen: false, from: null });
  if (from !== null) openValidation(from);
}

async function load(): Promise<void> {
  const last = await client.calibration.last();
  useCalibration.setState({ last });
  if (last !== null && last.end === null) await follow(last.id);
}

/** The one that is being followed. */
let followed: string | null = null;

/** Hears of every commit that was judged until it is over; whoever closes the dialog still finds it. */
async function follow(id: string): Promise<void> {
  if (followed === id) return;
  followed = id;
  try {
    const of = shownPath();
    for (let version = 0; ; ) {
      const progress = await client.calibration.more({ id, after: version });
      // It is asked for again where its repository comes back on screen.
      if (shownPath() !== of) return;
      version = progress.version;
      useCalibration.setState({ last: progress.value });
      if (progress.value.end !== null) return;
    }
  } finally {
    followed = null;
  }
}

export interface CalibrationInput {
  /** Null: what a run would be built on. */
  readonly change: string | null;
  readonly perKind: number;
}

/** @throws what the host refuses */
export async function beginCalibration(input: CalibrationInput): Promise<void> {
  const { id } = await client.calibration.begin(input);
  void attempt("The calibration cannot be followed", () => follow(id));
}

export const cancelCalibration = (id: string): Promise<unknown> =>
  attempt("It was not cancelled", () => client.calibration.cancel({ id }));
