/**
 * What the host asks of a machine that offers places. The machine opens the connection; the host alone asks. All that a
 * machine answers is parsed, and none of it is believed about files: `host/receive-files.ts`.
 */
import { type ContractRouterClient, eventIterator, oc } from "@orpc/contract";
import { z } from "zod";

/** A machine of another version gets no new places. `about` and `beat` stay as they are, so that it keeps those that it has. */
export const machineProtocol = 3;

/** What a host says when a machine connects: the version and the SHA-256 of the program that it gives to machines. */
export const offeredProgramHeader = "hox-worker";

export interface OfferedProgram {
  readonly protocol: number;
  readonly sha256: string;
}

export const formatOffer = ({ protocol, sha256 }: OfferedProgram): string => `${protocol} ${sha256}`;

/** Null: the host says nothing, or nothing that can be read. */
export function parseOffer(header: unknown): OfferedProgram | null {
  const [, protocol, sha256] = /^(\d{1,9}) ([0-9a-f]{64})$/u.exec(String(header)) ?? [];
  return sha256 === undefined ? null : { protocol: Number(protocol), sha256 };
}

/** Of one message, whichever way it goes. */
export const maxMessageBytes = 24_000_000;
/** Of objects or contents in one message, before they are written as base64. */
export const maxPartBytes = 4_000_000;

const text = (length: number) => z.string().max(length);
const objectId = z.string().regex(/^[0-9a-f]{40}$/u);
const id = z.string().regex(/^[0-9a-f]{8,64}$/u);
const count = z.number().int().min(0);

const place = { place: id, epoch: count };
const tunnel = { ...place, connection: count };

/** Of the sessions of an agent: what is longer does not travel. */
export const maxSessionBytes = 8_000_000;
export const maxSessionFiles = 500;
const sessionFiles = z.record(text(2_000), text(maxSessionBytes)).readonly();

/** Where an agent's sandbox leads to the host: to the gateway with models, and to Hox's tools. */
const agentSockets = ["gateway", "tools"] as const;

const about = z.strictObject({
  name: text(200),
  labels: z.array(text(100)).max(50),
  capacity: z.number().int().min(1).max(1_000),
  protocol: count,
  /** What the machine costs in an hour, where its owner has said it. */
  hourlyMicroDollars: count.max(1_000_000_000).optional(),
  /** What holds commands in there, as it found out itself. */
  isolation: z.strictObject({ kind: text(40), summary: text(500) }),
});

/** Of other makes. */
const installedAgents = z.array(z.strictObject({ name: text(100), version: text(200).nullable() })).max(100);

/** As it is kept, with a name of the host's, and with what it has answered since. */
export const machineAbout = z.object({
  ...about.omit({ name: true }).shape,
  agents: installedAgents.optional(),
});

const fileMethods = [
  ...["readText", "readPicture", "list", "find", "search"],
  ...["writeText", "move", "remove"],
] as const;

const picture = z.object({
  mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data: text(8_000_000),
  path: text(5_000),
  bytes: count,
});
const path = text(20_000);
const contents = text(14_000_000);
const lines = z.array(text(100_000)).max(1_000).readonly();

/** What each answers. */
export const fileAnswers = {
  readText: z.object({ path, text: contents, hash: text(200) }),
  readPicture: picture.nullable(),
  list: z.array(path).max(1_000_000).readonly(),
  find: z.array(path).max(1_000_000).readonly(),
  search: z.object({
    matches: z
      .array(z.object({ path, line: count, text: contents, before: lines, after: lines }))
      .max(1_000_000)
      .readonly(),
    passedOver: z.array(path).max(1_000_000).readonly(),
  }),
  writeText: z.object({ path, hash: text(200), created: z.boolean() }),
  move: z.object({ from: path, to: path }),
  remove: z.object({ path }),
};

const failure = z.strictObject({ ok: z.literal(false), error: text(60), output: text(1_000_000) });

const commandResult = z.object({
  outcome: z.enum(["exited", "timed-out", "cancelled", "missing"]),
  exitCode: z.number().int().nullable(),
  output: text(4_000_000),
  bytes: z.number(),
  ms: z.number(),
  log: z.null(),
  restored: z.array(path).max(100_000).readonly(),
});

const sentFile = z.strictObject({
  path,
  mode: text(10).nullable(),
  oid: text(64).nullable(),
  bytes: z.number(),
});

const someContents = z.array(z.strictObject({ oid: objectId, data: z.base64() })).max(10_000);

/** What differs from a tree that both sides know. */
const sentTree = z.strictObject({
  tree: objectId,
  files: z.array(sentFile).max(100_000),
  /** Of small files, so that most need no second question. */
  contents: someContents,
});
export type SentTree = z.infer<typeof sentTree>;

const fileOutcome = z.union([z.strictObject({ ok: z.literal(true), value: z.unknown() }), failure]);

export type FileOutcome = z.infer<typeof fileOutcome>;

const stringRecord = z.record(text(1_000), text(100_000)).readonly();
const stringList = z.array(path).max(10_000).readonly();

const fileCall = z.strictObject({
  ...place,
  method: z.enum(fileMethods),
  arguments: z.array(z.unknown()).max(4),
  maxBytes: count.optional(),
  protectedFiles: stringList,
});

