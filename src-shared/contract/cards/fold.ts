import type { BeyondTask } from "../../domain/beyond-task.ts";
import type { CheckResult } from "../../domain/conversation.ts";
import type { FoldVoice } from "../../domain/fold.ts";
import type { CardBase } from "./card.ts";

/** An agent's finished work that a person judges: accept it, ask for changes, or give the task up. (HYLO-6) */
export interface FoldCard extends CardBase {
  readonly kind: "fold";
  /** The agent, its task and the change that it offers. */
  readonly from: string;
  readonly title: string;
  readonly changeId: string;
  readonly commitId: string;
  readonly round: number;
  /** Why a person is asked: always, because the parent leaves it to one, or after too many rounds. */
  readonly why: "person-reviews" | "passed-on" | "too-many-rounds";
  readonly summary: string;
  readonly diff: string;
  /** Files in it that the task was not given, and contracts. Absent on cards of earlier versions. (HYLO-16) */
  readonly beyond?: readonly BeyondTask[];
  /** Of a fresh checkout of that commit. */
  readonly checks: readonly CheckResult[];
  readonly voices: readonly FoldVoice[];
}
