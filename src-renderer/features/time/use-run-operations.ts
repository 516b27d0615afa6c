/** All operations of a run's time: asked for once, and kept up with by what the window hears anyway. */
import { useEffect, useState } from "react";
import type { RunOperations } from "#shared/contract/views/replay.ts";
import type { Operation } from "#shared/graph/change.ts";
import { client } from "../../client.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";

const none: RunOperations = { operations: [], titles: {} };

/** @param to null: the run is active */
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
  return read !== null && read.run === run ? read.value : none;
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
