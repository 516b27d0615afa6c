/** What the user does with workers. Each is also a command of `hox workers`. */
import type { MachineView } from "#shared/domain/places/machine-view.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { confirm } from "../../kit/dialog.tsx";
import { attempt, notify } from "../../state/notify.ts";

/** Drains an active worker, and resumes a drained one. */
export async function toggleDrain({ id, name, state }: MachineView): Promise<void> {
  const shown = shownName(name);
  const change = (wanted: MachineView["state"]): Promise<boolean> =>
    attempt(`${shown} was not ${wanted === "draining" ? "drained" : "resumed"}`, () =>
      client.machine.setState({ id, state: wanted }),
    );
  const wanted = state === "active" ? "draining" : "active";
  if (!(await change(wanted))) return;
  const text = wanted === "draining" ? `${shown} gets no new agents.` : `${shown} gets agents again.`;
  notify("info", text, null, {
    key: `drain ${id}`,
    action: { label: "Undo", run: () => void change(state) },
  });
}

const whatContinues = (agents: number, where: string): string =>
  agents === 0
    ? ""
    : ` ${agents === 1 ? "The agent there continues" : `The ${counted(agents, "agent")} there continue`} ${where}, from the files that arrived last.`;

export async function removeWorker(machine: MachineView): Promise<void> {
  const shown = shownName(machine.name);
  const isMeant = await confirm({
    title: `Remove ${shown}?`,
    body: `Its key stops working.${whatContinues(machine.held, "elsewhere")} To use the machine again, invite it again.`,
    action: "Remove",
    danger: true,
  });
  if (
    isMeant &&
    (await attempt(`${shown} was not removed`, () => client.machine.remove({ ids: [machine.id] })))
  )
    notify("info", `Removed ${shown}.`);
}

/** Removes all workers. */
export async function stopAll(machines: readonly MachineView[]): Promise<void> {
  const all = machines.reduce((sum, { held }) => sum + held, 0);
  const isMeant = await confirm({
    title: `Remove ${machines.length === 1 ? "the worker" : `all ${machines.length} workers`}?`,
    body: `Their keys stop working.${whatContinues(all, "on this machine")} To use the machines again, invite them again.`,
    action: "Remove all",
    danger: true,
  });
  const ids = machines.map(({ id }) => id);
  if (isMeant && (await attempt("The workers were not removed", () => client.machine.remove({ ids }))))
    notify("info", `Removed ${counted(ids.length, "worker")}.`);
}
