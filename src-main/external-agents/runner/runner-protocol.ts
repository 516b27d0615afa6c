/**
 * What a host and a worker's runner say to each other, one line of JSON per message. The runner is where the agent is: a
 * host believes nothing that it says without looking.
 */
import { z } from "zod";

/** The first line of the runner's input. Paths are as the runner sees them. */
export const runnerConfig = z.object({
  /**
   * What a host shows to be attached. An agent can read it in its runner's memory: attached itself it only loses its host,
   * which ends the sandbox.
   */
  token: z.string(),
  /** Where the runner listens. */
  socket: z.string(),
  /** The sockets that lead out of the sandbox: to the gateway with models, and to Hox's tools. */
  gateway: z.string(),
  tools: z.string(),
  /** To the hosts of its provider, for an agent with its user's own login; null: there is none. */
  network: z.string().nullable(),
  cwd: z.string(),
  /** In a value `{bridge}` stands for the address on the loopback that leads to the gateway, `{proxy}` for the network's, `{home}` for HOME. */
  agent: z.object({
    words: z.tuple([z.string()], z.string()),
    environment: z.record(z.string(), z.string()),
  }),
  limits: z.object({
    /** Until an agent must have started, and have opened a session. */
    startMs: z.number(),
    /** Between a cancel and the end of the agent's input. */
    cancelMs: z.number(),
    /** Between that and its end by force. */
    closeMs: z.number(),
    /** The runner ends when no host was there for so long and no turn is running. */
    unattendedMs: z.number(),
    /** Of events that no host has confirmed: then the agent has to wait. */
    unconfirmedBytes: z.number(),
  }),
});
export type RunnerConfig = z.infer<typeof runnerConfig>;

/** What a session is opened with. */
const sessionSettings = z.object({
  /** Session to resume; null: a new one. */
  resume: z.string().nullable(),
  system: z.string(),
  /** Hox's tools behind the bridge; null: none. */
  mcpToken: z.string().nullable(),
  /** Passed on to the agent as it is. */
  meta: z.record(z.string(), z.unknown()).optional(),
  mode: z.string().optional(),
  model: z.string().optional(),
});

/** `id` is the host's: a command that was sent again after a broken line is done once. */
export const runnerCommand = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("attach"), token: z.string(), after: z.number().nullable() }),
  z.object({ kind: z.literal("confirm"), seq: z.number() }),
  sessionSettings.extend({ kind: z.literal("open"), id: z.string() }),
  z.object({ kind: z.literal("prompt"), id: z.string(), session: z.string(), text: z.string() }),
  z.object({ kind: z.literal("cancel") }),
  z.object({ kind: z.literal("permit"), request: z.string(), option: z.string().nullable() }),
  z.object({ kind: z.literal("end") }),
]);
export type RunnerCommand = z.infer<typeof runnerCommand>;

const failure = z.object({ code: z.number().nullable(), message: z.string() });
/** Why an agent did not do what it was asked for; without a code it was not its answer. */
export type AgentFailure = z.infer<typeof failure>;

const capabilities = z.object({
  resume: z.enum(["none", "load", "resume"]),
  mcpHttp: z.boolean(),
  images: z.boolean(),
  system: z.boolean(),
});
export type ReportedCapabilities = z.infer<typeof capabilities>;

const permission = z.object({
  kind: z.literal("permission"),
  request: z.string(),
  session: z.string(),
  toolCall: z.record(z.string(), z.unknown()),
  options: z.array(z.object({ optionId: z.string(), name: z.string(), kind: z.string() })),
});
export type PermissionEvent = z.infer<typeof permission>;

/** What happened, in order; the runner keeps it until a host confirms it. */
const runnerEvent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("agent"), name: z.string(), version: z.string(), capabilities }),
  z.object({ kind: z.literal("opened"), id: z.string(), session: z.string(), notes: z.array(z.string()) }),
  z.object({ kind: z.literal("not-opened"), id: z.string(), failure }),
  z.object({ kind: z.literal("update"), session: z.string(), update: z.record(z.string(), z.unknown()) }),
  permission,
  z.object({ kind: z.literal("permission-over"), request: z.string() }),
  z.object({
    kind: z.literal("turn"),
    id: z.string(),
    session: z.string(),
    stopReason: z.string().nullable(),
    failure: failure.nullable(),
    /** What the agent says that it used, in its own form. */
    usage: z.unknown().optional(),
  }),
  /** The agent's process ended. */
  z.object({ kind: z.literal("exited"), how: z.string() }),
]);
export type RunnerEvent = z.infer<typeof runnerEvent>;

/** The answer to `attach`. Events after `from` follow; those up to `last` happened before. Open requests are asked again. */
const attached = z.object({
  kind: z.literal("attached"),
  from: z.number(),
  last: z.number(),
  agent: z.object({ name: z.string(), version: z.string(), capabilities }).nullable(),
  /** The session that is open. */
  session: z.string().nullable(),
  turn: z.object({ id: z.string(), session: z.string() }).nullable(),
  permissions: z.array(permission),
});
export type Attached = z.infer<typeof attached>;

export const runnerMessage = z.union([
  attached,
  z.object({ kind: z.literal("event"), seq: z.number(), event: runnerEvent }),
]);

/** More in one line is no message. */
const maxLine = 40_000_000;

/**
 * Cuts a stream of bytes into lines.
 * @returns takes a chunk and gives its complete lines
 * @throws Error for a line that does not end
 */
export function lineReader(): (chunk: Buffer) => readonly string[] {
  let waiting: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      waiting.push(chunk);
      size += chunk.length;
      if (size > maxLine) throw new Error(`A message is longer than ${maxLine} bytes.`);
      return [];
    }
    const text = Buffer.concat([...waiting, chunk.subarray(0, end)]).toString("utf8");
    waiting = [chunk.subarray(end + 1)];
    size = chunk.length - end - 1;
    return text.split("\n").filter((line) => line !== "");
  };
}
