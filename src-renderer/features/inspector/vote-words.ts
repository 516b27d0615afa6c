/** Votes and verdicts in words, signs and colours. */
import {
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  Clock,
  type LucideIcon,
  TriangleAlert,
  X,
} from "lucide-react";
import type { SeatView, ValidationView } from "#shared/domain/validation/panel.ts";
import type { Tone } from "../../kit/badge.tsx";

interface VoteSign {
  readonly Icon: LucideIcon;
  readonly className: string;
  readonly words: string;
}

export const voteSigns: Readonly<Record<SeatView["vote"], VoteSign>> = {
  pending: { Icon: CircleDashed, className: "text-faint", words: "judging" },
  approve: { Icon: Check, className: "text-success", words: "approves" },
  reject: { Icon: X, className: "text-danger", words: "rejects" },
  abstain: { Icon: CircleSlash, className: "text-muted", words: "abstains" },
  error: { Icon: TriangleAlert, className: "text-warning", words: "gave an invalid vote" },
  "timed-out": { Icon: Clock, className: "text-warning", words: "timed out" },
  void: { Icon: Ban, className: "text-warning", words: "void: judged a different commit" },
};

export const verdictTones: Readonly<Record<ValidationView["verdict"], { tone: Tone; words: string }>> = {
  open: { tone: "neutral", words: "voting" },
  approved: { tone: "success", words: "approved" },
  rejected: { tone: "danger", words: "rejected" },
  vetoed: { tone: "danger", words: "vetoed by a check" },
  undecided: { tone: "warning", words: "undecided" },
};

/** Earlier judges of the seat; empty without any. */
export const formatJudgeCount = (judges = 1): string => (judges === 1 ? "" : `${judges} judges in turn`);
