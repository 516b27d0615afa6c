import { dialects, findAgent, installedVersion } from "./dialects.ts";

/** An agent of another make whose program is installed on a machine. */
interface InstalledAgent {
  readonly name: string;
  /** Of its package; null: it is in none. */
  readonly version: string | null;
}

/** What is looked for here needs neither: only whether it is there, and how it is called. */
const unchosen = { model: null, maxTurns: 1 };

/** Those that Hox knows and that this machine has. */
export const installedAgents = (): readonly InstalledAgent[] =>
  dialects.flatMap((dialect) => {
    const [program] = findAgent(dialect, unchosen)?.words ?? [];
    return program === undefined ? [] : [{ name: dialect.id, version: installedVersion(program) }];
  });

/**
 * How one of those is called here.
 *
 * @throws Error where it is not installed any more
 */
export function installedAgent(name: string) {
  const dialect = dialects.find(({ id }) => id === name);
  const command = dialect && findAgent(dialect, unchosen);
  if (!command) throw new Error(`${dialect?.label ?? name} is not installed there.`);
  return command;
}
