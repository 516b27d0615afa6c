/** Commands to a run that is active. */

import type { RunView } from "#shared/contract/views/run.ts";
import { isAddress } from "#shared/domain/change-metadata/address.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import { alsoUnmetered, notMetered, unmeteredUse } from "#shared/domain/spending/unmetered.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shellQuote } from "#shared/domain/text/shell-quote.ts";
import { block, shownLine } from "#shared/domain/text/shown-text.ts";
import { maxAgentsAtOnce, roles } from "#shared/domain/worker/roles.ts";
import {
  CommandError,
  exitCode,
  microDollars,
  oneLine,
  orNone,
  orNull,
  wholeNumber,
} from "../command-line.ts";
import {
  agentName,
  type CommandRow,
  clientRow,
  isConfirmed,
  showDone,
  takesEffect,
  workerIn,
  workerNamed,
} from "../command-table.ts";
import { consent } from "../consent.ts";
import { print, show } from "../output.ts";
import { attemptRows } from "./attempts.ts";

const agentOrRun = ["for example agent-2 (default: the run)", oneLine] as const;

export const steerRows: readonly CommandRow[] = [
  clientRow(
    "pause",
    "pause the run or one agent, after its current request",
    { "[agent]": agentOrRun },
    async (given, client) => {
      const { agent } = given;
      if (agent === undefined) await client.execute("run.pause", { run: (await client.run()).id });
      else await client.execute("run.pauseWorker", await workerIn(client, agent));
      showDone(
        given,
        client,
        { paused: agent ?? "run" },
        `${agent === undefined ? "Paused. Agents finish their current requests." : `Paused ${agent}, after its current request.`}${takesEffect(client)}`,
      );
    },
  ),
  clientRow("resume", "resume the run or one agent", { "[agent]": agentOrRun }, async (given, client) => {
    const { agent } = given;
    const run = agent === undefined ? await client.run() : null;
    if (run) await client.execute("run.resume", { run: run.id });
    else if (agent !== undefined) await client.execute("run.resumeWorker", await workerIn(client, agent));
    const text = run?.providerLimit ? "Retrying the provider now." : `${agent ?? "The run"} resumes.`;
    showDone(given, client, { resumed: agent ?? "run" }, `${text}${takesEffect(client)}`);
  }),
  clientRow(
    "stop",
    "save the work of all agents and end the run permanently",
    { "-y, --yes": isConfirmed },
    async (given, client) => {
      const { id: run } = await client.run();
      await consent(given, "Stop the run permanently? The work of all agents is saved first.");
      await client.execute("run.stop", { run });
      showDone(given, client, { stopped: "run" }, "Stopped. Each agent's work is saved in its change.");
    },
  ),
  clientRow(
    "retry",
    "restart a failed agent with a fresh context",
    { "<agent>": agentName },
    async (given, client) => {
      const { agent } = given;
      await client.execute("run.retryWorker", await workerIn(client, agent));
      const text = `${agent} restarts with a fresh context.${takesEffect(client)}`;
      showDone(given, client, { retried: agent }, text);
    },
  ),
  clientRow(
    "message",
    "send a message to an agent, which reads it with its next prompt, before it can finish; O-A-1/* is all agents of O-A-1",
    {
      "<agent>": agentName,
      "<words...>": "the message",
      "--now": "interrupt one agent: it reads the message right after its current request",
    },
    async (given, client) => {
      const { agent, now } = given;
      const run = await client.run(agent);
      if (!isAddress(agent)) workerNamed(run, agent);
      const text = given.words.join(" ").trim();
      if (text === "") throw new CommandError("The message is empty.", "Add a message.", exitCode.usage);
      if (now && !run.workers.some(({ name }) => name === agent))
        throw new CommandError(
          `--now can interrupt only one agent, and ${agent} can match several.`,
          "Leave out --now, or name one agent or orchestrator.",
          exitCode.usage,
        );
      const at = { run: run.id, worker: agent };
      await client.execute("run.messageWorker", { ...at, text });
      if (now) await client.execute("run.interruptWorker", at);
      const when = now ? "right after its current request" : "with its next prompt";
      showDone(given, client, { delivered: agent }, `${agent} reads it ${when}.${takesEffect(client)}`);
    },
  ),
  clientRow(
    "reassign",
    "reassign an agent's task to a new agent; the work stays in the change",
    {
      "<agent>": agentName,
      "--model <name>": ["model of the new agent", oneLine],
      "--brief <text>": "extra instructions for the new agent",
    },
    async (given, client) => {
      const { agent, model = null, brief = "" } = given;
      const { worker } = await client.execute("run.reassignWorker", {
        ...(await workerIn(client, agent)),
        model,
        brief: brief.trim(),
      });
      const text = `Reassigned the task of ${agent} to ${worker}. The work is kept in its change.`;
      showDone(given, client, { reassigned: agent, worker }, `${text}${takesEffect(client)}`);
    },
  ),
  ...attemptRows,
  clientRow(
    "take-over",
    "take over an agent's task in its workspace; the agent is paused",
    { "<agent>": agentName },
    async (given, client) => {
      const { agent } = given;
      const { folder } = await client.execute("run.takeOver", await workerIn(client, agent));
      showDone(given, client, { taken: agent, folder }, [
        `You have taken over the task of ${agent}.\n\n  cd ${shellQuote(folder)}\n`,
        `To return it: hox give-back ${agent} [--done] [-m "what it should know"]`,
      ]);
    },
  ),
  clientRow(
    "give-back",
    "return a task to its agent, with your changes; exits 5 if --done is set and a check fails",
    {
      "<agent>": agentName,
      "--done": "the task is finished; Hox runs its checks",
      "-m, --message <text>": "a note for the agent, or what you did",
    },
    async (given, client) => {
      const { agent } = given;
      const at = await workerIn(client, agent);
      const words = (given.message ?? "").trim();
      const { files } = await client.execute("run.previewTakeover", at);
      if (!given.done) {
        await client.execute("run.giveBack", { ...at, words });
        const text = `${agent} resumes (${counted(files.length, "file")} changed by you).${takesEffect(client)}`;
        return showDone(given, client, { given: agent, files }, text);
      }
      const { done, checks } = await client.execute("run.finishByHand", { ...at, summary: words });
      const result = { kind: done ? "done" : "refused", live: client.isLive, given: agent, files, checks };
      show(
        given,
        result,
        checks.flatMap((check) => [
          `  ${outcomeText[check.outcome].padEnd(9)} ${shownLine(check.name)}`,
          ...(isBlocking(check) ? block(check.output) : []),
        ]),
      );
      if (!done)
        throw new CommandError(
          "A check failed. The task is still assigned to you.",
          `Fix it and retry, or return it to ${agent} without --done.`,
          exitCode.rejected,
        );
      if (!given.json) print(`The task of ${agent} is finished.${takesEffect(client)}`);
    },
  ),
  clientRow(
    "answer",
    "list the cards that wait for you, or answer one",
    {
      "[card]": ["name from the list (1: the only card), or ID", oneLine],
      "[words...]": "y, n, a reason, the number of an option, an amount, a bookmark, or your own text",
    },
    async (given, client) => {
      const { answerCard, listCards } = await import("../run/decide.ts");
      return given.card === undefined
        ? listCards(client, given)
        : answerCard(client, given.card, given.words.join(" ").trim(), given);
    },
  ),
  clientRow(
    "budget",
    "show what was spent and the limits; with options, set limits of the run or of one worker",
    {
      "[worker]": ["for example agent-2 or O-B-1 (default: the run)", oneLine],
      "--usd <amount>": ["maximum cost in US dollars, or none", orNone(microDollars)],
      "--tokens <n>": ["maximum number of tokens, or none", orNone(wholeNumber(1, 1e12))],
      "--iterations <n>": [
        "maximum iterations of an agent before Hox asks you; none: as configured",
        orNone(wholeNumber(1, 1_000)),
      ],
      "--agents <n>": [
        "maximum number of agents at a time; none: as configured",
        orNone(wholeNumber(1, maxAgentsAtOnce)),
      ],
    },
    async (given, client) => {
      const { worker, usd, tokens, iterations, agents } = given;
      const amounts = {
        ...(usd === undefined ? {} : { microDollars: orNull(usd) }),
        ...(tokens === undefined ? {} : { tokens: orNull(tokens) }),
        ...(iterations === undefined ? {} : { maxIterations: orNull(iterations) }),
      };
      const hasAmounts = Object.keys(amounts).length > 0;
      if (worker !== undefined) {
        const at = await workerIn(client, worker);
        if (agents !== undefined)
          throw new CommandError(
            "--agents applies to the whole run.",
            "Leave out the agent.",
            exitCode.usage,
          );
        if (hasAmounts) await client.execute("run.setWorkerLimits", { ...at, ...amounts });
      } else if (hasAmounts || agents !== undefined)
        await client.execute("run.setLimits", {
          run: (await client.run()).id,
          ...amounts,
          ...(agents === undefined ? {} : { maxParallelAgents: orNull(agents) }),
        });
      for (const account of accountsOf(await client.run(worker), worker))
        show(given, { kind: "budget", ...account }, accountLine(account));
    },
  ),
];

