import { existsSync } from "node:fs";
import type { Archangel } from "#shared/domain/archangel/archangel.ts";
import { archangelPresets, defaultWakes } from "#shared/domain/archangel/archangel.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { FileRefused, readRepositoryFile } from "../disk/repository-files.ts";
import type { Config } from "./config-interface.ts";
import { loadPrompt, resourcePath } from "./resources-folder.ts";

type Table = Config["archangel"][number];

/** Those of the file in its order, then those that come with Hox and that it does not name, which are off. */
export function archangelsOf({ archangel: tables }: Pick<Config, "archangel">): readonly Archangel[] {
  const rest = Object.keys(archangelPresets).filter((name) => !tables.some((table) => table.name === name));
  return [...tables.map(parseArchangel), ...rest.map((name) => parseArchangel({ ...saysNothing, name }))];
}

const saysNothing: Omit<Table, "name"> = {
  enabled: null,
  purpose: null,
  purposeFile: null,
  paths: null,
  wakes: null,
  model: null,
  budgetUsd: null,
  budgetTokens: null,
  comments: "user",
  deliver: "user",
};

function parseArchangel(table: Table): Archangel {
  const { name, model, comments, deliver } = table;
  const preset = Object.hasOwn(archangelPresets, name) ? archangelPresets[name] : undefined;
  return {
    name,
    isOn: table.enabled ?? preset === undefined,
    purpose: purposeOf(table),
    paths: table.paths ?? preset?.paths ?? [],
    wakes: table.wakes ?? preset?.wakes ?? defaultWakes,
    model,
    microDollars: table.budgetUsd === null ? null : Math.round(table.budgetUsd * 1e6),
    tokens: table.budgetTokens,
    comments,
    deliver,
  };
}

const purposeOf = ({ name, purpose, purposeFile }: Table): Archangel["purpose"] =>
  purpose !== null
    ? { kind: "text", text: purpose }
    : purposeFile !== null
      ? { kind: "file", path: purposeFile }
      : { kind: "prompt", name: `archangel-${name}` };

/** The words cannot be had; says what to do. */
class PurposeMissing extends RemediedError {
  override readonly name = "PurposeMissing";
}

/** Longer ones are cut: the text is sent with every request. */
const maxPurposeLength = 20_000;
const maxPurposeBytes = 1_000_000;

/**
 * What an archangel is for, in words.
 *
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
