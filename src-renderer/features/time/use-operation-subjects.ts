/** The commits that operations name: each is requested once, while the list is on screen. */
import { useEffect, useState } from "react";
import { create } from "zustand";
import type { RunOperations } from "#shared/contract/commands/replay.ts";
import type { Operation } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { changeOfKey, subjectOf, useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { commitsNamed, type Subjects } from "./operation-text.ts";

/** Of one question to the host. */
const maxRequestedOperations = 500;
/** A burst of operations is one question. */
const restMs = 150;

const useSubjects = create<{ readonly repository: string | null; readonly known: Subjects }>(() => ({
  repository: null,
  known: {},
}));
/** Asked already, found or not. */
let asked = new Set<string>();

export function useOperationSubjects(operations: readonly Operation[]): Subjects {
  const repository = useHost((state) => state.repository?.path ?? null);
  const known = useSubjects((state) => (state.repository === repository ? state.known : none));
  useEffect(() => {
    if (useSubjects.getState().repository !== repository) {
      useSubjects.setState({ repository, known: {} });
      asked = new Set();
    }
    const timer = setTimeout(() => {
      const commits = commitsNamed(operations)
        .filter((commit) => !asked.has(commit))
        .slice(0, maxRequestedOperations);
      if (commits.length === 0) return;
      for (const commit of commits) asked.add(commit);
      void attempt("The changes of the operations could not be read", async () => {
        const found = await client.operation.subjects({ commits });
        useSubjects.setState((state) =>
          state.repository === repository ? { known: { ...state.known, ...titled(found) } } : {},
        );
      });
    }, restMs);
    return () => clearTimeout(timer);
  }, [operations, repository]);
  return known;
}

/** Many a change gets its words only by the operation that names it: then it is known by those that it has now. */
function titled(found: Subjects): Subjects {
  const { graph } = useGraph.getState();
  return Object.fromEntries(
    Object.entries(found).map(([commit, { changeId, title }]) => {
      const now = title === "" && graph ? changeOfKey(graph, changeId) : null;
      return [commit, { changeId, title: now ? subjectOf(now) : title }];
    }),
  );
}

const none: Subjects = {};

const runOperationsNone: RunOperations = { operations: [], titles: {} };

/**
 * All operations of a run's time: asked for once, and kept up with by what the window hears anyway.
 *
 * @param to null: the run is active
 */
export function useRunOperations(run: string | null, from: number, to: number | null): RunOperations {
  const [read, setRead] = useState<{ readonly run: string; readonly value: RunOperations } | null>(null);
  const heard = useHost((state) => state.operations);
  useEffect(() => {
    let isWanted = run !== null;
    if (run !== null)
      void attempt("The operations of the run could not be read", async () => {
        const value = await client.replay.operations({ from, to });
        if (isWanted) setRead({ run, value });
      });
    return () => {
      isWanted = false;
    };
  }, [run, from, to]);
  // The window hears the newest only: they are kept one by one, or those in between would be missing.
  useEffect(() => {
    if (to !== null) return;
    setRead((before) => {
      if (before === null) return before;
      const operations = joined(before.value.operations, heard, from);
      return operations === before.value.operations
        ? before
        : { ...before, value: { ...before.value, operations } };
    });
  }, [from, to, heard]);
  return read !== null && read.run === run ? read.value : runOperationsNone;
}

/** @param heard the newest first */
function joined(
  known: readonly Operation[],
  heard: readonly Operation[],
  from: number,
): readonly Operation[] {
  const ids = new Set(known.map(({ id }) => id));
  const fresh = heard.filter(({ id, time, parents }) => time >= from && parents.length > 0 && !ids.has(id));
  return fresh.length === 0 ? known : [...known, ...fresh.toReversed()];
}
