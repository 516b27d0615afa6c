/** What of its caller's tools a fork may use. All of them are told to it, so that it shares its caller's prefix. */
import { agentTools } from "../../../../tools/agent-tools.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";

/** Reading, writing, running, and the one word that ends a task. */
const ofForks: ReadonlySet<string> = new Set(
  agentTools()
    .filter(({ name, onlySignals }) => !onlySignals || name === "report_done")
    .map(({ name }) => name),
);

/**
 * A tool of its caller's in a clone's hands: refused when it is called, by its name, where it is disabled for clones or
 * speaks for its caller. (HIVE-4)
 *
 * @param disabled `hive.clone_disable_tools`
 * @param fork with which the clone forks in its turn
 */
export function cloneTool(
  tool: Tool,
  { disabled, fork }: { readonly disabled: readonly string[]; readonly fork: Tool },
): Tool {
  if (disabled.includes(tool.name))
    return refused(tool, `${tool.name} is disabled for clones (hive.clone_disable_tools).`);
  if (tool.name === fork.name) return fork;
  if (!ofForks.has(tool.name))
    return refused(
      tool,
      `${tool.name} is not for a fork: it speaks for your caller. Say in your answer what your caller should do with it.`,
    );
  return tool;
}

/**
 * What a named agent has, in the order of everybody's tools.
 *
 * @param fork with which it forks in its turn
 * @param names of its file; null: all that a fork may have
 */
export const namedTools = (
  own: readonly Tool[],
  fork: Tool,
  names: readonly string[] | null,
): readonly Tool[] =>
  [...own.filter(({ name }) => ofForks.has(name)), fork].filter(
    ({ name }) => names === null || names.includes(name),
  );

const refused = (tool: Tool, output: string): Tool => ({
  ...tool,
  onlySignals: false,
  run: async () => ({ ok: false, error: "not-allowed", output }),
});
