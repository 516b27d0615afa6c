import type { Feature } from "../../registry/feature.ts";
import { runActions } from "./run-actions.ts";

/** The run as a whole. */
export const run: Feature = { actions: runActions };
