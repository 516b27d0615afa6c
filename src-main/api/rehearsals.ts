import { existsSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { CommandInput } from "#shared/contract/commands.ts";
import type { Tempo } from "#shared/domain/rehearsal/tempo.ts";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import type { RehearsalParts } from "./host-parts.ts";
import { Refusal } from "./refusal.ts";

const folderOf = (stateFolder: string): string => join(stateFolder, "rehearsals");

/** The rehearsal whose copy of the example a folder is; null for everything else. */
export function rehearsalOf(stateFolder: string, root: string): string | null {
  const inside = relative(folderOf(stateFolder), root);
  return /^([^./\\][^/\\]*)-\d+$/u.exec(inside)?.[1] ?? null;
}

/**
 * Copies the example to the next free `<state>/rehearsals/<name>-<n>` and answers with its path.
 *
 * @param signal ends it half-way: then it throws the signal's reason, and nothing of the copy is left
 */
export async function copyExample(
  parts: RehearsalParts,
  stateFolder: string,
  name: string,
  signal?: AbortSignal,
): Promise<string> {
  if (!parts.list().some((rehearsal) => rehearsal.name === name)) {
    const names = parts.list().map((rehearsal) => rehearsal.name);
    throw new Refusal(
      `No rehearsal named "${name}".`,
      names.length > 0 ? `Available: ${names.join(", ")}.` : "Reinstall Hox.",
    );
  }
  let number = 1;
  while (existsSync(join(folderOf(stateFolder), `${name}-${number}`))) number++;
  const folder = join(folderOf(stateFolder), `${name}-${number}`);
  await mkdir(dirname(folder), { recursive: true });
  try {
    await parts.copyExample(name, folder, signal);
    signal?.throwIfAborted();
  } catch (error) {
    if (!signal?.aborted) throw error;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    throw signal.reason;
  }
  const root = await realpath(folder);
  await trustRepositoryConfig(stateFolder, root);
  return root;
}

/**
 * A script fits one plan. Another number of orchestrators would need a plan that cannot be approved, so it is
 * refused before anything is created. (HOX-9.3)
 * @returns null when the number fits, or none was given
 */
export function otherCount(
  parts: RehearsalParts,
  { rehearsal, orchestrators }: Pick<CommandInput<"run.start">, "rehearsal" | "orchestrators">,
): Refusal | null {
  const all = parts.list().map(({ name }) => ({ name, count: parts.orchestrators(name) }));
  const known = all.find(({ name }) => name === rehearsal);
  if (!known || orchestrators === null || known.count === orchestrators) return null;
  const fitting = all.filter(({ count }) => count === orchestrators).map(({ name }) => name);
  return new Refusal(
    `The rehearsal "${known.name}" is scripted for ${counted(known.count)}, not for ${orchestrators}.`,
    fitting.length > 0
      ? `With ${orchestrators}: ${fitting.join(", ")}. Or leave out the number.`
      : `Leave out the number. Available: ${all.map(({ name, count }) => `${name} (${count})`).join(", ")}.`,
  );
}

const counted = (count: number): string => (count === 1 ? "1 orchestrator" : `${count} orchestrators`);

/** Scripted models run for as long as the host, one for each repository in which a rehearsal is played. */
export interface RehearsalDrivers {
  driver(name: string, root: string): Promise<ModelDriver>;
  /** How fast they speak. */
  tempo(): Tempo;
  /** Of all of them, those that begin later as well. */
  setTempo(tempo: Tempo): Promise<void>;
  close(): Promise<void>;
}

export function createRehearsalDrivers(parts: RehearsalParts, pace: number): RehearsalDrivers {
  const begun = new Map<string, ReturnType<RehearsalParts["createDriver"]>>();
  let tempo: Tempo = "usual";
  const begin = (name: string, key: string): ReturnType<RehearsalParts["createDriver"]> => {
    const starting = parts.createDriver(name, { pace }).then((begun) => {
      begun.setTempo(tempo);
      return begun;
    });
    begun.set(key, starting);
    starting.catch(() => begun.delete(key));
    return starting;
  };
  return {
    async driver(name, root) {
      const key = `${name} ${root}`;
      return (await (begun.get(key) ?? begin(name, key))).driver;
    },
    tempo: () => tempo,
    async setTempo(next) {
      tempo = next;
      for (const one of begun.values()) (await one).setTempo(next);
    },
    async close() {
      const started = await Promise.allSettled(begun.values());
      begun.clear();
      for (const one of started) if (one.status === "fulfilled") await one.value.close();
    },
  };
}

/** Speed of scripted models, as set in a window. @param changed notifies the windows */
export function tempoOf(
  drivers: ReturnType<typeof createRehearsalDrivers>,
  changed: () => void,
): { setTempo(tempo: Tempo): Promise<void>; continueRehearsal(): Promise<void> } {
  const setTempo = async (tempo: Tempo): Promise<void> => {
    await drivers.setTempo(tempo);
    changed();
  };
  return {
    setTempo,
    async continueRehearsal() {
      if (drivers.tempo() === "held") await setTempo("usual");
    },
  };
}
