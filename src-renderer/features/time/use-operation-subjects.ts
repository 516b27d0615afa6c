/** The commits that operations name: each is requested once, while the list is on screen. */
import { useEffect } from "react";
import { create } from "zustand";
import type { Operation } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { changeOfKey, subjectOf, useGraph } from "../../state/graph-store.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { commitsNamed, type Subjects } from "./operation-words.ts";

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
