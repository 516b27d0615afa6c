import { useCallback, useEffect, useState } from "react";
import type { ChangeDetails } from "#shared/contract/commands/graph.ts";
import { client, type Failure, toFailure } from "../client.ts";
import { useConnection } from "./connection.ts";
import { attempt } from "./notify.ts";

export type Loaded<T> =
  | { readonly kind: "loading"; readonly last: T | null }
  | { readonly kind: "loaded"; readonly value: T }
  /** `again` asks once more. */
  | { readonly kind: "failed"; readonly failure: Failure; readonly again: () => void };

/**
 * Counts up whenever a failed request is to be repeated: when the host is back, or when the user
 * asks.
 */
export function useAgain(isFailed: boolean): { readonly times: number; readonly again: () => void } {
  const [times, setTimes] = useState(0);
  const again = useCallback(() => setTimes((count) => count + 1), []);
  useEffect(() => {
    if (!isFailed) return;
    return useConnection.subscribe(({ connection }, before) => {
      if (connection.kind === "open" && before.connection.kind !== "open") again();
    });
  }, [isFailed, again]);
  return { times, again };
}

/** How often the host was there again after it was not: what is on screen may have changed meanwhile. */
export const useReconnects = (): number => useAgain(true).times;

/**
 * Loads again when the key changes and keeps the last value meanwhile, so that nothing jumps. What failed is loaded again by
 * itself when the host is there again.
 */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ kind: "loading", last: null });
  const { times, again } = useAgain(state.kind === "failed");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names everything that the loader reads
  useEffect(() => {
    let current = true;
    setState((before) => ({ kind: "loading", last: shownValue(before) }));
    load().then(
      (value) => current && setState({ kind: "loaded", value }),
      (error: unknown) => current && setState({ kind: "failed", failure: toFailure(error), again }),
    );
    return () => {
      current = false;
    };
  }, [key, times]);
  return state;
}

/** `attempt`, one at a time: answers false while another one is under way. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const run = async (tried: string, intent: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    const isDone = await attempt(tried, intent);
    setBusy(false);
    return isDone;
  };
  return [isBusy, run] as const;
}

/** The value, once it has not changed for a while. */
export function useAtRest<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** Files, conflicts and problems of one commit. */
export const useChangeDetails = (commitId: string): Loaded<ChangeDetails> =>
  useLoaded(commitId, () => client.change.details({ commitId }));

/** The value to show now, if there is any. */
export const shownValue = <T>(loaded: Loaded<T>): T | null =>
  loaded.kind === "loaded" ? loaded.value : loaded.kind === "loading" ? loaded.last : null;

interface Submission<Step extends string> {
  /** What was sent and is not answered yet. */
  readonly sending: Step | null;
  /** What the host answered to the last try instead; null while the next is under way. */
  readonly failure: Failure | null;
  /** Sends, and tells the failure where that ends with one. A dialog closes itself at the end of its task. */
  readonly submit: (step: Step, task: () => Promise<void>) => Promise<void>;
}

/** Sending what a form asks for: one thing at a time, with its failure beside it. */
export function useSubmit<Step extends string>(): Submission<Step> {
  const [sending, setSending] = useState<Step | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const submit = async (step: Step, task: () => Promise<void>): Promise<void> => {
    setSending(step);
    setFailure(null);
    try {
      await task();
    } catch (error) {
      setFailure(toFailure(error));
    }
    setSending(null);
  };
  return { sending, failure, submit };
}
