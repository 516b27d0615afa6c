import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { paceAt, type Tempo } from "#shared/domain/rehearsal/tempo.ts";
import { resourcePath } from "../config/resources-folder.ts";
import type { Script } from "../model/stand-in/script.ts";
import type { RehearsalParts } from "./host-parts.ts";

const about = z.object({
  title: z.string(),
  description: z.string(),
  seconds: z.number().positive(),
  goal: z.string(),
  project: z.string(),
  orchestrators: z.number().int().positive(),
});
type About = z.infer<typeof about>;

/** What the model says in each of them. */
const scripts: Readonly<Record<string, () => Promise<Script>>> = {
  profiles: async () => (await import("../rehearsals/profiles.ts")).profilesScript,
  receipts: async () => (await import("../rehearsals/receipts.ts")).receiptsScript,
  tides: async () => (await import("../rehearsals/tides.ts")).tidesScript,
};

const folder = (): string => resourcePath("rehearsal");
let read: ReadonlyMap<string, About> | null = null;

/** Rehearsal → what `rehearsal.json` says; read once, for they come with the app. */
function all(): ReadonlyMap<string, About> {
  read ??= new Map(
    readdirSync(folder(), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name }) => [
        name,
        about.parse(JSON.parse(readFileSync(join(folder(), name, "rehearsal.json"), "utf8"))),
      ]),
  );
  return read;
}

function named(name: string): About {
  const found = all().get(name);
  if (!found) throw new Error(`There is no rehearsal "${name}".`);
  return found;
}

/** The rehearsals under `resources/rehearsal`, each with an example repository and a scripted model. */
export const bundledRehearsals: RehearsalParts = {
  list: () =>
    [...all()].map(([name, { title, description, seconds }]) => ({ name, title, description, seconds })),
  goal: (name) => named(name).goal,
  orchestrators: (name) => named(name).orchestrators,

  async copyExample(name, target, signal) {
    const { prepareRehearsal } = await import("../rehearsals/prepare.ts");
    await prepareRehearsal(name, target, signal);
  },

  async createDriver(name, { pace }) {
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
  },
};
