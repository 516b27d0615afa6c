import { CircleCheck, CircleDot } from "lucide-react";
import type { IssueView } from "#shared/contract/commands/start.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../../kit/badge.tsx";

const maxLabels = 3;

type IssueRowProps = Pick<IssueView, "number" | "title" | "isOpen" | "labels">;

/** State, number, title and labels, in one line. */
export function IssueRow({ number, title, isOpen, labels }: IssueRowProps) {
  const more = labels.length - maxLabels;
  return (
    <>
      {isOpen ? (
        <CircleDot size={13} className="shrink-0 text-success" role="img" aria-label="Open" />
      ) : (
        <CircleCheck size={13} className="shrink-0 text-muted" role="img" aria-label="Closed" />
      )}
      <span className="shrink-0 text-muted tabular-nums">#{number}</span>
      <span className="min-w-0 flex-1 truncate" dir="auto" title={shownLine(title)}>
        {shownLine(title)}
      </span>
      {!isOpen && <span className="shrink-0 text-xs text-muted">closed</span>}
      {labels.slice(0, maxLabels).map((label) => (
        <Badge key={label} title={shownLine(label)} className="max-w-28">
          {shownLine(label)}
        </Badge>
      ))}
      {more > 0 && <span className="shrink-0 text-xs text-muted">+{more}</span>}
    </>
  );
}
