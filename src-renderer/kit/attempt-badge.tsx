import { GitFork } from "lucide-react";
import { Badge } from "./badge.tsx";

interface AttemptBadgeProps {
  /** Counted from 1. */
  readonly nth: number;
  readonly of: number;
  readonly isChosen: boolean;
}

/** Which of several attempts at one task this is. */
export const AttemptBadge = ({ nth, of, isChosen }: AttemptBadgeProps) => (
  <Badge
    tone={isChosen ? "accent" : "info"}
    className="shrink-0"
    title={`Attempt ${nth} of ${of} at this task${isChosen ? ", which you chose" : ": you choose one"}`}
  >
    <GitFork size={10} aria-hidden />
    <span className="sr-only">attempt </span>
    {nth}/{of}
  </Badge>
);
