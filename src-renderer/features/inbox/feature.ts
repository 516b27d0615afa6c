import type { Feature } from "../../registry/feature.ts";
import { inboxKeys } from "./inbox-keys.ts";

/** What waits for a person. */
export const inbox: Feature = { keys: [inboxKeys] };
