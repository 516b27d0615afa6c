/** The people who share this host, and what each of them looks at. */
import { type Look, lookAtNothing, type Present } from "#shared/domain/people/role.ts";
import { client } from "../client.ts";
import { useConnection } from "./connection.ts";
import { useHost, usePartOfHost } from "./host-store.ts";
import { useSelection, workerOfKey } from "./selection-store.ts";

/** Everybody else who is connected. */
export const useOthers = (): readonly Present[] =>
  usePartOfHost(({ present, app }) => present.filter(({ name }) => name !== (app?.me?.name ?? app?.owner)));

/** Those of them whose window shows this worker of the run that is shown here. */
export const useLookers = (worker: string | null): readonly Present[] => {
  const repository = useHost((state) => state.repository?.path ?? null);
  const run = useHost((state) => state.run?.id ?? null);
  return useOthers().filter(
    (one) => worker !== null && one.worker === worker && one.run === run && one.repository === repository,
  );
};

/** How long this window looks at something before the others hear of it (ms). */
const restMs = 300;
let card: string | null = null;
let sent = JSON.stringify(lookAtNothing);
let timer: ReturnType<typeof setTimeout> | undefined;

function lookNow(): Look {
  const { repository, run } = useHost.getState();
  const { selected } = useSelection.getState();
  const named = workerOfKey(selected);
  const worker = run?.workers.find(({ changeId, name }) => changeId === selected || name === named);
  return {
    repository: repository?.path ?? null,
    run: run?.id ?? null,
    worker: worker?.name ?? null,
    card,
  };
}

function tellSoon(): void {
  if (useHost.getState().app?.owner === undefined || timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    const look = lookNow();
    const text = JSON.stringify(look);
    if (text === sent) return;
    sent = text;
    // Nobody waits for it, and the next one says it again.
    client.presence.look(look).catch(() => {
      sent = "";
    });
  }, restMs);
}

/** Tells the others what this window looks at, where there are others. */
export function followLooks(): void {
  useHost.subscribe(tellSoon);
  useSelection.subscribe(tellSoon);
  // A new connection knows nothing of it.
  useConnection.subscribe((now, before) => {
    if (now.connection.kind !== "open" || before.connection.kind === "open") return;
    sent = JSON.stringify(lookAtNothing);
    tellSoon();
  });
}

/** Says that the user is about to answer a card, or (null) no longer. */
export function lookAtCard(id: string | null): void {
  if (card === id) return;
  card = id;
  tellSoon();
}
