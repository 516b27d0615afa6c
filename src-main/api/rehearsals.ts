import { existsSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { CommandInput } from "#shared/contract/commands.ts";
import { paceAt, type Tempo } from "#shared/domain/rehearsal/tempo.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import type { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import type { Script } from "../model/stand-in/script.ts";
import { prepareRehearsal } from "../rehearsals/prepare.ts";
import { listRehearsals, NoSuchRehearsal } from "../rehearsals/rehearsals.ts";
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
export async function copyExample(stateFolder: string, name: string, signal?: AbortSignal): Promise<string> {
  let number = 1;
  while (existsSync(join(folderOf(stateFolder), `${name}-${number}`))) number++;
  const folder = join(folderOf(stateFolder), `${name}-${number}`);
  try {
    await prepareRehearsal(name, folder, signal);
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
 * Why a rehearsal cannot be played like this; null when it can, or none is meant. A script fits one plan: another number
 * of orchestrators would need a plan that cannot be approved, so it is refused before anything is created. (HOX-9.3)
 */
export function rehearsalRefusal({
  rehearsal,
  orchestrators,
}: Pick<CommandInput<"run.start">, "rehearsal" | "orchestrators">): RemediedError<string | null> | null {
  if (rehearsal === null) return null;
  const all = listRehearsals();
  const known = all.find(({ name }) => name === rehearsal);
  if (!known) return new NoSuchRehearsal(rehearsal);
  if (orchestrators === null || known.orchestrators === orchestrators) return null;
  const fitting = all.filter((one) => one.orchestrators === orchestrators).map(({ name }) => name);
  return new Refusal(
    `The rehearsal "${known.name}" is scripted for ${counted(known.orchestrators, "orchestrator")}, not for ${orchestrators}.`,
    fitting.length > 0
      ? `With ${orchestrators}: ${fitting.join(", ")}. Or leave out the number.`
      : `Leave out the number. Available: ${all.map(({ name, orchestrators: count }) => `${name} (${count})`).join(", ")}.`,
  );
}

/** What the model says in each of them. */
const scripts: Readonly<Record<string, () => Promise<Script>>> = {
  profiles: async () => (await import("../rehearsals/profiles.ts")).profilesScript,
  receipts: async () => (await import("../rehearsals/receipts.ts")).receiptsScript,
  tides: async () => (await import("../rehearsals/tides.ts")).tidesScript,
};

/** A driver on a scripted model. */
interface RehearsalDriver {
  readonly driver: ModelDriver;
  /** How fast it speaks from now on. */
  setTempo(tempo: Tempo): void;
  close(): Promise<void>;
}

async function startDriver(name: string, pace: number): Promise<RehearsalDriver> {
  const script = scripts[name];
  if (!script) throw new Error(`The rehearsal "${name}" has no script.`);
  const [{ startStandIn }, { createAnthropicDriver }, { createRateLimit }, prices] = await Promise.all([
    import("../model/stand-in/stand-in.ts"),
    import("../model/anthropic-driver.ts"),
    import("../model/rate-limit.ts"),
    import("../model/price-table.ts"),
  ]);
  let tempo: Tempo = "usual";
  let release: (() => void) | null = null;
  const standIn = await startStandIn({ script: await script(), pace: () => paceAt(tempo, pace) });
  const driver = createAnthropicDriver({
    name: "rehearsal",
    isScripted: true,
    apiKey: standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: createRateLimit(),
    models: prices.modelFacts(prices.loadPriceTable()),
  });
  return {
    driver,
    setTempo(next) {
      tempo = next;
      release?.();
      release = next === "held" ? standIn.hold(() => true) : null;
    },
    close: () => standIn.close(),
  };
}

/** Scripted models run for as long as the host, one for each repository in which a rehearsal is played. */
export class RehearsalDrivers {
  readonly #begun = new Map<string, Promise<RehearsalDriver>>();
  readonly #pace: number;
  #tempo: Tempo = "usual";

  /** @param pace milliseconds per ~20 characters */
  constructor(pace: number) {
    this.#pace = pace;
  }

  /** How fast they speak. */
  get tempo(): Tempo {
    return this.#tempo;
  }

  async driver(name: string, root: string): Promise<ModelDriver> {
    const key = `${name} ${root}`;
    const known = this.#begun.get(key);
    if (known) return (await known).driver;
    const starting = startDriver(name, this.#pace).then((begun) => {
      begun.setTempo(this.#tempo);
      return begun;
    });
    this.#begun.set(key, starting);
    starting.catch(() => this.#begun.delete(key));
    return (await starting).driver;
  }

  /** Of all of them, those that begin later as well. */
  async setTempo(next: Tempo): Promise<void> {
    this.#tempo = next;
    for (const one of this.#begun.values()) (await one).setTempo(next);
  }

  async close(): Promise<void> {
    const started = await Promise.allSettled(this.#begun.values());
    this.#begun.clear();
    for (const one of started) if (one.status === "fulfilled") await one.value.close();
  }
}
