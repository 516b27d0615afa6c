/** A machine that removes no place: as one that was stopped past its lease, or that lies. */
import { call, implement } from "@orpc/server";
import type { Machine } from "../../places/machine/machine.ts";
import { machineContract } from "../../places/machine-contract.ts";

type Router = Machine["router"];

const host = implement(machineContract);

/** Its answers are sound but for that. */
export function keepingPlaces(sound: Router): Router {
  const kept: { readonly place: string; readonly epoch: number }[] = [];
  return {
    ...sound,
    hold: host.hold.handler(({ input }) => {
      kept.push({ place: input.place, epoch: input.epoch });
      return call(sound.hold, input);
    }),
    beat: host.beat.handler(({ input: { confirmed } }) => call(sound.beat, { confirmed, held: kept })),
  };
}
