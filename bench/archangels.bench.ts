import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropicDriver } from "../src-main/model/anthropic-driver.ts";
import type { ModelDriver } from "../src-main/model/driver-interface.ts";
import { createRateLimit } from "../src-main/model/rate-limit.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { askArchangel } from "./archangels/ask.ts";
import { planKeeperSeeds } from "./archangels/plan-keeper-seeds.ts";
import { type Score, scoreOf, sumOf } from "./archangels/score.ts";
import { scriptedAnswers, scriptedScore } from "./archangels/scripted-words.ts";
import { securitySeeds } from "./archangels/security-seeds.ts";
import type { Seed } from "./archangels/seed.ts";
import { simplicitySeeds } from "./archangels/simplicity-seeds.ts";
import { testsSeeds } from "./archangels/tests-seeds.ts";
import { type Bench, type Row, row } from "./row.ts";

const archangels: Readonly<Record<string, readonly Seed[]>> = {
  "plan-keeper": planKeeperSeeds,
  security: securitySeeds,
  tests: testsSeeds,
  simplicity: simplicitySeeds,
};

interface Speaker {
  readonly driver: ModelDriver;
  readonly model: string;
  close(): Promise<void>;
}

const defaultModel = "claude-haiku-5-5";

/** A real model where `--key-env` names the variable that holds a key; else the stand-in with scripted words. */
async function speaker(): Promise<Speaker> {
  const { HOX_BENCH_KEY_ENV: variable, HOX_BENCH_ENDPOINT: endpoint, HOX_BENCH_MODEL: model } = process.env;
  if (variable === undefined) {
    const standIn = await startStandIn({ script: scriptedAnswers(archangels) });
    const driver = createAnthropicDriver({
      apiKey: standIn.apiKey,
      baseUrl: standIn.url,
      scheduler: createRateLimit(),
      isScripted: true,
    });
    return { driver, model: defaultModel, close: () => standIn.close() };
  }
  const apiKey = process.env[variable];
  if (!apiKey) throw new Error(`The variable ${variable} that --key-env names is empty. Put a key into it.`);
  const driver = createAnthropicDriver({
    apiKey,
    ...(endpoint === undefined ? {} : { baseUrl: endpoint }),
    scheduler: createRateLimit(),
  });
  return { driver, model: model ?? defaultModel, close: async () => undefined };
}

/** Scripted words have a result that is known; what a model finds is shown, and nothing is held against it. */
function rowsOf(
  name: string,
  seeds: readonly Seed[],
  score: Score,
  dollars: number,
  isScripted: boolean,
): Row[] {
  const scripted = scriptedScore(seeds);
  const whose = isScripted ? " (scripted words)" : "";
  const counted = (what: string, unit: string, key: keyof Score): Row =>
    row({
      name: `${name}: ${what}${whose}`,
      value: score[key],
      unit,
      hold: isScripted ? `= ${scripted[key]}, as scripted` : "shown",
      ok: !isScripted || score[key] === scripted[key],
    });
  const planted = seeds.filter(({ expected }) => expected.length > 0).length;
  return [
    counted(`found of ${planted} planted mistakes`, "mistakes", "found"),
    counted("missed", "mistakes", "missed"),
    counted(
      `false alarms, ${seeds.length - planted} clean changes among ${seeds.length}`,
      "alarms",
      "falseAlarms",
    ),
    row({
      name: `${name}: cost of ${seeds.length} changes${whose}`,
      value: dollars * 100,
      unit: "¢",
      hold: "shown",
      ok: true,
    }),
  ];
}

/**
 * The four archangels that come with Hox on small changes, most with one mistake planted. With scripted words it measures
 * the harness and what is asked, and nothing of what a model sees; `--key-env NAME` asks a real one.
 */
const bench: Bench = {
  name: "archangels",
  async *run() {
    const { driver, model, close } = await speaker();
    process.stderr.write(
      driver.isScripted
        ? "bench: archangels: scripted words: this measures the harness, no model. --key-env NAME asks a real one.\n"
        : `bench: archangels: asks ${model}.\n`,
    );
    const workspace = mkdtempSync(join(tmpdir(), "hox-archangels-"));
    mkdirSync(join(workspace, ".jj"));
    try {
      for (const [name, seeds] of Object.entries(archangels)) {
        const scores: Score[] = [];
        let microDollars = 0;
        for (const seed of seeds) {
          const asked = await askArchangel(name, seed, { driver, model, workspace });
          const score = scoreOf(seed, asked.statements);
          scores.push(score);
          microDollars += asked.microDollars;
          if (score.missed > 0) process.stderr.write(`bench: archangels: ${name} missed: ${seed.name}\n`);
          if (score.falseAlarms > 0)
            process.stderr.write(`bench: archangels: ${name} false alarm: ${seed.name}\n`);
        }
        yield* rowsOf(name, seeds, sumOf(scores), microDollars / 1e6, driver.isScripted);
      }
    } finally {
      await close();
    }
  },
};

export default bench;
