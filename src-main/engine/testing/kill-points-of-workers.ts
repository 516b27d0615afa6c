/** Moments of places on workers at which a process may be killed: the host's or the worker's. */
import { call, implement } from "@orpc/server";
import type { Machine } from "../../places/machine/machine.ts";
import { machineContract } from "../../places/machine-contract.ts";
import type { Places } from "../../places/places-interface.ts";

type At = (point: string) => void;
type Router = Machine["router"];

/** Before and after what the host writes down of places. Leases are renewed as time passes, and are left out. */
export const aroundPlaces = (places: Places, at: At): Places => {
  const around =
    <Args extends readonly unknown[], T>(name: string, write: (...args: Args) => T | Promise<T>) =>
    async (...args: Args): Promise<T> => {
      at(`places.${name} before`);
      const done = await write(...args);
      at(`places.${name} after`);
      return done;
    };
  return {
    ...places,
    claim: around("claim", places.claim),
    release: around("release", places.release),
    acceptTree: around("acceptTree", places.acceptTree),
  };
};

interface Message {
  readonly input: unknown;
  readonly signal?: AbortSignal;
}
type Answer = (message: Message) => Promise<unknown>;

/** The worker has the host's message and has done nothing, or has done it and the host has not heard. Heartbeats come as time passes. */
export function aroundMessages(router: Router, worker: string, at: At): Router {
  const host = implement(machineContract) as unknown as Record<string, { handler(answer: Answer): unknown }>;
  const around = ([name, procedure]: readonly [string, unknown]): readonly [string, unknown] => {
    if (["about", "agents", "beat"].includes(name)) return [name, procedure];
    const answer: Answer = async ({ input, signal }) => {
      const { method } = input as { readonly method?: string };
      const point = `worker.${name}${method === undefined ? "" : `.${method}`} ${worker}`;
      at(`${point} before`);
      const done = await call(procedure as Router["contents"], input as never, signal ? { signal } : {});
      if (isStream(done)) return beforeResult(done, () => at(`${point} after`));
      at(`${point} after`);
      return done;
    };
    return [name, host[name]?.handler(answer)];
  };
  return Object.fromEntries(Object.entries(router).map(around)) as unknown as Router;
}

const isStream = (answer: unknown): answer is AsyncIterable<object> =>
  typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;

async function* beforeResult(messages: AsyncIterable<object>, hasEnded: () => void): AsyncGenerator<object> {
  for await (const message of messages) {
    if (!("output" in message)) hasEnded();
    yield message;
  }
}
