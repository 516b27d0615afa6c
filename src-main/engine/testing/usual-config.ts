/** How much of the ceremony a run of a test has, and what else most tests want of the configuration. */

/**
 * All that a run can do beside its agents, by configuration: most tests are about one of these parts, on goals so small
 * that they would need none of it.
 */
const fullCeremony =
  '\n[ceremony]\ncontracts = "always"\nreviews = "always"\nintegrator = "always"\nseats = "all"\nlearning = "always"\n';
/** The same up to what is brought together: one judge instead of four and no pattern, for runs that have to land for something else. */
const oneJudge =
  '\n[ceremony]\ncontracts = "always"\nreviews = "always"\nintegrator = "always"\nseats = "one"\nlearning = "never"\n';

/** `auto`: what the goal needs, as its plan and its result say. */
export type TestCeremony = "full" | "one-judge" | "auto";
const ceremonies: Readonly<Record<TestCeremony, string>> = {
  full: fullCeremony,
  "one-judge": oneJudge,
  auto: "",
};

const configFile = ".hox/config.toml";

/** Adds what most tests want of the configuration; who says something of it themselves means that. */
export function withUsualConfig(
  files: Readonly<Record<string, string>>,
  ceremony: TestCeremony = "full",
): Readonly<Record<string, string>> {
  const config = files[configFile] ?? "";
  const added = [...(config.includes("[ceremony]") ? [] : [ceremonies[ceremony]])];
  return { ...files, [configFile]: [config, ...added].join("") };
}
