import type { PushPreview } from "#shared/contract/commands/run.ts";
import { homeWorkspaceName } from "#shared/domain/change-metadata/address.ts";
import { notesRef } from "#shared/domain/change-metadata/change-note.ts";
import type {
  MessageType,
  Metadata,
  MetadataPatch,
  Priority,
  Status,
} from "#shared/domain/change-metadata/metadata.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { writeMetadata } from "#shared/domain/change-metadata/write-trailers.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { createJj } from "../../jj/process/process.ts";
import { withRevset } from "../../jj/read/unpublished.ts";
import { patternBookmark } from "../../patterns/patterns-interface.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { consent } from "../consent.ts";
import { print, printColoured, printError, printJson } from "../output.ts";
import { mistaken, translated, withRepository } from "../repository.ts";

export interface LogOptions extends CommonOptions {
  readonly revisions?: string;
  readonly limit?: number;
}

/** jj's own drawing, in the user's template; only the revset is translated. */
export function log(options: LogOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    // What was committed or pulled with Git since jj last looked belongs into it.
    await repository.importGit();
    const revset = options.revisions === undefined ? null : await translated(repository, options.revisions);
    // Hox's own workspace without files, used when Git manages the folder, is not work.
    const shown = revset ?? `(${await ordinary(repository.root)}) ~ present(${homeWorkspaceName}@)`;
    if (options.json) {
      const changes = await repository
        .query(shown, options.limit === undefined ? {} : { limit: options.limit })
        .catch((error: unknown) => {
          throw mistaken(options.revisions, error);
        });
      for (const change of changes) printJson(change);
      return exitCode.done;
    }
    const isColoured = process.stdout.isTTY === true && !process.env.NO_COLOR;
    const { stdout, stderr } = await withRevset(shown, (settings, short) =>
      createJj().run({
        args: [
          "-R",
          repository.root,
          "--ignore-working-copy",
          `--color=${isColoured ? "always" : "never"}`,
          ...settings,
          "log",
          "-r",
          short,
          ...(options.limit === undefined ? [] : [`--limit=${options.limit}`]),
        ],
        cwd: repository.root,
      }),
    ).catch((error: unknown) => {
      throw mistaken(options.revisions, error);
    });
    if (stderr !== "") printError(stderr.replace(/\n$/u, ""));
    if (stdout !== "") (isColoured ? printColoured : print)(stdout.replace(/\n$/u, ""));
    return exitCode.done;
  });
}

/** jj's default revset: the user's setting, or its own. */
async function ordinary(root: string): Promise<string> {
  const { stdout } = await createJj().run({
    args: ["-R", root, "--ignore-working-copy", "config", "get", "revsets.log"],
    cwd: root,
  });
  return stdout.trim();
}

interface DescribeOptions extends CommonOptions {
  readonly change: string;
  readonly message?: string;
  readonly setPriority?: Priority | "";
  readonly setStatus?: Status | "";
  readonly setOrchestrator?: string;
  readonly setAgent?: string;
  readonly setMsgTo?: string;
  readonly setMsgType?: MessageType | "";
  readonly setHoxMetrics?: string;
  readonly mutation?: boolean;
}

/** Writes Hox's words into a change, as the app does. (HOX-2.4) */
export function describe(options: DescribeOptions): Promise<ExitCode> {
  const { change } = options;
  const patch = patchOf(options);
  if (options.message === undefined && Object.keys(patch).length === 0) {
    throw new CommandError(
      "Nothing to write.",
      "Add -m, --mutation or one of the --set- options.",
      exitCode.usage,
    );
  }
  return withRepository(options, async (repository) => {
    const revset = await translated(repository, change);
    const [found, another] = await repository.query(revset, { limit: 2 }).catch((error: unknown) => {
      throw mistaken(change, error, "Find it with `hox log`.");
    });
    if (!found) throw new CommandError(`No change matches "${change}".`, "Find it with `hox log`.");
    if (another) throw new CommandError(`"${change}" matches more than one change.`, "Give one change id.");
    const name = found.divergent ? found.commitId : found.changeId;
    if (options.message === undefined)
      await repository.setMetadata([{ change: name, patch }], { actor: "terminal" });
    else {
      const { metadata } = parseDescription(found.description);
      await repository.describe(name, writeMetadata(options.message, { ...metadata, ...patch }), {
        actor: "terminal",
      });
    }
    const [written] = await repository.query(name, { limit: 1 });
    if (options.json) printJson(written);
    else if (written)
      print(
        `${name.slice(0, 12)} ${shownLine(parseDescription(written.description).subject)}${words(written.metadata)}`,
      );
    return exitCode.done;
  });
}

