import { z } from "zod";
import { type DependencyRequest, formatDependency } from "../../domain/dependencies/request.ts";
import { block, shownLine, shownName } from "../../domain/text/shown-text.ts";
import { approve, type CardBase, type CardKind, decisionKeys, isNo, reject } from "./card.ts";

/**
 * An agent asks for a package. It is installed in a separate sandbox, and in the shared base of all agents.
 */
export interface DependencyCard extends CardBase, DependencyRequest {
  readonly kind: "dependency";
  /** The requester; the first if there are several. */
  readonly from: string;
  readonly others: readonly string[];
  readonly why: string;
  readonly command: string;
  /** What the command may reach, and what says so. */
  readonly hosts: readonly string[];
  readonly hostsFrom: string;
  /** False: there is no sandbox here, and it can reach and change everything. */
  readonly isSandboxed: boolean;
  /** Whether code of packages runs with it, in words. */
  readonly scripts: string;
  /** Files that it may change, lock files among them. */
  readonly files: readonly string[];
  /** The entry of `dependencies.allow` that would approve it automatically. */
  readonly rule: string;
}

const answer = z.discriminatedUnion("kind", [
  // What is not asked about again: this package in this run, or what the rule on the card says.
  approve.extend({ remember: z.enum(["run", "rule"]).optional() }),
  reject,
]);
type DependencyAnswer = z.infer<typeof answer>;

export const dependencyKind: CardKind<DependencyCard, DependencyAnswer> = {
  title: "Dependency",
  tone: "warning",
  gate: "dependencies",
  answer,
  headline: (item) => `Install the package ${formatDependency(item)}?`,
  from: ({ from }) => from,
  askerWaits: "next-iteration",
  options: () => [
    { key: decisionKeys.approve, typed: "y", does: "installs it for all agents" },
    { key: null, typed: "y run", does: "installs it, and allows this package for the rest of the run" },
    { key: null, typed: "y rule", does: "installs it, and adds the rule to .hox/config.toml" },
    { key: decisionKeys.reject, typed: "n", does: "continues without it" },
    {
      key: decisionKeys.reject,
      typed: "because …",
      does: "continues without it, and sends your reason to the agent",
    },
  ],
  // The request, the commands that would run, and the effect of an answer on later requests.
  lines: (item) => [
    `${item.from} requests ${shownLine(formatDependency(item))} (${item.manager}${item.dev ? ", as a development dependency" : ""}${item.folder === "" ? "" : `, in ${shownName(item.folder)}`})`,
    ...(item.others.length > 0 ? [`  so do ${item.others.join(", ")}`] : []),
    ...block(item.why),
    `  runs: ${shownLine(item.command)}`,
    item.isSandboxed
      ? `  may reach: ${item.hosts.map(shownLine).join(", ")} (${shownLine(item.hostsFrom)})`
      : "  without a sandbox: it can read and change everything that you can",
    `  ${shownLine(item.scripts)}`,
    `  changes for all agents: ${item.files.map(shownName).join(", ")}`,
    `  with y rule: allow = ["${shownLine(item.rule)}"] in [dependencies] of .hox/config.toml`,
  ],
  question: () => "Install it? [y, y run, y rule, n, or a reason against it]",
  understand(_, typed) {
    if (typed === "") return null;
    const [, yes, remember] = /^(y(?:es)?)(?:[ ,]+(run|rule))?$/iu.exec(typed) ?? [];
    if (yes === undefined) return { kind: "reject", reason: isNo(typed) ? "" : typed };
    return remember === undefined
      ? { kind: "approve" }
      : { kind: "approve", remember: remember.toLowerCase() === "run" ? "run" : "rule" };
  },
  whyNot: () => "Invalid answer.",
  answerInAdvance: () => ({ kind: "approve" }),
};
