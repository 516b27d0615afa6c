import { Hand, Mail, MessageSquareText, Radar } from "lucide-react";
import type { WorkerView } from "#shared/contract/views/run.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Names } from "#shared/graph/change-graph.ts";
import { AttemptBadge, Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/class-names.ts";
import { useAttemptBadge } from "../../state/attempts-store.ts";
import { useOpenComments } from "../../state/comments.ts";
import { useBookmarkConflict } from "../../state/graph-store.ts";
import { useConflictReason, useUnread } from "../../state/host-store.ts";
import { type Meetings, meetingNames, meetingTitle } from "../../state/radar.ts";
import { conflictOf } from "../model/change-facts.ts";

interface ChangeBadgesProps {
  readonly change: Change;
  readonly names: Names;
  readonly worker: WorkerView | null;
  /** Whom its agent is about to meet. */
  readonly meetings: Meetings;
  /** Names that have room; the rest is counted. */
  readonly most: number;
}

/** The names of an assignment repeat what the avatar says; where there is little room the subject needs their place. */
const whereRoom = { alone: "@max-[620px]/graph:hidden", withConflict: "@max-[960px]/graph:hidden" } as const;

/** Conflict, collision ahead, divergence, bookmarks, workspaces, unread messages and comments of one change. */
export function ChangeBadges({ change, names, worker, meetings, most }: ChangeBadgesProps) {
  const unread = useUnread(worker);
  const comments = useOpenComments(change.changeId);
  const { agent, orchestrator } = change.metadata;
  const assignment = `${orchestrator}/${agent}`;
  const conflict = conflictOf(change, worker);
  const why = useConflictReason(worker);
  const repeated = whereRoom[conflict || meetings.length > 0 ? "withConflict" : "alone"];
  const shown = names.bookmarks.slice(0, most);
  const rest = names.bookmarks.length - shown.length;
  const attempt = useAttemptBadge(worker?.name ?? null);
  return (
    <>
      {attempt && <AttemptBadge {...attempt} />}
      {conflict && (
        <Badge tone="danger" className="shrink-0" {...(why ? { title: why } : {})}>
          {conflict}
        </Badge>
      )}
      {worker?.byHand && (
        <Badge tone="info" className="shrink-0" title="This task is assigned to you; its agent is paused">
          <Hand size={10} aria-hidden />
          <span className="@max-[620px]/graph:hidden">assigned to you</span>
        </Badge>
      )}
      {meetings.length > 0 && (
        <Badge tone="warning" title={meetingTitle(meetings)}>
          <Radar size={10} className="shrink-0" aria-hidden />
          {/* Beside a conflict the sign alone is enough where the subject needs the room. */}
          <span className={cx("truncate", conflict && "@max-[620px]/graph:hidden")}>
            <span className="@max-[620px]/graph:hidden">would conflict with </span>
            {meetingNames(meetings)}
          </span>
        </Badge>
      )}
      {change.divergent && (
        <Badge tone="warning" title="Several commits have this change ID; choose one and abandon the others">
          divergent
        </Badge>
      )}
      {shown.map((name) => (
        <BookmarkBadge key={name} name={name} className={name === assignment ? repeated : ""} />
      ))}
      {rest > 0 && <Badge title={names.bookmarks.slice(most).join(", ")}>+{rest}</Badge>}
      {names.workspaces.map((name) => (
        <Badge
          key={name}
          mono
          title={`working copy of the workspace ${name}`}
          className={name === agent || name === orchestrator ? repeated : ""}
        >
          <span className="truncate">{name === "default" ? "@" : `${name}@`}</span>
        </Badge>
      ))}
      {unread > 0 && (
        <Badge tone="info" title={`${unread} unread ${unread === 1 ? "message" : "messages"}`}>
          <Mail size={10} aria-hidden />
          {unread}
        </Badge>
      )}
      {comments > 0 && (
        <Badge title={comments === 1 ? "1 open comment" : `${comments} open comments`}>
          <MessageSquareText size={10} aria-hidden />
          {comments}
        </Badge>
      )}
    </>
  );
}

function BookmarkBadge({ name, className }: { readonly name: string; readonly className: string }) {
  const conflict = useBookmarkConflict(name);
  return (
    <Badge
      tone={conflict ? "danger" : "accent"}
      mono
      className={className}
      title={conflict ? `bookmark ${name}, conflicted: it points to several changes` : `bookmark ${name}`}
    >
      {name}
    </Badge>
  );
}
