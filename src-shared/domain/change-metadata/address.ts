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

/** The same on every machine, whatever its language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

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

/** Reads a full address: `O-A-1`, `O-A-1/agent-2`. Whatever comes before the first slash counts as the orchestrator. */
export function parseAddress(address: string): Recipient {
  const [orchestrator = address, agent = null] = address.split("/");
  return { orchestrator, agent };
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

/**
 * Why a bookmark cannot have this name, for the user; null if it can. The rules are those of Git's branch
 * names, because every bookmark is exported as one. (HOX-2.2)
 * @param name as it was typed, without white space around it
 */
export function bookmarkNameProblem(name: string): string | null {
  if (name === "") return "Enter a name.";
  if (/\s/u.test(name)) return "A bookmark name cannot contain spaces.";
  const sign = /[\p{Cc}~^:?*[\\]|@\{|\.\./u.exec(name)?.[0];
  if (sign !== undefined) return `A bookmark name cannot contain "${sign}".`;
  if (name === "@" || name === "HEAD") return `"${name}" is a reserved name.`;
  if (name.startsWith("-") || /^\/|\/\/|\/$/u.test(name) || name.endsWith("."))
    return "A bookmark name cannot start with - or /, end with / or a dot, or contain //.";
  if (name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock")))
    return "No part of a bookmark name can start with a dot or end with .lock.";
  return null;
}

// Names of the temporary workspaces in which jj writes the files of one commit for a judge. Each is deleted
// at once, with its empty change. (HYLO-6)

/**
 * The workspace for the files of one commit. Several active runs may judge the same one.
 * @param commit a commit id of at least 12 hex digits
 * @param run id of the run that owns it
 */
export const checkoutName = (commit: string, run: string): string =>
  `checkout-${commit.slice(0, 12)}-${run
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, "")
    .slice(-12)}`;

/** The workspace without files for Hox's writes while Git manages the user's folder. */
export const homeWorkspaceName = "hox";

const pattern = /^(?:checkout-[0-9a-f]{12}(?:-[a-z0-9]{0,12})?|hox)$/u;

/**
 * Whether a row exists only for such a workspace: showing it would shift the graph for a moment. A change
 * with a description, or with another workspace on it, is work. (HOX-1.1)
 */
export const isOnlyCheckout = (row: {
  readonly description: string;
  readonly workspaces: readonly string[];
}): boolean =>
  row.description === "" && row.workspaces.length > 0 && row.workspaces.every((name) => pattern.test(name));

/** Whether a workspace is one of these, by its name. */
export const isCheckoutName = (name: string): boolean => pattern.test(name);
