/** An agent of another make in a place on this machine: its runner in the sandbox, and the way of that to the host. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InferContractRouterInputs } from "@orpc/contract";
import { createSerial } from "#shared/async/serial.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { installedAgent } from "../../external-agents/installed-agents.ts";
import { type Runner, socketsIn, startRunner } from "../../external-agents/start-runner.ts";
import { whileQuiet } from "../../processes/quiet-folder.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import type { machineContract } from "../machine-contract.ts";
import { readSessions } from "./read-sessions.ts";
import { openTunnels, type Tunnels } from "./tunnels.ts";

type Request = InferContractRouterInputs<typeof machineContract>["startAgent"];

interface PlacedAgent {
  readonly key: string;
  /** Where it keeps its sessions, below HOME. */
  readonly sessions: string | null;
  /** Their folder. */
  readonly sockets: string;
  readonly runner: Runner;
  readonly tunnels: Tunnels;
}

interface Folders {
  readonly workspace: string;
  /** HOME of the agent. */
  readonly home: string;
}

/** What its HOME began with has grown since. */
const keyOf = ({ files: _, ...request }: Request): string => JSON.stringify(request);

export type AgentSeat = ReturnType<typeof createAgentSeat>;

/** The one agent that a place may have. */
export function createAgentSeat(sandbox: Promise<Sandbox>, { workspace, home }: Folders) {
  const serial = createSerial();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => serial.run("agent", work);
  let agent: PlacedAgent | null = null;
  /** Those that have ended since the protected files were looked at. */
  let ended: readonly Runner[] = [];
  const restore = async (): Promise<string[]> => {
    const restored: string[] = [];
    const left = [...ended, ...(agent === null ? [] : [agent.runner])];
    for (const runner of left) restored.push(...(await runner.restoreProtected()));
    ended = [];
    return restored;
  };
  const end = async (): Promise<void> => {
    const left = agent;
    agent = null;
    if (left === null) return;
    left.tunnels.close();
    ended = [...ended, left.runner];
    await left.runner.kill();
    await removeTree(left.sockets);
  };
  const start = async (request: Request): Promise<PlacedAgent> => {
    const { isolation, start: startIn } = await sandbox;
    const { environment, hidden, protectedFiles, files } = request;
    const command = installedAgent(request.agent);
    // The path of a socket has to be short.
    const sockets = await mkdtemp(join(tmpdir(), "hox-agent-"));
    const tunnels = await openTunnels(socketsIn(sockets));
    try {
      const runner = await startRunner({
        ...{ workspace, home, sockets, protectedFiles },
        agent: { ...command, environment, hidden, files: { ...command.files, ...files } },
        // What it does without its host would count nowhere.
        sandbox: { isolation, start: (program) => startIn({ ...program, endsWithHost: true }) },
      });
      return { key: keyOf(request), sessions: command.sessions ?? null, sockets, runner, tunnels };
    } catch (error) {
      tunnels.close();
      await removeTree(sockets);
      throw error;
    }
  };
  return {
    start: (request: Request): Promise<{ readonly view: string; readonly token: string }> =>
      inTurn(async () => {
        if (agent?.key === keyOf(request)) agent.tunnels.cut();
        else {
          await end();
          // It would take what that one has left for the repository's own.
          await restore();
          agent = await start(request);
        }
        const { view, token } = agent.runner;
        return { view, token };
      }),
    stop: (): Promise<void> => inTurn(end),
    restoreProtected: (): Promise<string[]> => inTurn(restore),
    async readSessions(): Promise<Readonly<Record<string, string>>> {
      const path = agent?.sessions ?? null;
      return path === null ? {} : whileQuiet(workspace, () => readSessions(home, path));
    },
    /** Null: there is no agent. */
    tunnels: (): Tunnels | null => agent?.tunnels ?? null,
  };
}