/** An empty text removes the word. */
function patchOf(options: DescribeOptions): MetadataPatch {
  const patch: Record<string, string | null> = options.mutation ? { kind: "mutation" } : {};
  const take = (field: keyof Metadata, value: string | undefined): void => {
    if (value !== undefined) patch[field] = value === "" ? null : value;
  };
  take("priority", options.setPriority);
  take("status", options.setStatus);
  take("orchestrator", options.setOrchestrator);
  take("agent", options.setAgent);
  take("msgTo", options.setMsgTo);
  take("msgType", options.setMsgType);
  take("metrics", options.setHoxMetrics);
  // The program has checked each value against its words.
  return patch as MetadataPatch;
}

const words = (metadata: Metadata): string =>
  Object.entries(metadata)
    .map(([field, value]) => `\n  ${field}: ${shownLine(String(value))}`)
    .join("");

export interface PushOptions extends CommonOptions {
  readonly yes?: boolean;
  /** False: `--no-notes`. */
  readonly notes?: boolean;
}

const trunks = ["main", "master", "trunk"];
/** Maximum of titles that are listed before confirming; `--json` has all. */
const maxTitles = 20;

/** Pushes a bookmark, by default the user's current one, else the trunk's. Asks first, unless `--yes`. */
export function push(bookmark: string | undefined, options: PushOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    await repository.importGit();
    const refs = await repository.refs();
    const stand = await repository.gitStand();
    const own = stand?.isManagedByGit ? stand.branch : null;
    const named = [...(own === null ? [] : [own]), ...(stand?.trunk ? [stand.trunk] : []), ...trunks];
    const name = bookmark ?? named.find((one) => refs.bookmarks[one] !== undefined);
    if (name === undefined)
      throw new CommandError(
        "No bookmark main, master or trunk in this repository.",
        "Give the bookmark to push: hox push <bookmark>",
        exitCode.usage,
      );
    const { remote, moves, changes, ...preview } = await repository.previewPush(name);
    if (remote === null)
      throw new CommandError("This repository has no remote.", "Add one: jj git remote add origin <url>");
    const notes = options.notes === false || name === patternBookmark ? 0 : preview.notes;
    if (options.json) printJson({ kind: "push", bookmark: name, remote, moves, changes, notes });
    else showMoves({ name, remote, moves, changes, notes });
    if (moves.length > 0) {
      await consent(options, `Push ${shownName(name)} to ${shownName(remote)}?`);
      await repository.push(name, moves, { actor: "terminal" });
      if (!options.json) print(`Pushed ${shownName(name)} to ${shownName(remote)}.`);
    }
    if (notes > 0) {
      await consent(options, `Push the metadata of ${commits(notes)} to ${shownName(remote)} as well?`);
      await repository.pushNotes(remote);
      if (!options.json) print(`Pushed the metadata of ${commits(notes)} to ${shownName(remote)}.`);
    }
    if (options.json && moves.length + notes > 0) printJson({ kind: "done", pushed: name, remote, notes });
    return exitCode.done;
  });
}

const commits = (count: number): string => `${count} ${count === 1 ? "commit" : "commits"}`;

function showMoves({
  name,
  remote,
  moves,
  changes,
  notes,
}: Pick<PushPreview, "moves" | "changes"> & {
  readonly name: string;
  readonly remote: string;
  readonly notes: number;
}): void {
  if (moves.length === 0) print(`${shownName(name)} is already up to date on ${shownName(remote)}.`);
  if (moves.length + notes > 0) print(`To ${shownName(remote)}:`);
  for (const move of moves) print(`  ${shownLine(move)}`);
  for (const { changeId, title } of changes.slice(0, maxTitles))
    print(`  ${changeId.slice(0, 12)} ${shownLine(title)}`);
  if (changes.length > maxTitles) print(`  and ${changes.length - maxTitles} more`);
  if (notes > 0) print(`  metadata of ${commits(notes)} (${notesRef})`);
}
