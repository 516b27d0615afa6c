import { isBlocking, outcomeText } from "#shared/domain/project/known-failures.ts";
/** `hox pause | resume | stop | retry | message | reassign | take-over | give-back | answer | budget`. */

import { cardName } from "#shared/contract/card-name.ts";
import { kindOfCard } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { isAddress } from "#shared/domain/graph-words/address.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { block } from "#shared/domain/text/text-block.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { cardNamed, keepListed, listedCards } from "./card-named.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { answerLines, cardText, understand, whyNot } from "./decide.ts";
import { print, printJson } from "./output.ts";
import { type RunClient, withRunClient, workerNamed } from "./run-client.ts";

export const pause = (agent: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    if (agent === undefined) {
      await client.execute("run.pause");
      return tell(options, client, "Paused. Agents finish their current requests.", {
        paused: "run",
      });
    }
    workerNamed((await client.state(agent)).run, agent);
    await client.execute("run.pauseWorker", { worker: agent });
    return tell(options, client, `Paused ${agent}, after its current request.`, { paused: agent });
  });

/** Says that a command is executed now by a running host, or when the run resumes. */
const later = (client: RunClient): string =>
  client.isLive ? "" : " Takes effect when the run resumes: hox run";

/** Says that it was done, for people or for programs. */
function tell(
  options: CommonOptions,
  client: RunClient,
  text: string,
  value: Readonly<Record<string, unknown>>,
): ExitCode {
  if (options.json) printJson({ kind: "done", live: client.isLive, ...value });
  else print(`${text}${later(client)}`);
  return exitCode.done;
}

export const resume = (agent: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    if (agent === undefined) {
      const waits = (await client.state()).run?.providerLimit ?? null;
      await client.execute("run.resume");
      const words = waits === null ? "The run resumes." : "Retrying the provider now.";
      return tell(options, client, words, { resumed: "run" });
    }
    workerNamed((await client.state(agent)).run, agent);
    await client.execute("run.resumeWorker", { worker: agent });
    return tell(options, client, `${agent} resumes.`, { resumed: agent });
  });

export const stop = (options: CommonOptions & { readonly yes?: boolean }): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    await consent(options, "Stop the run permanently? The work of all agents is saved first.");
    await client.execute("run.stop");
    if (options.json) printJson({ kind: "done", live: client.isLive, stopped: "run" });
    else print("Stopped. Each agent's work is saved in its change.");
    return exitCode.done;
  });

export const retry = (agent: string, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    workerNamed((await client.state(agent)).run, agent);
    await client.execute("run.retryWorker", { worker: agent });
    return tell(options, client, `${agent} restarts with a fresh context.`, { retried: agent });
  });

export const message = (
  agent: string,
  words: readonly string[],
  options: CommonOptions & { readonly now?: boolean },
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run } = await client.state(agent);
    if (!run || !isAddress(agent)) workerNamed(run, agent);
    const text = joinText(words);
    if (text === "") throw new CommandError("The message is empty.", "Add a message.", exitCode.usage);
    if (options.now === true && !run?.workers.some(({ name }) => name === agent))
      throw new CommandError(
        `--now can interrupt only one agent, and ${agent} can match several.`,
        "Leave out --now, or name one agent or orchestrator.",
        exitCode.usage,
      );
    await client.execute("run.messageWorker", { worker: agent, text });
    if (options.now !== true)
      return tell(options, client, `${agent} reads it with its next prompt.`, { delivered: agent });
    await client.execute("run.interruptWorker", { worker: agent });
    return tell(options, client, `${agent} reads it right after its current request.`, { delivered: agent });
  });

export const reassign = (
  agent: string,
  options: CommonOptions & { readonly model?: string; readonly brief?: string },
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    workerNamed((await client.state(agent)).run, agent);
    const { worker } = await client.execute("run.reassignWorker", {
      worker: agent,
      model: options.model ?? null,
      brief: (options.brief ?? "").trim(),
    });
    return tell(
      options,
      client,
      `Reassigned the task of ${agent} to ${worker}. The work is kept in its change.`,
      {
        reassigned: agent,
        worker,
      },
    );
  });

export const takeOver = (agent: string, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    workerNamed((await client.state(agent)).run, agent);
    const { folder } = await client.execute("run.takeOver", { worker: agent });
    if (options.json) printJson({ kind: "done", live: client.isLive, taken: agent, folder });
    else {
      print(`You have taken over the task of ${agent}.\n\n  cd ${quoted(folder)}\n`);
      print(`To return it: hox give-back ${agent} [--done] [-m "what it should know"]`);
    }
    return exitCode.done;
  });

export const giveBack = (
  agent: string,
  options: CommonOptions & { readonly done?: boolean; readonly message?: string },
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    workerNamed((await client.state(agent)).run, agent);
    const words = (options.message ?? "").trim();
    const { files } = await client.execute("run.previewTakeover", { worker: agent });
    if (!options.done) {
      await client.execute("run.giveBack", { worker: agent, words });
      const count = `${files.length} ${files.length === 1 ? "file" : "files"} changed`;
      return tell(options, client, `${agent} resumes (${count} by you).`, { given: agent, files });
    }
    const { done, checks } = await client.execute("run.finishByHand", { worker: agent, summary: words });
    if (options.json)
      printJson({ kind: done ? "done" : "refused", live: client.isLive, given: agent, files, checks });
    for (const check of options.json ? [] : checks)
      print(
        [
          `  ${outcomeText[check.outcome].padEnd(9)} ${shownLine(check.name)}`,
          ...(isBlocking(check) ? block(check.output) : []),
        ].join("\n"),
      );
    if (!done)
      throw new CommandError(
        "A check failed. The task is still assigned to you.",
        `Fix it and retry, or return it to ${agent} without --done.`,
        exitCode.rejected,
      );
    if (!options.json) print(`The task of ${agent} is finished.${later(client)}`);
    return exitCode.done;
  });

