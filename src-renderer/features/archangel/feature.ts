import type { Feature } from "../../registry/feature.ts";
import { commentActions } from "./comment-actions.ts";
import { commentKeys } from "./comment-card.tsx";

/** Reviewers in the background, and what they say. */
export const archangel: Feature = { actions: commentActions, keys: [commentKeys] };
