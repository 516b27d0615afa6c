/** Agents of other makes for a run's workers: each has a runner in its workspace, Hox's tools, and a gateway to its model. */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { AgentCapabilities } from "#shared/domain/worker/agent-capabilities.ts";
import { parseAgentChoice } from "#shared/domain/worker/agent-choice.ts";
import type { ConversationDriver, ConversationOptions } from "../../agent/agent-interface.ts";
import { type AcpDriver, acpConversations } from "../../external-agents/acp-driver.ts";
import type { PermissionRequest } from "../../external-agents/acp-options.ts";
import { type AgentTables, agentsOf, type ExternalAgent } from "../../external-agents/agents-of.ts";
import { agentSetting, findAgent, installHint, loggedIn } from "../../external-agents/dialects.ts";
import {
  type AgentFolder,
  agentFolder,
  endKeptRunner,
  forgetRunner,
  keepRunner,
  keepSessions,
  keptRunner,
  keptSessions,
  networkSocket,
  toolsToken,
} from "../../external-agents/kept-runner.ts";
import { createMcpEndpoint } from "../../external-agents/mcp-endpoint.ts";
import { type RunnerHandle, socketsIn, startRunner } from "../../external-agents/start-runner.ts";
import { followLoginSecrets, loginStamp } from "../../external-agents/subscription.ts";
import type { GatewayOptions } from "../../model/gateway/gateway-interface.ts";
import { startGateway } from "../../model/gateway/start-gateway.ts";
import { createRedactor, secretsOf } from "../../tools/redact.ts";
import type { AdoptedProcess, NamespaceInit } from "../../tools/tool-interface.ts";
import { EngineRefusal, explain } from "../engine-errors.ts";
import { perRun } from "../kernel/once.ts";
import type { Run, RunReader } from "../ports.ts";
import type { TravelRule, WorkspaceHandle } from "../workspaces/workspace-interface.ts";
import { passOn } from "./refusals.ts";
import { checkLogin, openProvider, type ProviderAccess } from "./subscription.ts";

/** A worker's agent, with all that belongs to it. */
interface OpenAgent {
  /** What it was opened with: with other settings, or elsewhere, it is another one. */
  readonly key: string;
  readonly driver: ConversationDriver;
  close(): Promise<void>;
}

const openAgents = perRun((_: Run) => new Map<string, Promise<OpenAgent>>());
/** Of those that are open, and of those that were: what an agent has said of itself stays known. */
const drivers = perRun((_: RunReader) => new Map<string, AcpDriver>());

/** The agent of another make that a choice names, with the model that is asked for; null: Hox's own. */
export function externalAgent(
  config: AgentTables,
  choice: string,
): { readonly agent: ExternalAgent; readonly model: string | null } | null {
  const agents = agentsOf(config);
  const { agent: name, model } = parseAgentChoice(
    choice,
    agents.map((one) => one.name),
  );
  const agent = agents.find((one) => one.name === name);
  return agent === undefined ? null : { agent, model: model ?? agent.model };
}

/**
 * The conversations of a worker with an agent of another make, in the process that it has for its life.
 *
 * @throws EngineRefusal where the agent, its key or a model is missing
 */
export async function externalConversations(
  run: Run,
  worker: string,
  place: WorkspaceHandle,
  { agent, model }: { readonly agent: ExternalAgent; readonly model: string | null },
): Promise<ConversationDriver> {
  const login = agent.isSubscription ? checkLogin(agent) : null;
  if (login !== null && !run.mayUseLogin(agent.name))
    throw new EngineRefusal(
      `The use of your login by ${agent.dialect.label} was turned off.`,
      "Correct .hox/config.toml, so that Hox follows the settings, or turn it on again.",
    );
  const key = JSON.stringify([agent, model, place.id, login && loginStamp(login)]);
  const all = openAgents(run);
  const before = await all.get(worker)?.catch(() => null);
  if (before?.key === key) return before.driver;
  await before?.close();
  const opening = openAgent(run, worker, place, { agent, model, key, login });
  all.set(worker, opening);
  opening.catch(() => all.delete(worker));
  return (await opening).driver;
}

