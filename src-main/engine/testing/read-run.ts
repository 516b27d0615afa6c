/** What tests look up in a run again and again. */

import type { RunView } from "#shared/contract/views/run.ts";
import { translateRevset } from "#shared/domain/revset/revset.ts";
import type { Change } from "#shared/graph/change.ts";
import type { StandIn } from "../../model/stand-in/stand-in.ts";
import type { Engine } from "../engine-interface.ts";
import type { Fixture } from "./run-fixture.ts";

export const worker = (run: RunView | null, name: string) => run?.workers.find((one) => one.name === name);

/** Calls the listener with the run as screens show it, whenever that changes. */
export const onView = (
  engine: Pick<Engine, "listen" | "state">,
  listener: (run: RunView) => void,
): (() => void) =>
  engine.listen(({ kind }) => {
    const { run } = engine.state();
    if (run && (kind === "run" || kind === "run-update")) listener(run);
  });

/** What the model was asked as one worker. */
export const requestsOf = ({ standIn }: { readonly standIn: StandIn }, role: string) =>
  standIn.requests().filter((request) => request.seen.role === role);

/** The changes that a revset with Hox's functions names, also after landing, when their notes say what they are. */
export async function changesNamed(one: Pick<Fixture, "repo">, revset: string): Promise<readonly Change[]> {
  const { repository } = one.repo;
  const translated = translateRevset(revset, await repository.notes());
  if (!translated.ok) throw new Error(translated.error.message);
  return repository.query(translated.revset);
}
