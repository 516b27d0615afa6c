/**
 * A repository's settings are untrusted until the user has trusted them. What tightens applies at once; what
 * loosens a limit of the user's applies when the user has trusted exactly this setting.
 * (docs/decisions/0049-settings-of-a-repository-need-trust.md)
 */

import type { UntrustedSetting } from "#shared/contract/commands/start.ts";
import type { Settings } from "#shared/contract/settings.ts";
import { tomlValue } from "#shared/domain/text/toml.ts";
import { looseningRules, type UserLimits } from "./loosening-rules.ts";
import { type ConfigKey, settingsByKey } from "./settings.ts";

/** Something that a repository's settings would allow. */
export type LooseSetting = Omit<UntrustedSetting, "isIgnored">;

/** A value of the file, or one item of it; null: of items that are missing. */
type Part = LooseSetting & { readonly item: unknown; readonly missing: readonly string[] };

export const userLimits = (settings: Settings): UserLimits => ({
  maxParallelAgents: settings.maxParallelAgents,
  maxTokens: settings.defaultTokens,
  maxUsd: settings.defaultMicroDollars === null ? null : settings.defaultMicroDollars / 1e6,
});

/** Limits under which every limit of a repository loosens: for what is trusted whatever the user's settings are. */
export const strictestLimits: UserLimits = { maxParallelAgents: 0, maxTokens: 0, maxUsd: 0 };

/**
 * What of the file's values would loosen a limit of the user's, in the order of the file.
 *
 * @param values by the full names of their keys, as their schemas took them
 */
export const loosening = (
  values: ReadonlyMap<string, unknown>,
  limits: UserLimits,
): readonly LooseSetting[] =>
  [...values].flatMap(([key, value]) =>
    partsOf(key as ConfigKey, value, limits).map(({ text, allows }) => ({ key, text, allows })),
  );

/**
 * The values that are in force: what loosens and is not trusted is left out.
 *
 * @param isTrusted whether the user has trusted the text of such a setting
 */
export function tightened(
  values: ReadonlyMap<string, unknown>,
  limits: UserLimits,
  isTrusted: (text: string) => boolean,
): ReadonlyMap<string, unknown> {
  const inForce = new Map(values);
  for (const [name, value] of values) {
    const key = name as ConfigKey;
    const refused = partsOf(key, value, limits).filter(({ text }) => !isTrusted(text));
    if (refused.length === 0) continue;
    if (looseningRules[key].kind === "items")
      inForce.set(key, [
        ...(value as readonly unknown[]).filter((item) => !refused.some((part) => part.item === item)),
        ...refused.flatMap(({ missing }) => missing),
      ]);
    else inForce.set(key, settingsByKey.get(key)?.standard);
  }
  return inForce;
}

function partsOf(key: ConfigKey, value: unknown, limits: UserLimits): readonly Part[] {
  const rule = looseningRules[key];
  switch (rule.kind) {
    case "harmless":
      return [];
    case "value": {
      const allows = rule.allows(value, limits, settingsByKey.get(key)?.standard);
      return allows === null
        ? []
        : [{ key, text: `${key} = ${tomlValue(value)}`, allows, item: value, missing: [] }];
    }
    case "items": {
      const list = value as readonly unknown[];
      const missing = (rule.keeps ?? []).filter((entry) => !list.includes(entry));
      return [
        ...list.flatMap((item) => {
          const allows = rule.allows(item);
          return allows === null
            ? []
            : [{ key, text: `${key}: ${tomlValue(item)}`, allows, item, missing: [] }];
        }),
        ...(missing.length === 0
          ? []
          : [
              {
                key,
                text: `${key}: without ${missing.map(tomlValue).join(", ")}`,
                allows: rule.allowsWithout?.(missing) ?? "",
                item: missing,
                missing,
              },
            ]),
      ];
    }
  }
}
