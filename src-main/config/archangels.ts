import { type Archangel, archangelPresets, defaultWakes } from "#shared/domain/archangel/archangel.ts";
import type { Config } from "./config-interface.ts";

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
  comments: "person",
  deliver: "person",
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
