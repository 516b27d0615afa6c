/**
 * Named agents from files of the repository. Read once for a run, from its base commit, which the user made,
 * and never from a workspace, where an agent could write one.
 */
import type { AgentFiles, NamedAgent } from "#shared/domain/agent-file/named-agent.ts";
import { readAgentFiles } from "../../agent-files/read-agent-files.ts";
import { explain } from "../engine-errors.ts";
import { inform, warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

const step = "named-agents";

/** Empty before `readNamedAgents`. */
export const namedAgents = (run: Run): readonly NamedAgent[] =>
  run.journal.step<readonly NamedAgent[]>(run.id, step)?.result ?? [];

/** Reads them once for a run, and says which files are no agents for a mistake, and which are another tool's. */
export async function readNamedAgents(run: Run): Promise<void> {
  if (!run.config.hive.enabled) return;
  await run.step(step, async (): Promise<readonly NamedAgent[]> => {
    const { agents, problems } = await find(run);
    for (const { path, line, problem, remedy } of problems) warn(run, `${path}:${line}: ${problem}`, remedy);
    const foreign = agents.filter(({ source }) => source.kind === "claude");
    if (foreign.length > 0)
      inform(
        run,
        `Agents can start these agents from .claude/agents: ${foreign.map(({ name }) => name).join(", ")}.`,
        "No action needed. See their prompts and tools with `hox agents list`.",
      );
    return agents;
  });
}

async function find(run: Run): Promise<AgentFiles> {
  const nobody = { agents: [], problems: [] };
  const { onto } = run.facts;
  if (onto === null) return nobody;
  const { signal } = run.runEnded;
  try {
    return await readAgentFiles(
      {
        listFiles: () => run.repository.listFiles(onto.commitId),
        readTexts: (paths, { maxFileBytes }) =>
          run.repository.readTexts(onto.commitId, paths, { maxFileBytes, signal }),
      },
      run.config.hive.agentsDir,
    );
  } catch (error) {
    if (signal.aborted) throw error;
    warn(
      run,
      `The agents of the repository (${run.config.hive.agentsDir}, .claude/agents) could not be read: ${explain(error).message}`,
      "No action needed: the run continues without them.",
    );
    return nobody;
  }
}
