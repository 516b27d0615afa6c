import type { Feature } from "../../registry/feature.ts";
import { callKeys } from "./call-keys.ts";

/** Whatever is selected, with what its agent says and does. */
export const inspector: Feature = { keys: [callKeys] };
