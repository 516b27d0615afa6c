/** A host in a process of its own, to be killed: `node child-host.ts <repository> <state folder> <stand-in> <key>`. */
import { defaultSettings } from "../../config/settings.ts";
import { openRepository } from "../../jj/open.ts";
import { createAnthropicDriver } from "../../model/anthropic-driver.ts";
import { loadPriceTable, modelFacts } from "../../model/price-table.ts";
import { createRateLimit } from "../../model/rate-limit.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { createEngine } from "../engine.ts";
import { agreeable } from "./run-fixture.ts";

const [root = "", stateFolder = "", baseUrl = "", apiKey = ""] = process.argv.slice(2);
const models = modelFacts(loadPriceTable());
let ids = 0;
const engine = await createEngine({
  repository: await openRepository(root),
  stateFolder,
  settings: () => ({ ...defaultSettings, maxParallelAgents: 3 }),
  driverFor: async () =>
    createAnthropicDriver({ apiKey, baseUrl, scheduler: createRateLimit(), models, backoffMs: 5 }),
  sandbox: () => createSandbox({ allowUnsandboxed: false }),
  now: () => Date.now(),
  newId: () => `${process.pid.toString(36)}${Date.now().toString(36)}${(ids++).toString(36)}`,
});
const answered = new Set<string>();
setInterval(async () => {
  const { run, inbox } = engine.state();
  if (run === null)
    // Asked for again while it starts; the engine takes one.
    await engine
      .startRun({
        goal: "Keep users",
        orchestrators: null,
        maxTokens: null,
        maxMicroDollars: null,
        onto: null,
        rehearsal: null,
        model: "claude-sonnet-5-5",
      })
      .catch(() => undefined);
  else if (["complete", "failed", "stopped"].includes(run.stage)) {
    process.stdout.write(JSON.stringify({ stage: run.stage, failure: run.failure, spent: run.budget.spent }));
    await engine.close();
    process.exit(0);
  }
  for (const item of inbox) {
    if (answered.has(item.nonce)) continue;
    answered.add(item.nonce);
    const decision = await agreeable[item.kind]?.(item);
    if (decision) await engine.answer({ ...item, decision });
    else process.stderr.write(JSON.stringify(item));
  }
}, 30);
