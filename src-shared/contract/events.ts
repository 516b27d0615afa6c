import type { ConversationRow } from "../domain/conversation/conversation.ts";
import type { Patch } from "../domain/patch.ts";
import type { Present } from "../domain/people/role.ts";
import type { Change, GraphDelta, Operation, Refs } from "../graph/change.ts";
import type { RunSnapshot, RunUpdate } from "../run/live.ts";
import type { InboxItem } from "./cards.ts";
import type { AppView, OpenRepositoryView, RepositoryView } from "./views/app.ts";

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
      /** Who is connected. Absent: the host has one user. */
      readonly present?: readonly Present[];
    }
  /** Who is connected and what they look at; replaces the list. */
  | { readonly kind: "presence"; readonly present: readonly Present[] }
  | { readonly kind: "app"; readonly app: AppView }
  /** The open repositories with their status; replaces the list. */
  | { readonly kind: "open-repositories"; readonly repositories: readonly OpenRepositoryView[] }
  /** The repository that this window shows was opened (graph parts follow), is being opened, or was closed (null). */
  | { readonly kind: "repository"; readonly repository: RepositoryState | null }
  /** The shown repository's name or runs changed; its graph stays. */
  | { readonly kind: "repository-view"; readonly view: RepositoryView }
  | { readonly kind: "repository-opening"; readonly path: string; readonly step: string }
  /**
   * One part of a whole graph, in log order; `last` marks the end. A part with `first` starts anew. `operations`: short ids of
   * the newest operations that it shows, with the last part.
   */
  | {
      readonly kind: "graph-part";
      readonly operation: string;
      readonly first: boolean;
      readonly last: boolean;
      readonly changes: readonly Change[];
      readonly refs: Refs;
      readonly operations: readonly string[];
    }
  /** `operations`: short ids of those that it brings. `refs`: what changed in them; null: nothing. */
  | {
      readonly kind: "graph-delta";
      readonly delta: Omit<GraphDelta, "refs">;
      readonly refs: Patch | null;
      readonly operations: readonly string[];
    }
  /** Operations since the last event of this kind, newest first. */
  | { readonly kind: "operations"; readonly newer: readonly Operation[] }
  /** A run that is shown from now on. */
  | { readonly kind: "run"; readonly run: RunSnapshot }
  | { readonly kind: "run-update"; readonly update: RunUpdate }
  | { readonly kind: "inbox"; readonly items: readonly InboxItem[] }
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
      /** Root of the repository that it is about, where windows that show another one get it too. */
      readonly repository?: string;
    };

export interface RepositoryState {
  readonly view: RepositoryView;
  /** Runs that are active, or ended since the last one began; in the order in which they began. */
  readonly runs: readonly RunSnapshot[];
  /** The one that is shown where nobody chose: the last that is active, else the last of all. */
  readonly run: string | null;
  readonly inbox: readonly InboxItem[];
  readonly operations: readonly Operation[];
}

/** Heartbeat interval of an idle host (ms). */
export const beatMs = 5_000;

/**
 * After this time without an event (ms) a window shows that the host is not responding: two heartbeats are
 * missing.
 */
export const silenceMs = 2 * beatMs + 2_000;
