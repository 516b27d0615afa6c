/** What an archangel is for, in words. */
import { existsSync } from "node:fs";
import type { Archangel } from "#shared/domain/archangel/archangel.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { FileRefused, readRepositoryFile } from "../disk/repository-files.ts";
import { resourcePath } from "./resources-folder.ts";
import { loadPrompt } from "./system-prompt.ts";

/** The words cannot be had; says what to do. */
class PurposeMissing extends Error {
  override readonly name = "PurposeMissing";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Longer ones are cut: the text is sent with every request. */
const maxPurposeLength = 20_000;
const maxPurposeBytes = 1_000_000;

/**
 * @param repository its root
 * @throws PurposeMissing where a file cannot be read
 */
export function purposeText(purpose: Archangel["purpose"], repository: string): string {
  switch (purpose.kind) {
    case "text":
      return purpose.text;
    case "prompt":
      if (!existsSync(resourcePath("prompts", `${purpose.name}.md`)))
        throw new PurposeMissing(
          `The prompt ${purpose.name}.md is missing from this installation.`,
          "Reinstall Hox.",
        );
      return loadPrompt(purpose.name, {});
    case "file":
      return readPurpose(repository, purpose.path);
  }
}

function readPurpose(repository: string, name: string): string {
  const remedy = "Create the file, or set purpose_file in .hox/config.toml to another one.";
  let found: string | null;
  try {
    found = readRepositoryFile(repository, name, maxPurposeBytes);
  } catch (error) {
    if (error instanceof FileRefused)
      throw new PurposeMissing(`Could not read the purpose: ${error.message}`, error.remedy);
    throw error;
  }
  if (found === null) throw new PurposeMissing(`The purpose file ${name} does not exist.`, remedy);
  const text = found.trim();
  if (text === "") throw new PurposeMissing(`The purpose file ${name} is empty.`, remedy);
  return startOf(text, maxPurposeLength);
}

/** The same for a screen, where an unreadable file is reported instead. */
export function shownPurpose(purpose: Archangel["purpose"], repository: string): string {
  try {
    return purposeText(purpose, repository);
  } catch (error) {
    if (error instanceof PurposeMissing) return error.message;
    throw error;
  }
}
