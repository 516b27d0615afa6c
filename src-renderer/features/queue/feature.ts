import type { Feature } from "../../registry/feature.ts";
import { queueKeys } from "./queue-store.ts";

/** The tasks in the order in which they are worked on. */
export const queue: Feature = { keys: [queueKeys] };