/** Where a worker's agent may work. A login stays where its user is logged in. */
export function travelRule(choice: { readonly agent: ExternalAgent } | null): TravelRule {
  if (choice === null) return { kind: "anywhere" };
  const { dialect, isSubscription, hasOwnCommand } = choice.agent;
  if (isSubscription) return { kind: "stays", why: "workers get no login of yours" };
  if (hasOwnCommand)
    return { kind: "stays", why: `${dialect.label} is started by a command in the configuration` };
  return { kind: "with-agent", agent: dialect.id, label: dialect.label };
}

/** Workers that have one. */
export const openExternalAgents = (run: Run): readonly string[] => [...openAgents(run).keys()];

/** What a worker's agent says that it can do; null before it runs. */
export const reportedCapabilities = (run: RunReader, worker: string): AgentCapabilities | null =>
  drivers(run).get(worker)?.capabilities() ?? null;

/** Ends a worker's agent, if it has one: its task is over, or its workspace goes. */
export async function closeExternalAgent(run: Run, worker: string): Promise<void> {
  const open = openAgents(run).get(worker);
  openAgents(run).delete(worker);
  await (await open?.catch(() => null))?.close();
}

/** Ends what an earlier host has left of a worker's agent, which has nothing more to do. */
export async function endLeftAgent(run: Run, worker: string): Promise<void> {
  const place = run.workspaces.of(worker);
  if (place === null || openAgents(run).has(worker)) return;
  const folder = folderOf(run, worker);
  await endKeptRunner(folder, adoptIn(run, place));
  await forgetRunner(folder);
}

const folderOf = (run: Run, worker: string): AgentFolder =>
  agentFolder(run.stateFolder, run.sharedFolder, `${run.id}/${worker}`);

const adoptIn =
  (run: Run, place: WorkspaceHandle) =>
  (init: NamespaceInit): Promise<AdoptedProcess> =>
    place.adopt(init, { protectedFiles: run.config.protectedFiles });

/** Ends all of a run. */
export async function closeExternalAgents(run: Run): Promise<void> {
  await Promise.all([...openAgents(run).keys()].map((worker) => closeExternalAgent(run, worker)));
}

/** An agent on another machine loses so much of its session with that. */
const keepSessionMs = 30_000;

interface Opening {
  readonly agent: ExternalAgent;
  readonly model: string | null;
  readonly key: string;
  /** The user's own; null: it has a key, through the gateway. */
  readonly login: string | null;
}

