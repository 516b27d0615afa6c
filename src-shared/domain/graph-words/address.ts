/** Level of an orchestrator: `A` is the root, `B` decomposes further, then `C` and so on. */
interface OrchestratorName {
  readonly level: string;
  readonly number: number;
}

/** Who may receive a message: an orchestrator itself, or an agent below it. */
export interface Recipient {
  readonly orchestrator: string;
  /** Null when the recipient is the orchestrator itself. */
  readonly agent: string | null;
}

/**
 * The root orchestrator of a run that is the only active one; every run has one root, which plans the whole
 * goal and answers to the user. (HOX-3.1)
 */
export const rootOrchestrator = "O-A-1";

/** Whether an orchestrator plans a whole goal, and is no part of another's. (HOX-3.1) */
export const isRoot = (orchestrator: string): boolean => parseOrchestrator(orchestrator)?.level === "A";

/** The root of a run that starts while others are active: the first free name. (HOX-3.1b) */
export function freeRoot(taken: Iterable<string>): string {
  const names = new Set(taken);
  for (let number = 1; ; number++) {
    const name = formatOrchestrator({ level: "A", number });
    if (!names.has(name)) return name;
  }
}

const orchestratorForm = /^O-([A-Z])-([1-9][0-9]*)$/;
const agentForm = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** Reads `O-{level}-{n}`; null when it is no orchestrator's name. (HOX-3.1) */
export function parseOrchestrator(name: string): OrchestratorName | null {
  const [, level, number] = orchestratorForm.exec(name) ?? [];
  return level === undefined || number === undefined ? null : { level, number: Number(number) };
}

/** Writes an orchestrator's name: `O-A-1`. (HOX-3.1) */
export const formatOrchestrator = (name: OrchestratorName): string => `O-${name.level}-${name.number}`;

/** Orders names by level, then by number, so that `O-A-10` comes after `O-A-2`; other names come last. (HOX-3.1) */
export function compareOrchestrators(a: string, b: string): number {
  const left = parseOrchestrator(a);
  const right = parseOrchestrator(b);
  if (left === null || right === null) {
    return Number(left === null) - Number(right === null) || compareText(a, b);
  }
  return compareText(left.level, right.level) || left.number - right.number;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** True for the name of an agent: lower-case words and digits joined by `-`, such as `agent-42`. */
export const isAgentName = (name: string): boolean => agentForm.test(name);

/** The bookmark that assigns a task to an agent: `O-A-1/agent-42`. (HOX-1.2) */
export const assignmentBookmark = (orchestrator: string, agent: string): string => `${orchestrator}/${agent}`;

/** Reads an assignment's bookmark; null for any other bookmark. (HOX-1.2) */
export function parseAssignment(bookmark: string): { orchestrator: string; agent: string } | null {
  const [orchestrator, agent, ...rest] = bookmark.split("/");
  if (orchestrator === undefined || agent === undefined || rest.length > 0) return null;
  return parseOrchestrator(orchestrator) && isAgentName(agent) ? { orchestrator, agent } : null;
}

const addressForm =
  /^(?:O-(?:[A-Z]-)?\*|O-[A-Z]-[1-9][0-9]*\*?)(?:\/(?:\*|[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:-?\*)?))?$/;

/**
 * True for an address that a message may carry: a name, or one with `*` at the end of either half.
 * `O-A-1`, `O-A-1/agent-42`, `O-A-1/*`, `O-A-*`, `O-*`.
 */
export const isAddress = (address: string): boolean => addressForm.test(address);

/** True if `pattern`, in which `*` matches any characters but `/`, matches all of `name`. */
function covers(pattern: string, name: string): boolean {
  const star = pattern.indexOf("*");
  return star < 0 ? pattern === name : name.startsWith(pattern.slice(0, star)) && !name.includes("/");
}

/**
 * True when a message so addressed is for this recipient. (HOX-2.3)
 * `O-A-1` is for the orchestrator alone, `O-A-1/*` for its agents alone; `O-A-*` and `O-*` are for every
 * orchestrator they cover, not for agents, who hear from their own parent only. Nothing matches an invalid address.
 */
export function matchesAddress(address: string, recipient: Recipient): boolean {
  if (!isAddress(address)) return false;
  const [orchestrator = "", agent] = address.split("/");
  if (!covers(orchestrator, recipient.orchestrator)) return false;
  if (agent === undefined || recipient.agent === null) return agent === undefined && recipient.agent === null;
  return covers(agent, recipient.agent);
}

/** `matchesAddress` for a recipient that is written as its full address: `O-A-1`, `O-A-1/agent-2`. (HOX-2.3) */
export function addressMatches(address: string, recipient: string): boolean {
  const [orchestrator = "", agent = null, ...rest] = recipient.split("/");
  return rest.length === 0 && matchesAddress(address, { orchestrator, agent });
}

/** Name of the agent that brings an orchestrator's tasks together: `integrator`, `integrator-b-1`. */
export const integratorOf = (orchestrator: string): string =>
  orchestrator === rootOrchestrator
    ? "integrator"
    : `integrator-${orchestrator.replace(/^O-/u, "").toLowerCase()}`;
