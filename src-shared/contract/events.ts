import type { ConversationRow } from "../domain/conversation/conversation.ts";
import type { RunTimeline, TimelineNews } from "../domain/timeline/timeline.ts";
import type { Change, GraphDelta, Operation, Refs } from "../graph/change.ts";
import type { InboxItem } from "./cards.ts";
import type { AppView } from "./views/app.ts";
import type { MessageView } from "./views/message.ts";
import type { OpenRepositoryView } from "./views/open-repositories.ts";
import type { RepositoryView } from "./views/repository.ts";
import type { RunView } from "./views/run.ts";

/**
 * The stream of `watch`: all events of the repository that the window shows, and summaries of others. When
 * the window shows another one, the stream continues with its events. Each event has a number; a client that
 * reconnects sends the last one it saw and gets what it missed, or a new snapshot if the host no longer has
 * it.
 */
export interface NumberedEvent {
  /** 0 inside a snapshot that is not complete yet. */
  readonly seq: number;
  readonly event: HostEvent;
}

export type HostEvent =
  /** The host is there: sent where nothing else was for a while. Its number is 0. */
  | { readonly kind: "alive" }
  /** Replaces everything. The graph's rows follow in `graph-part` events when a repository is shown. */
  | {
      readonly kind: "snapshot";
      readonly app: AppView;
      /** The one that this window shows. */
      readonly repository: RepositoryState | null;
      /** All that are open in the host, the shown one among them. Absent: none. */
      readonly open?: readonly OpenRepositoryView[];
    }
  | { readonly kind: "app"; readonly app: AppView }
  /** The open repositories with their status; replaces the list. */
  | { readonly kind: "open-repositories"; readonly repositories: readonly OpenRepositoryView[] }
  /** The repository that this window shows was opened (graph parts follow), is being opened, or was closed (null). */
  | { readonly kind: "repository"; readonly repository: RepositoryState | null }
  /** The shown repository's name, runs or bookmarks changed; its graph stays. */
  | { readonly kind: "repository-view"; readonly view: RepositoryView }
  | { readonly kind: "repository-opening"; readonly path: string; readonly step: string }
  /** One part of a whole graph, in log order; `last` marks the end. A part with `first` starts again. */
  | {
      readonly kind: "graph-part";
      readonly operation: string;
      readonly first: boolean;
      readonly last: boolean;
      readonly changes: readonly Change[];
      readonly refs: Refs;
    }
  | { readonly kind: "graph-delta"; readonly delta: GraphDelta }
  /** The newest operations, newest first; replaces the list. */
  | { readonly kind: "operations"; readonly operations: readonly Operation[] }
  | { readonly kind: "run"; readonly run: RunView }
  /** What is new of what happened in a run; all of it where the run is another one than before. */
  | { readonly kind: "timeline"; readonly news: TimelineNews }
  | { readonly kind: "inbox"; readonly items: readonly InboxItem[] }
  | { readonly kind: "messages"; readonly messages: readonly MessageView[] }
  /** New rows, or the same last row grown (same index): text comes in pieces, batched. */
  | {
      readonly kind: "conversation";
      readonly run: string;
      readonly worker: string;
      readonly rows: readonly ConversationRow[];
    }
  | {
      readonly kind: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly remedy: string | null;
    };

/** An active run that is not shown, with its events. */
export interface OtherRunView {
  readonly run: RunView;
  readonly timeline: RunTimeline | null;
}

export interface RepositoryState {
  readonly view: RepositoryView;
  /** The run that is shown by default: the newest active one, else the newest. */
  readonly run: RunView | null;
  readonly timeline: RunTimeline | null;
  /** Other active runs, and those that ended since the newest one began. Absent: none. */
  readonly otherRuns?: readonly OtherRunView[];
  readonly inbox: readonly InboxItem[];
  readonly messages: readonly MessageView[];
  readonly operations: readonly Operation[];
}
