import { lfsPointerText, maxLfsPointerBytes, readLfsPointer } from "#shared/domain/files/lfs-pointer.ts";
import { readGitCheckout } from "./git-checkout.ts";
import { keepLfsObject } from "./lfs-objects.ts";
import { createLfsRules, isRules, type LfsRules, placesOfRules } from "./lfs-rules.ts";
import { blobText, listTree, type TreeEntry, treeEntries } from "./lfs-tree.ts";
import { gitFolderOf } from "./op-heads.ts";
import { isPartialClone } from "./partial-clone.ts";

/** A file of a commit that `.gitattributes` gives to Git LFS and that holds its content all the same. */
interface LfsContent {
  readonly path: string;
  /** Of Git's object. */
  readonly blob: string;
  readonly size: number;
}

/** What Git LFS has to do with a repository. Nothing here starts git-lfs, or reads a file of an agent's folder. */
export interface Lfs {
  /** Files of a commit that are kept by Git LFS. */
  files(commit: string): Promise<readonly string[]>;
  /** Those of some paths that hold content where a commit should hold a pointer. */
  contentAmong(commit: string, paths: readonly string[]): Promise<readonly LfsContent[]>;
  /** Keeps such content where git-lfs looks for it. @returns the text of its pointer */
  keep(content: LfsContent): Promise<string>;
}

/** Makes the part that knows Git LFS; without Git in the folder itself nothing is kept by it. */
export function createLfs(root: string): Lfs {
  const given = createLfsRules(root);
  const known = new Map<string, string>();

  /** What blobs hold never changes. */
  async function textOf(blob: string): Promise<string> {
    const text = known.get(blob) ?? (await textUnlessMissing(root, blob));
    if (text === null) return "";
    known.set(blob, text);
    return text;
  }

  const withTexts = (entries: readonly TreeEntry[]): Promise<readonly LfsRules[]> =>
    Promise.all(entries.map(async ({ path, blob }) => ({ path, text: await textOf(blob) })));

  /** An empty file is its own pointer. */
  const holdsContent = async ({ blob, size }: TreeEntry): Promise<boolean> =>
    size > maxLfsPointerBytes || (size > 0 && readLfsPointer(await textOf(blob)) === null);

  return {
    async files(commit) {
      if (!mayHoldPointers(root, commit)) return [];
      const entries = await listTree(root, commit);
      const rules = entries.filter(({ path }) => isRules(path));
      return given(
        entries.map(({ path }) => path),
        await withTexts(rules),
      );
    },

    async contentAmong(commit, paths) {
      if (paths.length === 0 || !mayHoldPointers(root, commit)) return [];
      const rules = await treeEntries(root, commit, placesOfRules(paths));
      const lfs = await given(paths, await withTexts(rules));
      const found: LfsContent[] = [];
      for (const entry of await treeEntries(root, commit, lfs)) {
        const { path, blob, size } = entry;
        if (await holdsContent(entry)) found.push({ path, blob, size });
      }
      return found;
    },

    async keep({ blob, size }) {
      return lfsPointerText({ oid: await keepLfsObject(root, { blob, size }), size });
    },
  };
}

/** What jj has below a first commit is nothing that Git knows. */
const mayHoldPointers = (root: string, commit: string): boolean =>
  !/^0+$/u.test(commit) && readGitCheckout(root) !== null;

/** What a partial clone lacks gives no file to anybody; no run begins on such a commit. */
async function textUnlessMissing(root: string, blob: string): Promise<string | null> {
  try {
    return await blobText(root, blob);
  } catch (error) {
    if (isPartialClone(await gitFolderOf(root))) return null;
    throw error;
  }
}
