/** Templates of goals, one Markdown file each in `.hox/templates` of the repository. */
import { rm } from "node:fs/promises";
import type { GoalTemplateView } from "#shared/contract/commands/start.ts";
import {
  maxTemplateLength,
  templateNameProblem,
  templatesFolder,
} from "#shared/domain/start/goal-template.ts";
import { namesInRepository, readRepositoryFileOrNull, writablePath } from "../disk/repository-files.ts";
import { writeFileAtomically } from "./atomic-file.ts";

const fileOf = (name: string): string => `${templatesFolder}/${name}.md`;

/** By name. What is no file, is too long or has another name than a template can have is passed over. */
export async function readTemplates(root: string): Promise<readonly GoalTemplateView[]> {
  const names = namesInRepository(root, templatesFolder);
  const templates: GoalTemplateView[] = [];
  for (const file of names.toSorted()) {
    const name = file.replace(/\.md$/u, "");
    if (name === file || templateNameProblem(name) !== null) continue;
    const text = readRepositoryFileOrNull(root, fileOf(name), 4 * maxTemplateLength)?.trim() ?? "";
    if (text !== "" && text.length <= maxTemplateLength) templates.push({ name, text });
  }
  return templates;
}

/** Creates or replaces a template. */
export async function writeTemplate(root: string, { name, text }: GoalTemplateView): Promise<void> {
  await writeFileAtomically(writablePath(root, fileOf(name)), `${text.trim()}\n`);
}

/** One that is not there is removed already. */
export const removeTemplate = async (root: string, name: string): Promise<void> =>
  rm(writablePath(root, fileOf(name)), { force: true });
