/** The workflow stages of a test run. */

/** Every stage: most tests are about one of them, with goals so small that no condition would turn it on. */
const everyStage =
  '\n[workflow]\ncontracts = "on"\nreviews = "on"\nintegrator = "on"\npanel = "on"\nlearning = "on"\n';
/** The same with one validator and without learning, for runs that have to land for another reason. */
const oneJudge =
  '\n[workflow]\ncontracts = "on"\nreviews = "on"\nintegrator = "on"\npanel = "off"\nlearning = "off"\n';

/** `auto`: each stage depends on its condition. */
export type TestWorkflow = "full" | "one-judge" | "auto";
const workflows: Readonly<Record<TestWorkflow, string>> = {
  full: everyStage,
  "one-judge": oneJudge,
  auto: "",
};

const configFile = ".hox/config.toml";

/** Adds the stages to a configuration that does not set any. */
export function withDefaultConfig(
  files: Readonly<Record<string, string>>,
  workflow: TestWorkflow = "full",
): Readonly<Record<string, string>> {
  const config = files[configFile] ?? "";
  const added = [...(config.includes("[workflow]") ? [] : [workflows[workflow]])];
  return { ...files, [configFile]: [config, ...added].join("") };
}
