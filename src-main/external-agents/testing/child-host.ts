/** A host that can be killed: it starts a runner, gives its agent a task and writes what it hears into a file. */
import { appendFileSync, writeFileSync } from "node:fs";
import { resourceText } from "#shared/domain/text/prompt-text.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { acpConversations } from "../acp-driver.ts";
import { customDialect } from "../dialects.ts";
import { type RunnerOptions, startRunner } from "../start-runner.ts";

export interface ChildHost {
  readonly runner: Omit<RunnerOptions, "sandbox">;
  readonly isContained: boolean;
  /** Entries and places, one line each. */
  readonly journal: string;
  /** The runner's address and the resume token, once there is one. */
  readonly state: string;
}

const { runner, isContained, journal, state } = JSON.parse(process.argv[2] ?? "") as ChildHost;
const sandbox = await createSandbox(
  isContained ? { allowUnsandboxed: false } : { allowUnsandboxed: true, program: null },
);
const write = (line: unknown): void => appendFileSync(journal, `${JSON.stringify(line)}\n`);
const started = await startRunner({ ...runner, sandbox });
const { socket, token, view, init } = started;
const driver = acpConversations({
  ...{ name: "scripted", dialect: customDialect("scripted", [], {}), mcp: null, usage: "metered" },
  permissions: "sandbox",
  runner: async () => started,
  onHandled: (seq) => write({ seq }),
});
const conversation = driver.start({
  ...{ model: "model-1", system: "", tools: [], requester: "run/worker", maxTokens: 1_000, maxTurns: 50 },
  toolContext: {
    ...{ agent: "worker", signal: new AbortController().signal, environment: {} },
    files: null as never,
    run: () => Promise.reject(new Error("No commands here.")),
  },
  gate: () => null,
  onSpent: () => undefined,
  onEntry: (entry) => write({ entry }),
  onTurn: (resume) =>
    writeFileSync(state, JSON.stringify({ address: { socket, token, view, init }, resume })),
});
await conversation.run(resourceText("Do the task."), new AbortController().signal);
