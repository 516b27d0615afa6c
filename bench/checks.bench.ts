import { join } from "node:path";
import { execa } from "execa";
import { builtFolder, Playground } from "../e2e/host.ts";
import { toolPath } from "../src-main/config/tools.ts";
import type { RunView } from "../src-shared/contract/views/run.ts";
import { type Bench, row } from "./row.ts";

/** As fast as the faster real models write: about 80 tokens in a second. */
const pace = 60;

/** What part of their time agents of the bundled rehearsal spend in checks; its model takes as long as a real one. */
const bench: Bench = {
  name: "checks",
  async *run() {
    const playground = await Playground.make();
    try {
      const { stdout } = await execa(
        toolPath("node"),
        [
          ...[
            join(builtFolder, "main", "cli.js"),
            "run",
            "--rehearsal",
            "profiles",
            "--json",
            "--pace",
            `${pace}`,
          ],
          ...["--approve", "plan,mutations,land,questions,patterns"],
        ],
        { env: playground.environment, extendEnv: false, stdin: "ignore", maxBuffer: 1e9 },
      );
      const events = stdout
        .split("\n")
        .map((line) => JSON.parse(line || "{}") as { readonly kind?: string; readonly run?: RunView });
      const last = events.findLast((event) => event.kind === "run");
      if (last?.run?.stage !== "complete") throw new Error("The rehearsal did not come to its end.");
      const ms = { thinking: 0, saving: 0, checking: 0 };
      for (const { msByPhase } of last.run.metrics)
        for (const phase of ["thinking", "saving", "checking"] as const) ms[phase] += msByPhase[phase] ?? 0;
      const all = ms.thinking + ms.saving + ms.checking;
      const share = (part: number): number => (100 * part) / all;
      yield* [
        row({
          name: "checks, of an agent's iteration",
          value: share(ms.checking),
          unit: "%",
          hold: "≤ 20 %",
          ok: share(ms.checking) <= 20,
        }),
        row({
          name: "saving, of an agent's iteration",
          value: share(ms.saving),
          unit: "%",
          hold: "≤ 5 %",
          ok: share(ms.saving) <= 5,
        }),
      ];
    } finally {
      await playground.remove();
    }
  },
};

export default bench;
