import { expect, test } from "vitest";
import { archangelsOf } from "./archangels.ts";
import { parseConfig } from "./config.ts";

const read = (source: string) => {
  const { config, problems } = parseConfig(source);
  return { problems, all: archangelsOf(config) };
};

test("four archangels are built in and off; a table with only the name switches one on", () => {
  const { all } = read("");
  expect(all.map(({ name, isOn }) => [name, isOn])).toEqual([
    ["plan-keeper", false],
    ["security", false],
    ["tests", false],
    ["simplicity", false],
  ]);
  const named = read('[[archangel]]\nname = "security"\nenabled = true\n');
  expect(named.problems).toEqual([]);
  expect(named.all[0]).toMatchObject({
    name: "security",
    isOn: true,
    purpose: { kind: "prompt", name: "archangel-security" },
    comments: "user",
    deliver: "user",
    microDollars: null,
  });
  expect(named.all).toHaveLength(4);
});

test("a configured archangel is on, with all settings of its table", () => {
  const { all, problems } = read(
    '[[archangel]]\nname = "wording"\npurpose_file = "docs/wording.md"\npaths = ["src/ui/**"]\nwakes = ["idle"]\nmodel = "m"\nbudget_usd = 0.5\nbudget_tokens = 9000\ncomments = "orchestrator"\ndeliver = "agent"\n',
  );
  expect(problems).toEqual([]);
  expect(all[0]).toEqual({
    name: "wording",
    isOn: true,
    purpose: { kind: "file", path: "docs/wording.md" },
    paths: ["src/ui/**"],
    wakes: ["idle"],
    model: "m",
    microDollars: 500_000,
    tokens: 9000,
    comments: "orchestrator",
    deliver: "agent",
  });
});

test.each([
  ["no purpose", '[[archangel]]\nname = "mine"\n', 2, /purpose.*"plan-keeper", "security"/u],
  ["both purposes", '[[archangel]]\nname = "x"\npurpose = "a"\npurpose_file = "b"\n', 4, /only one/u],
  ["a name twice", '[[archangel]]\nname = "tests"\n\n[[archangel]]\nname = "tests"\n', 5, /unique/u],
  ["a name with blanks", '[[archangel]]\npurpose = "a"\nname = "My Own"\n', 3, /lower-case letters/u],
  ["an unknown wake", '[[archangel]]\nname = "tests"\nwakes = ["always"]\n', 3, /iteration_saved/u],
  ["a path outside", '[[archangel]]\nname = "tests"\npaths = ["../x"]\n', 3, /inside the repository/u],
  ["an unknown key", '[[archangel]]\nname = "tests"\nbudget = 3\n', 1, /no setting "budget"/u],
])("an error is reported with its line: %s", (_, source, line, message) => {
  const { problems } = read(source);
  expect(problems).toEqual([
    expect.objectContaining({ level: "error", line, message: expect.stringMatching(message) }),
  ]);
});
