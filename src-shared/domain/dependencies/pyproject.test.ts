import { describe, expect, test } from "vitest";
import { addToPyproject } from "./pyproject.ts";

const flask = `[build-system]
requires = ["flit_core<4"]  # builds

[project]
name = "flask"  # the name
dependencies = [
    "werkzeug>=3.1.0",  # web
    # templates
    "jinja2>=3.1.2; python_version > '3'",
]
requires-python = ">=3.9"

[project.optional-dependencies]
async = ["asgiref>=3.2"]

# tools of ours
[dependency-groups]
dev = [
    "ruff",
    {include-group = "tests"},
]
`;
const add = (text: string, requirement: string, dev = false) => addToPyproject(text, requirement, { dev });
const textOf = (text: string, requirement: string, dev = false): string => {
  const added = add(text, requirement, dev);
  if ("problem" in added) throw new Error(added.problem);
  return added.text;
};

describe("a requirement goes", () => {
  test("into the list that is there, and every other line stays as it is", () => {
    expect(textOf(flask, "httpx[http2]>=0.28")).toBe(
      flask.replace("python_version > '3'\",\n", 'python_version > \'3\'",\n    "httpx[http2]>=0.28",\n'),
    );
    expect(add(flask, "httpx")).toMatchObject({
      list: "[project] dependencies",
      others: ["werkzeug>=3.1.0", "jinja2>=3.1.2; python_version > '3'"],
    });
    // pip would build these.
    const led = '[project]\nname = "x"\ndependencies = ["./a", "b.zip", "c @ file:///c", "--pre", "d"]\n';
    expect(add(led, "httpx")).toMatchObject({ others: ["d"] });
    expect(textOf('[project]\nname = "x"\ndependencies = ["a", "b"]\n', "c")).toContain('["a", "b", "c"]');
    expect(textOf('project.name = "x"\nproject.dependencies = []\n', "c")).toContain(
      'project.dependencies = ["c"]',
    );
  });

  test("for developing into the group for that, or a list of extras that is one", () => {
    expect(textOf(flask, "mypy==1.2", true)).toBe(
      flask.replace('{include-group = "tests"},\n', '{include-group = "tests"},\n    "mypy==1.2",\n'),
    );
    expect(add(flask, "mypy", true)).toMatchObject({ list: "[dependency-groups] dev", others: ["ruff"] });
    const extras = '[project]\nname = "x"\n[project.optional-dependencies]\ntest = ["pytest"]\n';
    expect(textOf(extras, "mypy", true)).toBe(extras.replace('["pytest"]', '["pytest", "mypy"]'));
    const none = '[project]\nname = "x"\n\n[tool.ruff]\nline-length = 100\n';
    expect(textOf(none, "mypy", true)).toBe(`${none}\n[dependency-groups]\ndev = ["mypy"]\n`);
  });

  test("into a new list, before what is said of the next table", () => {
    expect(textOf('[project]\nname = "x"\nversion = "1"\n\n# tools\n[tool.ruff]\nx = 1\n', "c")).toBe(
      '[project]\nname = "x"\nversion = "1"\ndependencies = ["c"]\n\n# tools\n[tool.ruff]\nx = 1\n',
    );
    expect(textOf('[project]\r\nname = "x"\r\n', "c")).toBe(
      '[project]\r\nname = "x"\r\ndependencies = ["c"]\r\n',
    );
    expect(textOf('[project]\nname = "x"', "c")).toBe('[project]\nname = "x"\ndependencies = ["c"]\n');
    // What only looks like a table is text.
    const tricky = '[project]\nname = "x"\ndescription = """\n\n[tool]\n"""\n';
    expect(textOf(tricky, "c")).toContain("\n[tool]\n");
    expect(textOf('[dependency-groups]\ndocs = ["a"]\n[project]\nname = "x"\n', "c", true)).toBe(
      '[dependency-groups]\ndocs = ["a"]\ndev = ["c"]\n[project]\nname = "x"\n',
    );
  });
});

test("what is listed already stays, or has its version changed where one is asked for", () => {
  expect(textOf(flask, "Werkzeug")).toBe(flask);
  expect(textOf(flask, "werkzeug==3.2")).toBe(flask.replace("werkzeug>=3.1.0", "werkzeug==3.2"));
  expect(add(flask, "jinja2==3.2")).toEqual({
    problem:
      "pyproject.toml lists jinja2>=3.1.2; python_version > '3' already, which says more than a version. Ask for it with align_request: a person changes it.",
  });
});

test.each([
  ["what its build makes", '[project]\nname = "x"\ndynamic = ["dependencies"]\n', "are made by its build"],
  ["what cannot be read", "[project\n", "cannot be read"],
  ["what is no project", "[tool.ruff]\n", "has no [project]"],
  [
    "what has two kinds of line ends",
    '[project]\r\nname = "x"\ndependencies = []\n',
    "ends lines in two ways",
  ],
  ["what is no list", '[project]\nname = "x"\ndependencies = "a"\n', "is no list"],
])("%s is left to a person", (_name, text, words) => {
  expect(add(text, "c")).toEqual({ problem: expect.stringContaining(words) });
});
