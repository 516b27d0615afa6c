import { colourOf } from "../../kit/avatar.tsx";

/** The one colour of a worker; of nobody yet, the colour of what is only planned. */
export const laneColour = (worker: string | null): string =>
  worker === null ? "var(--line-strong)" : colourOf(worker);
