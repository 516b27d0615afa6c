import { describe, expect, it } from "vitest";
import { excludingCommand, typedWay } from "./ways-on.ts";

describe("excludingCommand", () => {
  it.each([
    [
      "pytest -q",
      ["test_broken.py", "t/test_a.py::test_p[a b]"],
      "pytest -q --ignore=test_broken.py --deselect='t/test_a.py::test_p[a b]'",
    ],
    [
      "npx vitest run",
      ["a.test.ts > old", "b.test.ts [ b.test.ts ]"],
      "npx vitest run --exclude a.test.ts --exclude b.test.ts",
    ],
    ["jest", ["./a.test.js › old"], "jest --testPathIgnorePatterns 'a\\.test\\.js'"],
    ["cargo test --quiet", ["tests::old"], "cargo test --quiet -- --skip tests::old"],
    ["ctest --test-dir build", ["old", "a+b"], "ctest --test-dir build -E '^(old|a\\+b)$'"],
    ["make check", ["old"], null],
    ["pytest -q | tee report", ["a.py"], null],
    ["pytest -q", [], null],
  ])("of %s leaves out what fails", (command, failures, without) => {
    expect(excludingCommand(command, { failures })).toBe(without);
  });
});

it("parses the typed choices", () => {
  expect(typedWay("out test, lint")).toEqual({ kind: "leave-out", names: ["test", "lint"] });
  expect(typedWay("change web: test to npm run test:unit")).toEqual({
    ...{ kind: "change-check", name: "web: test", instead: "npm run test:unit" },
  });
  expect(typedWay("y")).toBeNull();
});
