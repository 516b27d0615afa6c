/** Templates of goals, one Markdown file each in `.hox/templates` of the repository. */
import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { GoalTemplateView } from "#shared/contract/views/start.ts";
import { longestTemplate, templateNameProblem, templatesFolder } from "#shared/domain/start/goal-template.ts";
import { writeFileAtomically } from "./atomic-file.ts";

const fileOf = (root: string, name: string): string => join(root, templatesFolder, `${name}.md`);

/** By name. What is no file, is too long or has another name than a template can have is passed over. */
export async function readTemplates(root: string): Promise<readonly GoalTemplateView[]> {
  const names = await readdir(join(root, templatesFolder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  const templates: GoalTemplateView[] = [];
  for (const file of names.toSorted()) {
    const name = file.replace(/\.md$/u, "");
    if (name === file || templateNameProblem(name) !== null) continue;
    const about = await lstat(fileOf(root, name));
    // What a link points at is none of the repository's.
    if (!about.isFile() || about.size > 4 * longestTemplate) continue;
    const text = (await readFile(fileOf(root, name), "utf8")).trim();
    if (text !== "" && text.length <= longestTemplate) templates.push({ name, text });
  }
  return templates;
}

/** Writes one, or writes it anew. */
export async function writeTemplate(root: string, { name, text }: GoalTemplateView): Promise<void> {
  const path = fileOf(root, name);
  const about = await lstat(path).catch(() => null);
  if (about !== null && !about.isFile())
    throw Object.assign(new Error(`${templatesFolder}/${name}.md is no file.`), {
      remedy: "Remove it, or choose another name.",
    });
  await writeFileAtomically(path, `${text.trim()}\n`);
}

/** One that is not there is removed already. */
export const removeTemplate = (root: string, name: string): Promise<void> =>
  rm(fileOf(root, name), { force: true });