/** Without words: the cards that wait. With them: the answer to one, by its name. */
export const answer = (
  card: string | undefined,
  words: readonly string[],
  options: CommonOptions,
): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const inbox = await client.inbox();
    if (card === undefined) {
      await keepListed(
        client.stateFolder,
        inbox.map(({ nonce }) => nonce),
      );
      if (options.json) for (const item of inbox) printJson({ ...item, name: cardName(item) });
      else
        for (const item of inbox)
          print(`${cardName(item)}\n${cardText(item)}\n${answerLines(item).join("\n")}\n`);
      if (inbox.length === 0 && !options.json) print("No cards are waiting for you.");
      return inbox.length === 0 ? exitCode.done : exitCode.waits;
    }
    const listed = await listedCards(client.stateFolder);
    const item = cardNamed(inbox, card, listed);
    const text = joinText(words);
    const decision = understand(item, text);
    if (!decision)
      throw new CommandError(
        whyNot(item, text),
        `Use one of: ${kindOfCard(item)
          .options(item)
          .map(({ typed, does }) => `${typed} (${does})`)
          .join("; ")}.`,
        exitCode.usage,
      );
    await client.execute("inbox.answer", { id: item.id, nonce: item.nonce, shown: item.shown, decision });
    if (listed)
      await keepListed(
        client.stateFolder,
        listed.filter((nonce) => nonce !== item.nonce),
      );
    const headline = shownLine(kindOfCard(item).headline(item));
    return tell(options, client, `Answered "${headline}".`, { id: item.id, card: item.kind, decision });
  });

/** `none` takes a limit away, or goes back to what is configured. */
type Limit = number | "none";
const orNull = (limit: Limit): number | null => (limit === "none" ? null : limit);

export interface BudgetOptions extends CommonOptions {
  /** Micro-dollars. */
  readonly usd?: Limit;
  readonly tokens?: Limit;
  readonly iterations?: Limit;
  readonly agents?: Limit;
}

/** Without options: what was spent, of what. With them: new limits of the run or of one worker. */
export const budget = (agent: string | undefined, options: BudgetOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { usd, tokens, iterations, agents } = options;
    const amounts = {
      ...(usd === undefined ? {} : { microDollars: orNull(usd) }),
      ...(tokens === undefined ? {} : { tokens: orNull(tokens) }),
      ...(iterations === undefined ? {} : { maxIterations: orNull(iterations) }),
    };
    const { run } = await client.state(agent);
    if (agent !== undefined) {
      workerNamed(run, agent);
      if (agents !== undefined)
        throw new CommandError("--agents applies to the whole run.", "Leave out the agent.", exitCode.usage);
      if (Object.keys(amounts).length > 0)
        await client.execute("run.setWorkerLimits", { worker: agent, ...amounts });
    } else if (Object.keys(amounts).length > 0 || agents !== undefined)
      await client.execute("run.setLimits", {
        ...amounts,
        ...(agents === undefined ? {} : { maxParallelAgents: orNull(agents) }),
      });
    const now = (await client.state(agent)).run;
    if (!now) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
    for (const line of accountOf(now, agent)) {
      if (options.json) printJson(line);
      else print(accountLine(line));
    }
    return exitCode.done;
  });

interface Account {
  readonly kind: "budget";
  readonly of: string;
  readonly microDollars: number;
  readonly limitMicroDollars: number | null;
  readonly limitTokens: number | null;
  readonly maxIterations: number;
  /** Of the run only. */
  readonly maxParallelAgents?: number;
}

function accountOf(run: RunView, agent: string | undefined): readonly Account[] {
  const workers = run.workers
    .filter((worker) => (agent === undefined ? roles[worker.role].isListed : worker.name === agent))
    .map(
      ({ name, budget: own }): Account => ({
        kind: "budget",
        of: name,
        microDollars: own.spent.microDollars,
        limitMicroDollars: own.limitMicroDollars,
        limitTokens: own.limitTokens,
        maxIterations: own.maxIterations,
      }),
    );
  if (agent !== undefined) return workers;
  return [
    {
      kind: "budget",
      of: "run",
      microDollars: run.budget.spent.microDollars,
      limitMicroDollars: run.budget.limitMicroDollars,
      limitTokens: run.budget.limitTokens,
      maxIterations: run.maxIterations,
      maxParallelAgents: run.maxParallelAgents,
    },
    ...workers,
  ];
}

const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(2)}`;

function accountLine(account: Account): string {
  const { limitMicroDollars, limitTokens, maxParallelAgents } = account;
  return [
    account.of.padEnd(12),
    `${dollars(account.microDollars)}${limitMicroDollars === null ? "" : ` of ${dollars(limitMicroDollars)}`}`.padEnd(
      18,
    ),
    ...(limitTokens === null ? [] : [`${limitTokens.toLocaleString("en")} tokens max,`]),
    `${account.maxIterations} iterations`,
    ...(maxParallelAgents === undefined ? [] : [`, ${maxParallelAgents} agents at a time`]),
  ]
    .join(" ")
    .replaceAll(" ,", ",");
}

const joinText = (words: readonly string[]): string => words.join(" ").trim();

/** As a shell takes it. */
const quoted = (path: string): string =>
  /^[\w./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
