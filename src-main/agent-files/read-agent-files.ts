/** The named agents of a repository, as its files describe them. (HIVE-1) */

import {
  type AgentFile,
  type AgentFileKind,
  type AgentFileProblem,
  type AgentFiles,
  claudeAgentsFolder,
  maxAgentFileBytes,
  maxAgentFiles,
} from "#shared/domain/agent-file/named-agent.ts";
import type { JudgeModel } from "#shared/domain/agent-file/parse-agent-file.ts";
import { collectAgents } from "#shared/domain/agent-file/parse-agent-file.ts";
import { UnknownModel } from "#shared/domain/spending/prices.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { namesInRepository, readRepositoryFileOrNull } from "../disk/repository-files.ts";
import { priceOf, shippedPrices } from "../model/price-table.ts";

/** The files of one commit, or of a folder. */
export interface AgentFileReader {
  /** Paths of the repository with slashes. */
  readonly listFiles: () => Promise<readonly string[]>;
  /** Texts by path. A file that is longer than `maxFileBytes` is missing. */
  readonly readTexts: (
    paths: readonly string[],
    options: { readonly maxFileBytes: number },
  ) => Promise<ReadonlyMap<string, string>>;
}

/**
 * Reads the Markdown files of `agents_dir` and of `.claude/agents`.
 *
 * @param agentsDir `hive.agents_dir`
 * @returns the agents that are without a mistake, and what is wrong with the others
 */
export async function readAgentFiles(reader: AgentFileReader, agentsDir: string): Promise<AgentFiles> {
  const found = (await reader.listFiles()).flatMap((path) => {
    const kind = agentFileKind(path, agentsDir);
    return kind === null ? [] : [{ path, kind }];
  });
  const taken = found.slice(0, maxAgentFiles);
  const texts =
    taken.length === 0
      ? new Map<string, string>()
      : await reader.readTexts(
          taken.map(({ path }) => path),
          { maxFileBytes: maxAgentFileBytes },
        );
  const files = taken.flatMap((file): readonly AgentFile[] => {
    const text = texts.get(file.path);
    return text === undefined ? [] : [{ ...file, text }];
  });
  const { agents, problems } = collectAgents(files, judgeModel);
  return {
    agents,
    problems: [
      ...problems,
      ...taken.filter(({ path }) => !texts.has(path)).map(({ path }) => tooLong(path)),
      ...found.slice(maxAgentFiles).map(({ path }) => tooMany(path)),
    ],
  };
}

/** The families by which Claude Code's files call models. */
const families = ["sonnet", "opus", "haiku"];

/** A model that has a price can be asked; a family means its model of the price table. (PLAN-4) */
export const judgeModel: JudgeModel = (name) => {
  const model = families.includes(name) ? (newestOf(name) ?? name) : name;
  try {
    priceOf(noUsage, model);
    return { model };
  } catch (error) {
    if (!(error instanceof UnknownModel)) throw error;
    return {
      mistake: `${JSON.stringify(name)} is a model without a known price, so it can't be used.`,
      remedy: error.message,
    };
  }
};

const newestOf = (family: string): string | undefined =>
  Object.keys(shippedPrices().models)
    .filter((model) => model.startsWith(`claude-${family}-`))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);

/** Of what kind an agent file at this path would be; null: none. */
function agentFileKind(path: string, agentsDir: string): AgentFileKind | null {
  const folder = path.split("/").slice(0, -1).join("/");
  const name = path.split("/").at(-1) ?? "";
  // What explains a folder to people is no agent.
  if (!name.endsWith(".md") || name.toLowerCase() === "readme.md") return null;
  if (folder === claudeAgentsFolder) return "claude";
  return folder === folderName(agentsDir) ? "hox" : null;
}

/** The folder of a setting as paths have it. */
export const folderName = (setting: string): string =>
  setting
    .split(/[\\/]/u)
    .filter((part) => part !== "" && part !== ".")
    .join("/");

const tooLong = (path: string): AgentFileProblem => ({
  path,
  line: 1,
  level: "error",
  problem: `The file is larger than ${maxAgentFileBytes / 1024} kB or can't be read.`,
  remedy: "Shorten it: its text is sent with every request of the agent.",
});

const tooMany = (path: string): AgentFileProblem => ({
  path,
  line: 1,
  level: "error",
  problem: `Too many agent files: the maximum is ${maxAgentFiles}.`,
  remedy: "Delete some.",
});

/**
 * Reads the agent files in a folder.
 *
 * @param root of the repository
 */
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
async function markdownIn(root: string, folder: string): Promise<readonly string[]> {
  return namesInRepository(root, folder)
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => (folder === "" ? name : `${folder}/${name}`));
}
