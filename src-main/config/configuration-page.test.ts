import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tomlValue } from "#shared/domain/text/toml.ts";
import { parseConfig } from "./config.ts";
import { meaningOfNone, valueAt } from "./effective-config.ts";
import { resourcePath } from "./resources-folder.ts";
import { configKeys } from "./settings.ts";

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
const file = parseConfig(readFileSync(resourcePath("config.default.toml"), "utf8"));
const rows = [...page.matchAll(/^\| `([a-z_.]+)` \| (.+?) \| (.+) \|$/gmu)].map(
  ([, key = "", value = "", meaning = ""]) => ({ key, value, meaning }),
);

test("docs/configuration.md names every key once, in the order of the file, with the default that the file shows", () => {
  expect(file.problems).toEqual([]);
  expect(rows.map((row) => row.key)).toEqual(configKeys);
  for (const key of configKeys) {
    const row = rows.find((one) => one.key === key);
    const value = valueAt(file.config, key);
    if (key !== "protected_files")
      expect(row?.value, key).toBe(value === null ? meaningOfNone(key) : `\`${tomlValue(value)}\``);
    expect(row?.meaning.length, key).toBeGreaterThan(10);
  }
});
