/** The agent files that stand in a folder at this moment, for whoever writes them. */
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { claudeAgentsFolder } from "#shared/domain/agent-file/named-agent.ts";
import { type AgentFileReader, folderName } from "./read-agent-files.ts";

/** @param root of the repository */
export function folderReader(root: string, agentsDir: string): AgentFileReader {
  const folders = [...new Set([folderName(agentsDir), claudeAgentsFolder])];
  return {
    listFiles: async () => (await Promise.all(folders.map((folder) => markdownIn(root, folder)))).flat(),
    async readTexts(paths, { maxFileBytes }) {
      const texts = new Map<string, string>();
      for (const path of paths) {
        const place = join(root, path);
        // What a link points at is not in a commit either.
        const about = await lstat(place);
        if (about.isFile() && about.size <= maxFileBytes) texts.set(path, await readFile(place, "utf8"));
      }
      return texts;
    },
  };
}

/** Paths of the Markdown files of one folder; none where it is not there. */
export async function markdownIn(root: string, folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(join(root, folder));
    return names
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => (folder === "" ? name : `${folder}/${name}`));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
