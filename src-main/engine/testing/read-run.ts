/** What tests look up in a run again and again. */
import type { RunView } from "#shared/contract/views/run.ts";
import type { StandIn } from "../../model/stand-in/stand-in.ts";

export const worker = (run: RunView | null, name: string) => run?.workers.find((one) => one.name === name);

/** What the model was asked as one worker. */
export const requestsOf = ({ standIn }: { readonly standIn: StandIn }, role: string) =>
  standIn.requests().filter((request) => request.seen.role === role);