async function openAgent(
  run: Run,
  worker: string,
  place: WorkspaceHandle,
  { agent, model, key, login }: Opening,
): Promise<OpenAgent> {
  const { projectSettings, isSubscription } = agent;
  const settings = {
    ...{ model, maxTurns: run.config.loopDefaults.maxTurns, projectSettings, isSubscription },
  };
  const folder = folderOf(run, worker);
  const { home, sockets } = folder;
  const dialect = login === null ? agent.dialect : loggedIn(agent.dialect);
  const mcp = createMcpEndpoint(await toolsToken(folder));
  const asked: { gate: ConversationOptions["gate"] } = { gate: () => null };
  const secrets = login === null ? () => [] : loginSecrets(run, login);
  const gateway =
    login === null
      ? await openGateway(run, worker, agent, {
          socketPath: socketsIn(sockets).gateway,
          gate: () => asked.gate(),
          onHeld: () => driver.endTurn(),
        })
      : await openProvider(run, worker, agent, {
          socket: await networkSocket(folder),
          onTimeUp: () => driver.endTurn(),
        });
  let hasRunner = false;
  let readSessions: RunnerHandle["readSessions"] | null = null;
  let keptAt = Number.NEGATIVE_INFINITY;
  const adopt = adoptIn(run, place);
  const runnerHere = async (gone: RunnerHandle | null): Promise<RunnerHandle> => {
    const { protectedFiles } = run.config;
    const left = gone === null ? await keptRunner(folder, login && loginStamp(login), adopt) : null;
    if (left !== null) return left;
    // Its checks see the same folders at the same time, which shared layers do not allow.
    const show = (name: string): void => run.setActivity(worker, "waiting", `copying ${name}`);
    await place.ownPackages({ signal: run.runEnded.signal, show });
    const command = findAgent(agent.dialect, settings);
    if (command === null)
      throw new EngineRefusal(
        `${agent.dialect.label} is not installed: the program ${agent.dialect.program} was not found.`,
        `${installHint(agent.dialect)} Then retry.`,
      );
    const { isolation } = await run.sandbox();
    // As it is now: with what the file has later, its sandbox is not kept.
    const stamp = login && loginStamp(login);
    const started = await startRunner({
      sandbox: { isolation, start: ({ workspace: _, ...program }) => place.start(program) },
      agent: { ...command, files: { ...command.files, ...(await keptSessions(folder)) } },
      workspace: place.location,
      ...{ home, sockets },
      protectedFiles,
      ...(login === null || !dialect.subscription
        ? {}
        : { login: { file: login, name: dialect.subscription.file, folder: folder.login } }),
    });
    await keepRunner(folder, started, { workspace: place.location, login: stamp });
    return started;
  };
  const runner = async (gone: RunnerHandle | null): Promise<RunnerHandle> => {
    const { environment, hidden = [], sessions = null } = agentSetting(dialect, settings);
    const { protectedFiles } = run.config;
    const files = await keptSessions(folder);
    const started = await place.startAgent(
      {
        ...{ agent: dialect.id, environment, hidden, protectedFiles },
        ...{ files, sessions, sockets: socketsIn(sockets) },
      },
      () => runnerHere(gone),
    );
    hasRunner = true;
    readSessions = started.readSessions ?? null;
    if (started.isAway) await endKeptRunner(folder, adopt);
    return { ...started, loss: run.workspaces.takeLoss(worker) };
  };
  const keepSession = async (): Promise<void> => {
    keptAt = run.monotonic();
    try {
      const files = await readSessions?.();
      if (files) await keepSessions(folder, files);
    } catch (error) {
      const text = `What the agent needs to resume elsewhere could not be kept: ${explain(error).message}`;
      run.appendTranscript(worker, { kind: "notice", text });
    }
  };
  const driver = acpConversations({
    ...{ name: agent.name, dialect, projectSettings, mcp, runner },
    beforeTurn: () => place.bringToAgent(),
    afterTurn: keepSession,
    ...(login === null
      ? { usage: "metered" }
      : { usage: "unmetered", hidden: { stream: () => createRedactor(secrets()).stream() } }),
    permissions:
      agent.permissions === "sandbox"
        ? "sandbox"
        : (request, signal) => gateway.whileUserDecides(() => askForPermission(run, worker, request, signal)),
    gateway: gateway.turns,
  });
  const callEnded = (): void => {
    if (run.monotonic() - keptAt >= keepSessionMs) void keepSession();
  };
  const endTools = await mcp.listen(socketsIn(sockets).tools).catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  drivers(run).set(worker, driver);
  return {
    key,
    driver: asking(driver, asked, noticingCalls(place, callEnded)),
    async close() {
      try {
        await driver.close();
        // No turn of this host needed it.
        if (!hasRunner) await endKeptRunner(folder, adopt);
      } finally {
        endTools();
        await gateway.close();
        await forgetRunner(folder);
      }
    },
  };
}

const loginsInUse = perRun((_: Run) => new Map<string, () => readonly string[]>());

/** Secrets of a login, hidden in all that its run shows or stores from now on, also once it was renewed. */
function loginSecrets(run: Run, login: string): () => readonly string[] {
  const before = loginsInUse(run).get(login);
  if (before !== undefined) return before;
  const secrets = followLoginSecrets(login);
  loginsInUse(run).set(login, secrets);
  run.hideSecrets(secrets);
  return secrets;
}