export const machineContract = {
  about: oc.output(about),
  /** Agents of other makes that are installed there. */
  agents: oc.output(installedAgents),
  /**
   * @param confirmed number of the newest answer that the host has heard; null: none
   * @param held what the host knows it to hold; it removes all else
   */
  beat: oc
    .input(z.strictObject({ confirmed: count.nullable(), held: z.array(z.strictObject(place)).max(10_000) }))
    .output(z.strictObject({ number: count })),
  /** Makes a place, or continues one of the same epoch. Answers where its files are and which commits of the repository. */
  hold: oc
    .input(
      z.strictObject({
        ...place,
        repository: id,
        /** The repository's folder on the host: absolute paths of agents name it. */
        root: path,
        /** Ignored in addition to what the files say. */
        exclude: text(1_000_000),
        hosts: z.array(text(300)).max(1_000).readonly(),
        protectedFiles: stringList,
      }),
    )
    .output(
      z.strictObject({
        commits: z.array(objectId).max(10_000),
        isContinued: z.boolean(),
        /** What commands print before the names of files. */
        location: path.min(1),
      }),
    ),
  /** A part of a pack or of its index, in order. */
  give: oc.input(
    z.strictObject({
      repository: id,
      file: z.string().regex(/^pack-[0-9a-f]{40}\.(?:pack|idx)$/u),
      at: count,
      data: z.base64(),
      isLast: z.boolean(),
      /** Whose objects are all there with the last part. */
      commits: z.array(objectId).max(100),
    }),
  ),
  /** Replaces the files by those of a tree. What is ignored stays. */
  checkOut: oc.input(z.strictObject({ ...place, tree: objectId })),
  /** Git shows this commit there from now on: as HEAD if it is finished, else as work on top of HEAD. */
  showInGit: oc.input(z.strictObject({ ...place, commit: objectId, isFinished: z.boolean() })),
  changes: oc.input(z.strictObject({ ...place, since: objectId })).output(sentTree),
  contents: oc.input(z.strictObject({ ...place, oids: z.array(objectId).max(10_000) })).output(someContents),
  file: oc.input(fileCall).output(fileOutcome),
  /** The same for a call that writes, and then what differs from a tree that both sides know: the call does not wait for it. */
  write: oc
    .input(fileCall.extend({ since: objectId }))
    .output(
      eventIterator(z.union([z.strictObject({ outcome: fileOutcome }), z.strictObject({ sent: sentTree })])),
    ),
  run: oc
    .input(
      z.strictObject({
        ...place,
        command: text(1_000_000),
        folder: path.optional(),
        environment: stringRecord,
        timeoutMs: z.number(),
        protectedFiles: stringList.optional(),
        exactPaths: z
          .strictObject({ claimed: stringList.optional(), writable: stringList.optional() })
          .optional(),
        network: z.strictObject({ hosts: stringList, setting: text(1_000) }).optional(),
      }),
    )
    .output(
      eventIterator(
        z.union([
          z.strictObject({ output: text(1_000_000) }),
          z.strictObject({ result: commandResult }),
          z.strictObject({ failure }),
        ]),
      ),
    ),
  /**
   * Makes the new place what was kept under a key, which is that of its files and of the commands that ran.
   * @param seed where nothing was: HOME and these folders of what was kept under another key
   */
  takeSetUp: oc
    .input(
      z.strictObject({
        ...place,
        key: id,
        seed: z.strictObject({ key: id, folders: stringList }).optional(),
      }),
    )
    .output(z.strictObject({ isTaken: z.boolean() })),
  /** Keeps the place as it is for others of the same key. */
  keepSetUp: oc.input(z.strictObject({ ...place, key: id })),
  /**
   * Starts the runner of an agent of another make, or continues the one that was started alike. Connections from before are cut.
   */
  startAgent: oc
    .input(
      z.strictObject({
        ...place,
        agent: text(100),
        environment: stringRecord,
        hidden: stringList,
        protectedFiles: stringList,
        /** With what its HOME begins, besides what it always does. */
        files: sessionFiles,
      }),
    )
    .output(z.strictObject({ view: path.min(1), token: text(200) })),
  stopAgent: oc.input(z.strictObject(place)),
  /** What the agent has written of its sessions, by paths below its HOME. */
  readSessions: oc.input(z.strictObject(place)).output(sessionFiles),
  /** Answers which protected files the agent had changed. */
  restoreProtected: oc.input(z.strictObject(place)).output(z.array(path).max(100_000)),
  /** Waits until something in the agent's sandbox connects to a socket of the host's. Null: the agent has ended. */
  acceptTunnel: oc
    .input(z.strictObject(place))
    .output(z.strictObject({ connection: count, socket: z.enum(agentSockets) }).nullable()),
  /** Connects to the agent's runner. */
  openTunnel: oc.input(z.strictObject(place)).output(z.strictObject({ connection: count })),
  /** Waits for bytes; null: there will be none. Who asks for more has taken what came before. */
  readTunnel: oc.input(z.strictObject(tunnel)).output(z.strictObject({ data: z.base64().nullable() })),
  /** Null: there will be no more. Answers once the bytes were taken. */
  writeTunnel: oc
    .input(z.strictObject({ ...tunnel, data: z.base64().nullable() }))
    .output(z.strictObject({ isOpen: z.boolean() })),
  closeTunnel: oc.input(z.strictObject(tunnel)),
  cachesLeftOut: oc
    .input(z.strictObject(place))
    .output(z.array(z.object({ path, reason: text(1_000) })).max(10_000)),
};

export type MachineClient = ContractRouterClient<typeof machineContract>;
export type FileMethod = (typeof fileMethods)[number];
export type MachineSays = z.infer<typeof about>;
export type MachineAbout = z.infer<typeof machineAbout>;
