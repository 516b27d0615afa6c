/** A project as its files say it is. */
import { filesToRead, findProject } from "../find-project.ts";
import type { ProjectFacts } from "../project-facts.ts";

export const projectOf = (files: Readonly<Record<string, string>>): ProjectFacts => {
  const paths = Object.keys(files);
  const texts = new Map(filesToRead(paths).map((path) => [path, files[path] ?? ""]));
  return findProject({ paths, texts });
};
/** Name → its plainest command. */
export const commandsOf = (facts: ProjectFacts): Record<string, string> =>
  Object.fromEntries(facts.checks.map((one) => [one.name, one.ways.at(-1)?.command ?? ""]));
export const namesOf = (facts: readonly { readonly name: string }[]): readonly string[] =>
  facts.map(({ name }) => name);
