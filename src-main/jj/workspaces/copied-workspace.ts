import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readBoundedBytesOrNull } from "../../disk/repository-files.ts";

/** What jj keeps in the folder of a workspace that has no files yet. */
export interface EmptyWorkspace {
  /** The folder around it: the path to the repository is relative to the workspace. */
  readonly around: string;
  /** Of `.jj/working_copy/checkout`, without the name that ends it. */
  readonly checkout: Buffer;
  /** Everything else, by its path in `.jj`. */
  readonly files: ReadonlyMap<string, Buffer>;
}

const checkoutPath = join("working_copy", "checkout");
const knownPaths = ["repo", checkoutPath, join("working_copy", "tree_state"), join("working_copy", "type")];

/** The workspace's name as the last field of jj's `Checkout`. */
const nameField = (name: string): Buffer =>
  Buffer.concat([Buffer.from([0x1a, Buffer.byteLength(name)]), Buffer.from(name)]);

/** Its length would take a second byte. */
const maxNameBytes = 127;

/** Of each file: of a workspace without files none is longer than a path. */
const maxBytes = 100_000;

/**
 * Reads a workspace that jj has just made, as a pattern for others.
 * @returns null where this jj writes something else than what is known here: then each is made by jj
 */
export async function readEmptyWorkspace(folder: string, name: string): Promise<EmptyWorkspace | null> {
  const own = join(folder, ".jj");
  const there = await readdir(own, { recursive: true });
  const files = new Map<string, Buffer>();
  for (const path of knownPaths) {
    const bytes = readBoundedBytesOrNull(join(own, path), maxBytes);
    if (bytes !== null) files.set(path, bytes);
  }
  const checkout = files.get(checkoutPath);
  const field = nameField(name);
  // One more is the folder.
  if (there.length !== files.size + 1 || !checkout?.subarray(-field.length).equals(field)) return null;
  files.delete(checkoutPath);
  return { around: dirname(folder), checkout: checkout.subarray(0, -field.length), files };
}

/**
 * Writes another one of its kind, which the repository knows from the first `jj edit` in it on: one process in place of two.
 * @returns false where it would not be right there
 */
export async function copyEmptyWorkspace(
  { around, checkout, files }: EmptyWorkspace,
  { name, folder }: { readonly name: string; readonly folder: string },
): Promise<boolean> {
  if (dirname(folder) !== around || Buffer.byteLength(name) > maxNameBytes) return false;
  const own = join(folder, ".jj");
  // Fails where something is there already.
  await mkdir(folder);
  await mkdir(join(own, dirname(checkoutPath)), { recursive: true });
  await writeFile(join(own, checkoutPath), Buffer.concat([checkout, nameField(name)]));
  for (const [path, bytes] of files) await writeFile(join(own, path), bytes);
  return true;
}
