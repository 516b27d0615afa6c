import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { trustConfigFile } from "../src-main/config/change-config-file.ts";
import { defaultSettings } from "../src-main/config/settings.ts";
import { createEngine } from "../src-main/engine/engine.ts";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";
import { createAnthropicDriver } from "../src-main/model/anthropic-driver.ts";
import type { ModelDriver } from "../src-main/model/driver-interface.ts";
import { createRateLimit } from "../src-main/model/rate-limit.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import { createSandbox } from "../src-main/tools/sandbox/sandbox.ts";
import type { CalibrationView } from "../src-shared/contract/views/calibration.ts";
import { builtInSample } from "../src-shared/domain/planting/built-in-sample.ts";
import { figuresOf, type PanelFigures } from "../src-shared/domain/validation/calibration.ts";
import { type Judged, scriptedJudges } from "./calibration/scripted-judges.ts";
import { type Bench, type Row, row } from "./row.ts";

interface Speaker {
  readonly driver: ModelDriver;
  readonly model: string;
  /** What scripted judges said themselves; null: a model was asked. */
  readonly judged: ReadonlyMap<string, Judged> | null;
  close(): Promise<void>;
}

const usualModel = "claude-haiku-5-5";

/** A real model where `--key-env` names the variable that holds a key; else the stand-in with scripted judges. */
async function speaker(): Promise<Speaker> {
  const { HOX_BENCH_KEY_ENV: variable, HOX_BENCH_ENDPOINT: endpoint, HOX_BENCH_MODEL: model } = process.env;
  if (variable === undefined) {
    const judged = new Map<string, Judged>();
    const standIn = await startStandIn({ script: scriptedJudges(judged) });
    const driver = createAnthropicDriver({
      apiKey: standIn.apiKey,
      baseUrl: standIn.url,
      scheduler: createRateLimit(),
      isScripted: true,
    });
    return { driver, model: usualModel, judged, close: () => standIn.close() };
  }
  const apiKey = process.env[variable];
  if (!apiKey) throw new Error(`The variable ${variable} that --key-env names is empty. Put a key into it.`);
  const driver = createAnthropicDriver({
    apiKey,
    ...(endpoint === undefined ? {} : { baseUrl: endpoint }),
    scheduler: createRateLimit(),
  });
  return { driver, model: model ?? usualModel, judged: null, close: async () => undefined };
}

const config = (model: string): string =>
  `[models]\ndefault = ${JSON.stringify(model)}\n\n[backpressure]\nfast_checks = []\nslow_checks = []\n`;

/** The sample that comes with Hox, as somebody's own commit, judged by the panel of four. */
async function measure({ driver, model }: Speaker): Promise<CalibrationView> {
  const repo = await createTestRepository({
    files: { ...builtInSample.base, ".hox/config.toml": config(model) },
  });
  const { repository } = repo;
  const { changeId } = await repository.newChange({
    parents: ["@-"],
    description: builtInSample.description,
    files: builtInSample.files,
  });
  await trustConfigFile({ root: repository.root, stateFolder: join(repo.folder, "state") });
  const engine = await createEngine({
    repository,
    stateFolder: join(repo.folder, "state"),
    settings: () => defaultSettings,
    driverFor: async () => driver,
    sandbox: () => createSandbox({ allowUnsandboxed: true, repository: repository.root }),
    now: Date.now,
    newId: randomUUID,
  });
  try {
    const { id } = await engine.execute("calibration.begin", {
      change: changeId,
      perKind: 2,
      maxMicroDollars: null,
    });
    for (let version = 0; ; ) {
      const progress = await engine.execute("calibration.more", { id, after: version });
      version = progress.version;
      const { end } = progress.value;
      if (end?.kind === "done") return progress.value;
      if (end !== null) throw new Error(end.kind === "failed" ? `${end.message} ${end.remedy}` : end.kind);
    }
  } finally {
    await engine.close();
    await repo.remove();
  }
}

/** What the judges' own account comes to: three of four have to approve. */
const ownFigures = (seats: readonly string[], judged: ReadonlyMap<string, Judged>): PanelFigures =>
  figuresOf(
    seats,
    [...judged.values()].map(({ isBad, votes }) => ({
      planted: isBad ? "off-by-one" : null,
      verdict:
        [...votes.values()].filter((vote) => vote === "approve").length >= 3
          ? "approved"
          : [...votes.values()].filter((vote) => vote === "reject").length >= 2
            ? "rejected"
            : "undecided",
      votes: Object.fromEntries(votes),
    })),
  );

function rowsOf(measured: CalibrationView, msEach: number, judged: Speaker["judged"]): readonly Row[] {
  const { figures, panel, spent, samples } = measured;
  const own =
    judged &&
    ownFigures(
      panel.seats.map(({ seat }) => seat),
      judged,
    );
  const whose = own ? " (scripted judges)" : "";
  const counted = (what: string, unit: string, of: (figures: PanelFigures) => number | null): Row => {
    const [value, expected] = [of(figures) ?? 0, own === null ? null : (of(own) ?? 0)];
    return row({
      name: `calibration: ${what}${whose}`,
      value,
      unit,
      hold: expected === null ? "shown" : `= ${expected.toFixed(2)}, as the judges counted`,
      ok: expected === null || Math.abs(value - expected) < 1e-9,
    });
  };
  const { falseApprovals, falseRejections } = figures;
  return [
    counted(
      `false approvals of ${falseApprovals.of} bad commits`,
      "commits",
      (of) => of.falseApprovals.count,
    ),
    counted(
      `false rejections of ${falseRejections.of} good ones`,
      "commits",
      (of) => of.falseRejections.count,
    ),
    counted("errors that go together", "correlation", (of) => of.correlation),
    counted(`worth of ${panel.seats.length} votes`, "votes", (of) => of.effectiveVotes),
    row({
      name: `calibration: cost of ${samples.length} commits${whose}`,
      value: spent.microDollars / 1e4,
      unit: "¢",
      hold: "shown",
      ok: true,
    }),
    row({
      name: `calibration: time for each commit${whose}`,
      value: msEach,
      unit: "ms",
      hold: "shown",
      ok: true,
    }),
  ];
}

/**
 * A whole calibration over real jj, checkouts and the wire. With scripted judges it measures the harness, and nothing of what
 * a model sees; `--key-env NAME` asks a real one.
 */
const bench: Bench = {
  name: "calibration",
  async *run() {
    const speaks = await speaker();
    process.stderr.write(
      speaks.judged
        ? "bench: calibration: scripted judges: this measures the harness, no model. --key-env NAME asks a real one.\n"
        : `bench: calibration: asks ${speaks.model}.\n`,
    );
    try {
      const begun = performance.now();
      const measured = await measure(speaks);
      yield* rowsOf(measured, (performance.now() - begun) / measured.samples.length, speaks.judged);
    } finally {
      await speaks.close();
    }
  },
};

export default bench;
