import { colourOf } from "../../kit/avatar.tsx";

/** The colour of a worker; without one, that of planned work. */
export const laneColour = (worker: string | null): string =>
  worker === null ? "var(--line-strong)" : colourOf(worker);
