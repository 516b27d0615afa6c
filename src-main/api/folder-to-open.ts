/** From a folder that somebody names to the repository that is opened. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FolderView } from "#shared/contract/views/folder.ts";
import type { Repository } from "../jj/repository-interface.ts";
import type { HostParts } from "./host-parts.ts";
import { Refusal } from "./refusal.ts";

export interface Prepared {
  inspect(folder: string, inspectFolder: HostParts["inspectFolder"]): Promise<FolderView>;
  /** Opens it, or hands out the one that is open for that. */
  take(root: string): Promise<Repository>;
  close(): Promise<void>;
}

/** The repository that was looked at last, kept open because it is what will be asked for next. */
export function createPrepared(openRepository: (root: string) => Promise<Repository>): Prepared {
  let prepared: Repository | null = null;
  return {
    async inspect(folder: string, inspectFolder: HostParts["inspectFolder"]): Promise<FolderView> {
      if (existsSync(join(folder, ".jj"))) {
        try {
          const repository = await openRepository(folder);
          await prepared?.close();
          prepared = repository;
          return { kind: "jj", root: repository.root };
        } catch {
          // What is wrong with it is said in more words by the inspection.
        }
      }
      return inspectFolder(folder);
    },
    async take(root: string): Promise<Repository> {
      const taken = prepared;
      if (taken?.root !== root) return openRepository(root);
      prepared = null;
      return taken;
    },
    close: async () => prepared?.close(),
  };
}

/** Makes a folder a jj repository. Answers with what was done beside it, for a person. */
export async function adoptFolder(
  parts: Pick<HostParts, "inspectFolder" | "initInGitRepository" | "initPlain">,
  path: string,
): Promise<{ readonly root: string; readonly words: readonly string[] }> {
  const folder = await parts.inspectFolder(path);
  const { root } = folder;
  if (folder.kind === "plain") return { root, words: await parts.initPlain(root) };
  if (folder.kind !== "git") return { root, words: [] };
  if (!folder.canAdopt)
    throw new Refusal(
      folder.reason ?? `Can't make ${root} a jj repository.`,
      "Fix that, or clone it with `jj git clone`.",
    );
  return { root, words: await parts.initInGitRepository(root) };
}

/** The jj repository that a folder lies in, or a refusal that says what the folder is instead. */
async function jjRootOf(parts: Pick<HostParts, "inspectFolder">, path: string): Promise<string> {
  const folder = await parts.inspectFolder(path);
  switch (folder.kind) {
    case "jj":
      return folder.root;
    case "git":
      throw new Refusal(
        `${folder.root} is a Git repository without jj.`,
        folder.canAdopt
          ? "Hox can add jj to it (in a terminal: `hox init`). Git keeps working, and Hox asks before it changes anything."
          : (folder.reason ?? "Clone it with `jj git clone`."),
      );
    case "plain":
      throw new Refusal(
        `${folder.root} is not a repository.`,
        "Hox can create one (in a terminal: `hox init`), or you can open another folder.",
      );
    default:
      throw new Refusal(folder.reason, folder.remedy);
  }
}

/** The root of the repository that a folder is, or lies in; a refusal says what the folder is instead. */
export const rootOfFolder = async (parts: Pick<HostParts, "inspectFolder">, path: string): Promise<string> =>
  existsSync(join(path, ".jj")) ? path : jjRootOf(parts, path);
