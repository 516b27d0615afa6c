import { addressMatches, isAddress } from "#shared/domain/graph-words/address.ts";
import { isAtWork } from "#shared/domain/worker/at-work.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { CommandScope, EngineCommands } from "../../../kernel/commands.ts";
import { addressOf, listenersTo, person, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isActive, orchestratorsOf } from "../../../workers/hierarchy.ts";
import { refuseFinished, refuseInactive } from "../../../workers/steerable.ts";

/** A person writes to one worker, or to all that an address reaches. */
export const messageCommands = ({
  active,
}: CommandScope<Run>): EngineCommands<"run.messageWorker" | "run.interruptWorker"> => ({
  async "run.messageWorker"({ worker: name, text }) {
    const run = active();
    const role = run.workers.get(name)?.record.role;
    if (role === undefined && isAddress(name)) refuseUnheard(run, name);
    else if (role !== undefined && roles[role].isLead) refuseInactive(run, name);
    else refuseFinished(run, name);
    await sendMessage(run, {
      key: `${person}/${run.newId()}`,
      from: person,
      to: role === undefined ? name : addressOf(run, name),
      type: "info",
      text,
    });
  },

  "run.interruptWorker"({ worker: name }) {
    const run = active();
    const worker = run.workers.get(name);
    if (worker && roles[worker.record.role].isLead) {
      refuseInactive(run, name);
      // One that sleeps wakes to read it.
      if (isAtWork(worker.state)) worker.isInterrupted = true;
      return;
    }
    refuseFinished(run, name);
    // Its files are saved, and it goes on in the same conversation. Nobody waits for that here: a request may be long.
    void run.lock.withExclusive(name, async () => undefined, "reading your message");
  },
});

/** Words that reach nobody are not sent. */
function refuseUnheard(run: RunReader, address: string): void {
  if (listenersTo(run, address).length > 0) return;
  const orchestrators = orchestratorsOf(run).filter((name) => isActive(run, name));
  if (orchestrators.some((name) => addressMatches(address, name))) return;
  throw new EngineRefusal(
    `No active agent matches ${address}.`,
    `Use one of: ${orchestrators.map((name) => `${name} or ${name}/*`).join(", ")}.`,
  );
}
