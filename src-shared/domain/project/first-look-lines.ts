import {
  type FirstLook,
  type FirstLookState,
  fewNames,
  type LookedCheck,
  outcomeText,
} from "./first-look.ts";
import { chosenChecks } from "./first-look-checks.ts";
import { versionDifferences } from "./installed-versions.ts";

/** Seconds as a table shows them. */
const seconds = (ms: number): string =>
  ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;

/** The result of one check, as one line without its name. */
export function formatLookedCheck(check: LookedCheck, isLeftOut = false): string {
  const count = check.failures?.length ?? 0;
  return [
    isLeftOut ? "left out" : outcomeText[check.outcome],
    ...(check.outcome === "missing" ? [] : [seconds(check.ms)]),
    ...(check.why === undefined ? [] : [check.why]),
    ...(count > 0 ? [`${count} failed: ${fewNames(check.failures ?? [], 3)}`] : []),
    ...(check.remedy === null ? [] : [check.remedy]),
  ].join(", ");
}

const listed = (facts: readonly { readonly name: string }[]): string =>
  facts.map(({ name }) => name).join(", ");

/** What a project is, in a few lines. */
function factLines({
  languages,
  packageManagers,
  workspaces,
  toolchains,
}: FirstLook["facts"]): readonly string[] {
  return [
    ...(languages.length > 0
      ? [`${listed(languages)}${packageManagers.length > 0 ? ` with ${listed(packageManagers)}` : ""}`]
      : []),
    ...(workspaces.length > 0
      ? [
          `${workspaces.length} ${workspaces.length === 1 ? "package" : "packages"}: ${fewNames(workspaces.map(({ name }) => name))}`,
        ]
      : []),
    ...(toolchains.length > 0
      ? [`asks for ${toolchains.map(({ tool, version, file }) => `${tool} ${version} (${file})`).join(", ")}`]
      : []),
  ];
}

/** Tools of another version than the project asks for, one sentence each. */
export const versionLines = ({ facts, installed }: FirstLook): readonly string[] =>
  versionDifferences(facts.toolchains, installed);

/** What a project is and which of its tools are others than it asks for, in a few lines. */
export const projectLines = (look: FirstLook): readonly string[] => [
  ...factLines(look.facts),
  ...versionLines(look),
];

/** A preflight as a table: the kind of project, one line for each check, and warnings. */
export function lookLines({ look, leftOut, isKept }: FirstLookState): readonly string[] {
  if (look === null) return [];
  const width = Math.min(24, Math.max(0, ...look.checks.map(({ name }) => name.length)));
  return [
    ...projectLines(look),
    ...look.checks.map(
      (one) =>
        `${one.name.padEnd(width)}  ${one.command === one.name ? "" : `${one.command}: `}${formatLookedCheck(one, leftOut.includes(one.command))}`,
    ),
    ...look.setUpFailures.map((text) => `setup failed: ${text}`),
    ...(chosenChecks(look, leftOut).length === 0 ? ["No checks run. The agents’ work lands unchecked."] : []),
    ...(isKept ? [`reused from the preflight of ${look.commitId.slice(0, 12)}`] : []),
  ];
}
