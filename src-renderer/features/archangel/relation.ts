import type { CommentView } from "#shared/contract/views/archangel.ts";
import type { Tone } from "../../kit/badge.tsx";

/** How a comment stands to the plan, on its badge. */
export const relations: Readonly<
  Record<CommentView["relation"], { readonly label: string; readonly tone: Tone }>
> = {
  off_plan: { label: "off plan", tone: "warning" },
  completes_step: { label: "completes a step", tone: "success" },
  missing_step: { label: "missing step", tone: "info" },
  remark: { label: "remark", tone: "neutral" },
  risk: { label: "risk", tone: "danger" },
};
