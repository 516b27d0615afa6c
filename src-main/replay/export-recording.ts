import { homedir, hostname, tmpdir, userInfo } from "node:os";
import { escapeRegex } from "#shared/domain/revset/hox-functions.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { secrets as secretKinds } from "../patterns/pattern-gate.ts";
import { createRedactor, secretsOf } from "../tools/redact.ts";
import { readAllGraphs } from "./past-graphs.ts";
import type { Recording } from "./recording.ts";
import { writeRecordingFile } from "./recording-file.ts";

export interface ExportOptions {
  readonly repository: Repository;
  readonly stateFolder: string;
  /** Secrets to remove, in addition to the environment's. */
  readonly secrets: readonly string[];
  readonly writtenBy: string;
  readonly onProgress?: (done: number, all: number) => void;
}

/** A run as a file for another machine: with its graphs, and without paths, addresses and secrets. */
export async function exportRecording(recording: Recording, options: ExportOptions): Promise<Buffer> {
  const { repository, writtenBy, onProgress } = options;
  const graphs = await readAllGraphs(repository, recording, onProgress);
  return writeRecordingFile(recordingForOthers({ ...recording, graphs }, options), writtenBy);
}

/** The recording as people on other machines may have it. */
export const recordingForOthers = (recording: Recording, about: AboutMachine): Recording =>
  withoutMachine(recording, machineOf(about));

/** A folder of the machine, and what is written in its place. */
interface Place {
  readonly folder: string;
  readonly name: string;
}

/** What of a machine and its people no file for others may hold. */
interface Machine {
  readonly places: readonly Place[];
  readonly secrets: readonly string[];
  /** Names of accounts and people. */
  readonly people: readonly string[];
}

/** Any user's folders, wherever a command may have printed them. */
const homes =
  /(?:\/home\/|\/Users\/|\/root(?=\/)|[A-Za-z]:\\+Users\\+)[^\s/\\"'`:<>|]*|\/(?:private\/)?(?:tmp|var\/folders)\/[^\s"'`:<>|/]+/gu;
const mailAddress = /(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}/gu;

/** What looks like a secret although it is not configured as one. */
const secretShapes = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|[\s\S]*)/gu,
  ...secretKinds.map(([, shape]) => new RegExp(shape.source, `${shape.flags}g`)),
];

/** @returns a function that hides these secrets in a text, and what looks like one */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const { redact } = createRedactor(secrets);
  return (text) => secretShapes.reduce((left, shape) => left.replaceAll(shape, "[redacted]"), redact(text));
}

/** A text as people on other machines may have it: without paths, addresses, people and secrets. */
export const textForOthers = (text: string, about: AboutMachine): string => cleaner(machineOf(about))(text);

/** Account names that are common on many machines and so reveal nothing. */
const commonAccounts = new Set(
  "root user admin administrator node ubuntu debian runner build builder test tester dev developer guest app web git hox localhost".split(
    " ",
  ),
);

/** All changes, including agents', have the name of the user whose machine it was. */
const anonymous = { name: "a user", email: "" };

/**
 * A recording without what belongs to the machine that it was made on.
 *
 * Every text of it without paths, addresses, people and secrets: known folders become their names, homes and temporary
 * folders of others `<folder>`. What cards were answered with cannot be used again.
 */
export function withoutMachine(recording: Recording, machine: Machine): Recording {
  const { changes, graphs } = recording.graphs;
  const authors = changes.flatMap(({ author }) => (author.name.includes(" ") ? [author.name] : []));
  const clean = cleaner({ ...machine, people: [...new Set([...machine.people, ...authors])] });
  return mapTexts(
    {
      ...recording,
      cards: recording.cards.map((card) => ({ ...card, item: { ...card.item, nonce: "" } })),
      graphs: { changes: changes.map((change) => ({ ...change, author: anonymous })), graphs },
    },
    clean,
  );
}

function cleaner({ places, secrets, people }: Machine): (text: string) => string {
  const clean = withoutSecrets(secrets);
  // The longest first: one may contain another.
  const known = places
    .flatMap(({ folder, name }) => spellings(folder).map((spelling) => ({ spelling, name })))
    .toSorted((one, other) => other.spelling.length - one.spelling.length);
  const names = people
    .filter((name) => name.length > 2 && !commonAccounts.has(name.toLowerCase()))
    .map((name) => new RegExp(`(?<![\\p{L}\\p{N}_])${escapeRegex(name)}(?![\\p{L}\\p{N}_])`, "giu"));
  const addresses = new Map<string, string>();
  /** Still shaped like an address, so that code and text stay readable; it does not exist. */
  const addressOfNobody = (address: string): string => {
    const known = addresses.get(address) ?? `address-${addresses.size + 1}@example.invalid`;
    addresses.set(address, known);
    return known;
  };
  return (text) => {
    const withoutPlaces = known
      .reduce(
        (left, { spelling, name }) => (left.includes(spelling) ? left.replaceAll(spelling, name) : left),
        clean(text),
      )
      .replaceAll(homes, "<folder>")
      .replaceAll(mailAddress, addressOfNobody);
    return names.reduce((left, name) => left.replaceAll(name, "<user>"), withoutPlaces);
  };
}

/** As it is, as a URL has it, and as a program writes it into a string. */
const spellings = (folder: string): readonly string[] =>
  [...new Set([folder, encodeURI(folder), JSON.stringify(folder).slice(1, -1)])].filter(
    (one) => one.length > 1,
  );

/** The same value with every text of it, keys as well, passed through `map`. */
function mapTexts<T>(value: T, map: (text: string) => string): T;
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [map(key), mapTexts(one, map)]));
}

interface AboutMachine extends Pick<ExportOptions, "stateFolder" | "secrets"> {
  /** Null: none is open. */
  readonly repository: Pick<Repository, "root"> | null;
}

function machineOf({ repository, stateFolder, secrets }: AboutMachine): Machine {
  const places = [
    ...(repository === null ? [] : [{ folder: repository.root, name: "<repository>" }]),
    { folder: stateFolder, name: "<state>" },
    { folder: tmpdir(), name: "<temporary>" },
    { folder: homedir(), name: "<home>" },
  ];
  return {
    places,
    secrets: [...secrets, ...secretsOf(process.env)],
    people: [hostname(), ...account()],
  };
}

/** Empty if the system has no account for this process's user id. */
function account(): readonly string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}
