import type {
  MessageType,
  Metadata,
  MetadataPatch,
  Priority,
  Status,
} from "#shared/domain/graph-words/metadata.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { writeMetadata } from "#shared/domain/graph-words/write-trailers.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { mistaken, translated, withRepository } from "./repository.ts";

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
