import { createHash } from "node:crypto";
import { join } from "node:path";
import { homeWorkspaceName } from "#shared/domain/graph-words/checkout-name.ts";
import type { Refs } from "#shared/graph/change.ts";
import { readBoundedBytes } from "../../disk/repository-files.ts";
import type { Store } from "../op-heads.ts";
import { fieldsOf, textOf } from "./protobuf.ts";

/** What an operation says of the graph. */
export interface View {
  /** Commits that nothing visible stands on. */
  readonly heads: readonly string[];
  readonly refs: Refs;
  /** Equal for two operations with the same tags and remote bookmarks: jj counts commits below those as immutable. */
  readonly published: string;
}

/** Numbers of the fields in `simple_op_store.proto`, which jj 0.44 to 0.46 write alike. */
const viewFields = { head: 1, bookmark: 5, legacyTag: 6, workspace: 8, remote: 11, tag: 13 } as const;
const targetFields = { terms: 3, added: 2, commit: 1 } as const;
const idBytes = 64;
/** Some 100 bytes for each head and bookmark. */
const maxViewBytes = 64_000_000;

/**
 * Reads the view of an operation from its file: no process, and no more than jj itself reads first.
 * @returns undefined where the store looks different
 */
export async function readView(store: Store, operation: string): Promise<View | undefined> {
  try {
    const folder = join(store.folder, "op_store");
    const header = readBoundedBytes(join(folder, "operations", operation), maxViewBytes) ?? Buffer.alloc(0);
    if (header[0] !== 0x0a || header[1] !== idBytes) return undefined;
    const view = header.toString("hex", 2, 2 + idBytes);
    return parseView(readBoundedBytes(join(folder, "views", view), maxViewBytes) ?? Buffer.alloc(0));
  } catch {
    // A store of another kind, or one that a later jj writes differently: whoever asks turns to jj, which says what is wrong.
    return undefined;
  }
}

/** @throws RangeError when the bytes are no such message */
export function parseView(bytes: Buffer): View {
  const heads: string[] = [];
  const bookmarks: Record<string, readonly string[]> = {};
  const workspaces: Record<string, string> = {};
  const published = createHash("sha256");
  for (const { field, bytes: value } of fieldsOf(bytes)) {
    if (field === viewFields.head) heads.push(value.toString("hex"));
    else if (field === viewFields.bookmark) {
      const { name, targets, remotes } = readBookmark(value);
      if (targets.length > 0) bookmarks[name] = targets;
      for (const remote of remotes) published.update(name).update("\0").update(remote);
    } else if (field === viewFields.workspace) {
      const [name, commit] = readPair(value);
      if (name !== homeWorkspaceName) workspaces[name] = commit.toString("hex");
    } else if (field === viewFields.tag || field === viewFields.legacyTag) published.update(value);
    else if (field === viewFields.remote && !isGitItself(value)) published.update(value);
  }
  return { heads, refs: { bookmarks, workspaces }, published: published.digest("hex") };
}

function readPair(bytes: Buffer): readonly [string, Buffer] {
  let name = "";
  let value: Buffer = Buffer.alloc(0);
  for (const part of fieldsOf(bytes))
    if (part.field === 1) name = textOf(part.bytes);
    else if (part.field === 2) value = part.bytes;
  return [name, value];
}

/** jj calls the Git repository beside it a remote of this name: what it holds of ours is not published. */
const isGitItself = (remote: Buffer): boolean => readPair(remote)[0] === "git";

function readBookmark(bytes: Buffer) {
  let name = "";
  let targets: readonly string[] = [];
  const remotes: Buffer[] = [];
  for (const part of fieldsOf(bytes)) {
    if (part.field === 1) name = textOf(part.bytes);
    else if (part.field === 2) targets = targetsIn(part.bytes);
    else if (part.field === 3 && !isGitItself(part.bytes)) remotes.push(part.bytes);
  }
  return { name, targets, remotes };
}

/**
 * The commits that a name points at: several when it is conflicted. jj writes each target as what was added to what was
 * removed, also one that is whole; a name that is gone adds nothing.
 */
const targetsIn = (target: Buffer): readonly string[] =>
  messagesIn([target], targetFields.terms)
    .flatMap((terms) => messagesIn([terms], targetFields.added))
    .flatMap((term) => messagesIn([term], targetFields.commit))
    .map((commit) => commit.toString("hex"));

const messagesIn = (messages: readonly Buffer[], field: number): readonly Buffer[] =>
  messages.flatMap((message) =>
    fieldsOf(message).flatMap((part) => (part.field === field ? [part.bytes] : [])),
  );