/** The gateway of a worker's agent to its model, with the key. */
async function openGateway(
  run: Run,
  worker: string,
  agent: ExternalAgent,
  options: Pick<GatewayOptions, "socketPath" | "gate" | "onHeld">,
): Promise<ProviderAccess> {
  const upstream = await run.endpointFor(agent);
  const gateway = await startGateway({
    ...options,
    requester: `${run.id}/${worker}`,
    upstreams: { [agent.wire]: upstream },
    price: agent.price,
    onSpent(spent, spentOn) {
      run.spend(worker, spent, spentOn);
      const { usage, microDollars } = spent;
      run.appendTranscript(worker, { kind: "usage", usage, microDollars, model: spentOn });
    },
    onRefused: ({ message }) => run.appendTranscript(worker, { kind: "notice", text: message }),
    onRetry: (reason, attempt, waitMs) =>
      run.appendTranscript(worker, { kind: "retry", reason, attempt, waitMs }),
    redactor: createRedactor([...secretsOf(process.env), ...run.secrets(), upstream.apiKey]),
  });
  return { turns: gateway, whileUserDecides: (ask) => ask(), close: () => gateway.close() };
}

/** Any call of an agent of another make may have changed files, wherever they are. */
function noticingCalls(place: WorkspaceHandle, callEnded: () => void): (entry: ConversationEntry) => void {
  const open = new Map<string, () => void>();
  return (entry) => {
    if (entry.kind === "tool-call") open.set(entry.id, place.agentCall(callName(entry)));
    if (entry.kind !== "tool-result") return;
    open.get(entry.id)?.();
    open.delete(entry.id);
    callEnded();
  };
}

const titled = z.object({ title: z.string() });

/** As its agent named it, on one line. */
function callName({ tool, input }: ConversationEntry & { readonly kind: "tool-call" }): string {
  const title = titled.safeParse(input).data?.title.split("\n", 1)[0];
  return title ? shownName(title.slice(0, 200)) : tool;
}

/**
 * What keeps a conversation from its next request keeps its gateway from sending one.
 * @param hear entries of its conversations, once they are recorded
 */
function asking(
  driver: AcpDriver,
  asked: { gate: ConversationOptions["gate"] },
  hear: (entry: ConversationEntry) => void,
): ConversationDriver {
  const noted = (options: ConversationOptions): ConversationOptions => {
    asked.gate = options.gate;
    const onEntry = (entry: ConversationEntry): void => {
      options.onEntry(entry);
      hear(entry);
    };
    return { ...options, onEntry };
  };
  return {
    name: driver.name,
    start: (options) => driver.start(noted(options)),
    resume: (token, options) => driver.resume(token, noted(options)),
  };
}

/** Asks the user with a card. Words that are no option of the agent's refuse, and reach it with its next prompt. */
async function askForPermission(
  run: Run,
  worker: string,
  { request, toolCall, options, call }: PermissionRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const title = typeof toolCall.title === "string" ? toolCall.title : "a call";
  // An answer counts for what was asked, whatever a runner names it.
  const asked = createHash("sha256").update(JSON.stringify([request, toolCall, options]));
  const key = `permission/${worker}/${asked.digest("hex").slice(0, 32)}`;
  const answer = await run.inbox.ask(
    `${run.id}/${key}`,
    () => ({
      kind: "align-request",
      from: worker,
      question: `May I do this? ${title}`,
      options: options.filter(({ kind }) => kind !== "allow_always").map(({ name }) => name),
      changeId: run.worker(worker).record.changeId,
      ...(call === null ? {} : { call }),
    }),
    signal,
  );
  const words = answer.kind === "answer" ? answer.text : "";
  const chosen = options.find(({ name }) => name === words);
  if (chosen === undefined && words !== "") {
    const text = `You asked for permission: ${title}\nThe user refused: ${words}`;
    await passOn(run, { key, worker, text }, signal);
  }
  return (chosen ?? options.find(({ kind }) => kind === "reject_once"))?.optionId ?? null;
}
