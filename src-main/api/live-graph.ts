import type { HostEvent } from "#shared/contract/events.ts";
import type { Change, GraphDelta, GraphSnapshot, Refs } from "#shared/graph/change.ts";

/** The first part is small so that something stands on screen early; later ones are cheap per row. */
const firstPart = 200;
const nextParts = 1_000;

/** The graph that clients see: what was read so far, with every delta since. */
export class LiveGraph {
  #operation = "";
  #changes: readonly Change[] = [];
  #byCommit = new Map<string, Change>();
  #refs: Refs = { bookmarks: {}, workspaces: {} };
  #complete = false;

  /** Takes rows of a graph that is being read and answers with the event that tells of them. */
  append(changes: readonly Change[], operation: string): HostEvent {
    const first = this.#changes.length === 0;
    this.#operation = operation;
    this.#changes = first ? changes : [...this.#changes, ...changes];
    for (const change of changes) this.#byCommit.set(change.commitId, change);
    return { kind: "graph-part", operation, first, last: false, changes, refs: this.#refs };
  }

  /** Takes what is still missing of the graph that was read, and its names. */
  finish(graph: GraphSnapshot): HostEvent {
    const rest = graph.changes.slice(this.#changes.length);
    const part = this.append(rest, graph.operation);
    this.#refs = graph.refs;
    this.#complete = true;
    return { ...part, last: true, refs: graph.refs } as HostEvent;
  }

  get operation(): string {
    return this.#operation;
  }

  get refs(): Refs {
    return this.#refs;
  }

  find(commitId: string): Change | undefined {
    return this.#byCommit.get(commitId);
  }

  /** The version of a change that is on screen; undefined when there is none, or more than one. */
  findChange(changeId: string): Change | undefined {
    const found = this.#changes.filter((change) => change.changeId === changeId);
    return found.length === 1 ? found[0] : undefined;
  }

  /**
   * New rows go on top: a commit cannot be the parent of an older one, so children still come before parents.
   * A row that is read again (its bookmark moved, it became divergent) keeps its place.
   */
  apply(delta: GraphDelta): void {
    const gone = new Set(delta.removed);
    const added = new Map(delta.added.map((change) => [change.commitId, change]));
    const kept: Change[] = [];
    for (const change of this.#changes) {
      const again = added.get(change.commitId);
      if (again) {
        kept.push(again);
        added.delete(change.commitId);
      } else if (!gone.has(change.commitId)) kept.push(change);
    }
    this.#changes = added.size === 0 ? kept : [...added.values(), ...kept];
    for (const commit of gone) this.#byCommit.delete(commit);
    for (const change of delta.added) this.#byCommit.set(change.commitId, change);
    this.#operation = delta.operation;
    this.#refs = delta.refs;
  }

  /** The whole graph as events, in log order. */
  parts(): readonly HostEvent[] {
    const events: HostEvent[] = [];
    let at = 0;
    do {
      const end = at + (at === 0 ? firstPart : nextParts);
      events.push({
        kind: "graph-part",
        operation: this.#operation,
        first: at === 0,
        last: this.#complete && end >= this.#changes.length,
        changes: this.#changes.slice(at, end),
        refs: this.#refs,
      });
      at = end;
    } while (at < this.#changes.length);
    return events;
  }
}