type Account = Pick<RunView["budget"], "limitMicroDollars" | "limitTokens"> & {
  readonly of: string;
  readonly microDollars: number;
  readonly maxIterations: number;
  /** What no meter counts, in words. */
  readonly unmetered?: string;
  /** Of the run only. */
  readonly maxParallelAgents?: number;
};

function accountsOf(run: RunView, agent: string | undefined): readonly Account[] {
  const account = (
    of: string,
    {
      spent,
      limitMicroDollars,
      limitTokens,
    }: Pick<RunView["budget"], "spent" | "limitMicroDollars" | "limitTokens">,
    maxIterations: number,
    unmetered: string,
  ): Account => ({
    ...{ of, microDollars: spent.microDollars, limitMicroDollars, limitTokens, maxIterations },
    ...(unmetered === "" ? {} : { unmetered }),
  });
  const workers = run.workers
    .filter((worker) => (agent === undefined ? roles[worker.role].isListed : worker.name === agent))
    .map(({ name, budget, unmetered }) =>
      account(
        name,
        budget,
        budget.maxIterations,
        unmetered === null ? "" : `, ${notMetered}: ${unmeteredUse(unmetered)}`,
      ),
    );
  if (agent !== undefined) return workers;
  const { maxParallelAgents } = run;
  return [
    { ...account("run", run.budget, run.maxIterations, alsoUnmetered(run.workers)), maxParallelAgents },
    ...workers,
  ];
}

const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(2)}`;

function accountLine({ of, microDollars, limitMicroDollars, limitTokens, ...limits }: Account): string {
  const spent = `${dollars(microDollars)}${limitMicroDollars === null ? "" : ` of ${dollars(limitMicroDollars)}`}`;
  return [
    `${of.padEnd(12)} ${spent.padEnd(18)}`,
    ...(limitTokens === null ? [] : [`${limitTokens.toLocaleString("en")} tokens max,`]),
    `${limits.maxIterations} iterations${limits.maxParallelAgents === undefined ? "" : `, ${limits.maxParallelAgents} agents at a time`}${limits.unmetered ?? ""}`,
  ].join(" ");
}
