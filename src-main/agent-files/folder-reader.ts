/** Reads the agent files in a folder. */
import { claudeAgentsFolder } from "#shared/domain/agent-file/named-agent.ts";
import { namesInRepository, readRepositoryFileOrNull } from "../disk/repository-files.ts";
import { type AgentFileReader, folderName } from "./read-agent-files.ts";

/** @param root of the repository */
export function folderReader(root: string, agentsDir: string): AgentFileReader {
  const folders = [...new Set([folderName(agentsDir), claudeAgentsFolder])];
  return {
    listFiles: async () => (await Promise.all(folders.map((folder) => markdownIn(root, folder)))).flat(),
    async readTexts(paths, { maxFileBytes }) {
      const texts = new Map<string, string>();
      for (const path of paths) {
        // What a link points at is not in a commit either.
        const text = readRepositoryFileOrNull(root, path, maxFileBytes);
        if (text !== null) texts.set(path, text);
      }
      return texts;
    },
  };
}

/** Paths of the Markdown files of one folder; none where it is not there. */
export async function markdownIn(root: string, folder: string): Promise<readonly string[]> {
  return namesInRepository(root, folder)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => (folder === "" ? name : `${folder}/${name}`));
}
