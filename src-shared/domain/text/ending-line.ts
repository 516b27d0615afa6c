/** What is waited for when Hox has been asked to end. */
export interface Ending {
  /** Names of the agents whose work is being saved. */
  readonly saving: readonly string[];
  /** Other work in progress, after "Waiting for"; null: none. */
  readonly waitsFor: string | null;
}

const named = 4;

/** The line after a request to end Hox, with the way to end it without waiting. */
export function endingLine({ saving, waitsFor }: Ending): string {
  const work = saving.length === 0 ? "" : ` the work of ${listed(saving)}`;
  const wait = waitsFor === null ? "" : ` Waiting for ${waitsFor}.`;
  return `Saving${work}…${wait} Ctrl-C again quits immediately; acknowledged changes are on disk.`;
}

function listed(names: readonly string[]): string {
  const rest = names.length > named ? `${names.length - named + 1} others` : (names.at(-1) ?? "");
  const first = names.slice(0, Math.min(names.length, named) - 1);
  return first.length === 0 ? rest : `${first.join(", ")} and ${rest}`;
}

/** What they read when they did not want to wait. */
export const endedLine = "Quit immediately. The next start recovers unsaved work and resumes the run.";
