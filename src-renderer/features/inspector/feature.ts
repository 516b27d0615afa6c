import type { Feature } from "../../registry/feature.ts";
import { callKeys } from "./call-keys.ts";
import { goToWorkerCommands } from "./go-to-worker.ts";

/** Whatever is selected, with what its agent says and does. */
export const inspector: Feature = { commands: goToWorkerCommands, keys: [callKeys] };
