/** Where git-lfs keeps the content that pointers stand for. */
import { createHash, randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { access, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { JjError } from "./errors.ts";
import { readGitCheckout } from "./git-checkout.ts";
import { runGit, runGitBytes } from "./git-process.ts";
import { lfsFolder } from "./lfs-folder.ts";
import { storeOption, storePatienceMs, type TreeEntry } from "./lfs-tree.ts";
import { gitFolderOf } from "./op-heads.ts";

/**
 * Copies a file of Git's store to where git-lfs looks for its content.
 * @returns the name that git-lfs gives it
 * @throws JjError where Git does not give it back whole; nothing is kept then
 */
export async function keepLfsObject(
  root: string,
  { blob, size }: Pick<TreeEntry, "blob" | "size">,
): Promise<string> {
  const objects = await objectsFolder(root);
  const drafts = join(objects, "..", "tmp");
  await mkdir(drafts, { recursive: true });
  const draft = join(drafts, `hox-${randomUUID()}`);
  try {
    const oid = await writeBlob(root, { blob, size }, draft);
    const place = join(objects, oid.slice(0, 2), oid.slice(2, 4), oid);
    await mkdir(dirname(place), { recursive: true });
    if (!(await exists(place))) await rename(draft, place);
    return oid;
  } finally {
    await rm(draft, { force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function objectsFolder(root: string): Promise<string> {
  const folder = readGitCheckout(root)?.commonFolder ?? (await gitFolderOf(root));
  const { exitCode, stdout } = await runGit({
    args: ["config", "--null", "--show-scope", "--get", "lfs.storage"],
    cwd: root,
  });
  const [scope = "", value = ""] = exitCode === 0 ? stdout.split("\0") : [];
  return join(lfsFolder(folder, { scope, value }), "objects");
}

/** Writes a blob to a new file, to the disk, without ever holding it whole. @returns the SHA-256 of what was written */
async function writeBlob(
  root: string,
  { blob, size }: Pick<TreeEntry, "blob" | "size">,
  path: string,
): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let written = 0;
  try {
    const { exitCode, stderr } = await runGitBytes(
      { args: [await storeOption(root), "cat-file", "blob", blob], cwd: root, timeoutMs: storePatienceMs },
      (bytes) => {
        hash.update(bytes);
        for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at);
        written += bytes.length;
      },
    );
    if (exitCode !== 0 || written !== size)
      throw new JjError({ kind: "failed", message: `Git did not return ${blob}.`, stderr });
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}
