import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { childEnvironment, withholdFromChildren } from "./child-environment.ts";

const canary = "sk-ant-canary-0123456789";
const keys = {
  ANTHROPIC_API_KEY: canary,
  ANTHROPIC_AUTH_TOKEN: canary,
  ANTHROPIC_BASE_URL: "https://example.org",
  OPENAI_API_KEY: canary,
  GH_TOKEN: canary,
  AWS_SECRET_ACCESS_KEY: canary,
  DATABASE_PASSWORD: canary,
  XDG_SESSION_COOKIE: canary,
  JJ_TOKEN: canary,
  GIT_TOKEN: canary,
  SSH_KEY_PASSPHRASE: canary,
  NODE_OPTIONS: "--require=/evil.js",
  SOMETHING: canary,
};
const needed = {
  HOME: "/home/ann",
  LANG: "de_DE.UTF-8",
  LC_ALL: "C",
  XDG_CONFIG_HOME: "/c",
  JJ_CONFIG: "/jj.toml",
  SystemRoot: "C:\\Windows",
};
const pushing = {
  SSH_AUTH_SOCK: "/run/agent",
  GIT_SSH_COMMAND: "ssh -i /id",
  GIT_ASKPASS: "/ask",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "http.extraHeader",
  GIT_CONFIG_VALUE_0: "Authorization: x",
  https_proxy: "http://proxy",
};

describe("the environment of a program that Hox starts", () => {
  it("has what every program needs and no key, whatever its purpose", () => {
    for (const purpose of ["local", "remote", "desktop"] as const) {
      const given = childEnvironment(purpose, { ...keys, ...needed, ...pushing, DISPLAY: ":0" });
      expect(given).toMatchObject(needed);
      expect(Object.keys(given).filter((name) => name in keys)).toEqual([]);
      expect(JSON.stringify(given)).not.toContain(canary);
    }
  });

  it("gives the user's coding agent its account, and other programs not", () => {
    const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, AWS_SECRET_ACCESS_KEY } = keys;
    const account = { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL, AWS_SECRET_ACCESS_KEY };
    const given = childEnvironment("agent", { ...keys, ...needed, ...pushing, CLAUDE_CONFIG_DIR: "/claude" });
    expect(given).toEqual({
      ...needed,
      ...account,
      CLAUDE_CONFIG_DIR: "/claude",
      https_proxy: "http://proxy",
    });
  });

  it("lets only a push authenticate as the user", () => {
    const env = { ...needed, ...pushing, DISPLAY: ":0" };
    expect(childEnvironment("local", env)).toEqual(needed);
    expect(childEnvironment("desktop", env)).toEqual({
      ...needed,
      DISPLAY: ":0",
      https_proxy: "http://proxy",
    });
    expect(childEnvironment("remote", env)).toEqual(env);
  });

  it("gives a push the token that the user names, and no program a model key", () => {
    const env = { ...keys, HOX_PUSH_ENV: "GH_TOKEN, ANTHROPIC_API_KEY" };
    expect(childEnvironment("remote", env)).toEqual({ GH_TOKEN: canary });
    expect(childEnvironment("local", env)).toEqual({});
    withholdFromChildren("JJ_MODEL");
    withholdFromChildren("PATH");
    const named = { JJ_MODEL: canary, JJ_USER: "Ann", PATH: "/bin" };
    expect(childEnvironment("local", named)).toEqual({ JJ_USER: "Ann", PATH: "/bin" });
  });

  it("lets neither the open folder nor another repository choose what runs", () => {
    const path = ["/usr/bin", ".", "", "bin", "/bin"].join(delimiter);
    expect(childEnvironment("remote", { PATH: path, GIT_DIR: "/evil", GIT_EXTERNAL_DIFF: "/evil" })).toEqual({
      PATH: ["/usr/bin", "/bin"].join(delimiter),
    });
  });
});

/** The functions of a source file that start programs, and each call of one with its options. */
function starts(file: string): readonly { readonly call: string; readonly options: string | null }[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const starters = new Set<string>();
  const found: { call: string; options: string | null }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const from = (node.moduleSpecifier as ts.StringLiteral).text;
      const names = node.importClause?.namedBindings;
      if (/^(?:node:)?child_process$|^execa$|\/run-program\.ts$/u.test(from) && names) {
        if (ts.isNamespaceImport(names)) starters.add(names.name.text);
        else for (const { name, isTypeOnly } of names.elements) if (!isTypeOnly) starters.add(name.text);
      }
    }
    // `const execute = promisify(execFile)` is another name for it.
    if (
      ts.isVariableDeclaration(node) &&
      ts.isIdentifier(node.name) &&
      node.initializer &&
      ts.isCallExpression(node.initializer) &&
      node.initializer.expression.getText() === "promisify" &&
      starters.has(node.initializer.arguments[0]?.getText() ?? "")
    )
      starters.add(node.name.text);
    if (ts.isCallExpression(node) && starters.has(/^\w+/u.exec(node.expression.getText())?.[0] ?? "")) {
      const options = node.arguments.find((argument) => ts.isObjectLiteralExpression(argument));
      found.push({ call: node.getText(), options: options?.getText() ?? null });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const folder = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts") && !/\.test\.ts$|(?:^|\/)testing\//u.test(name));

it("is given to every program that the host starts", () => {
  const calls = sources.flatMap((name) => starts(join(folder, name)).map((start) => ({ name, ...start })));
  expect(new Set(calls.map(({ name }) => name)).size).toBeGreaterThan(6);
  const bypassing = calls.filter(({ name, call, options }) => {
    if (options === null) return true;
    // execa adds the whole of ours to what it is given, unless it is told not to.
    if (/^execa/u.test(call) && !options.includes("extendEnv: false")) return true;
    // It is handed one by each of those above and below.
    if (name === "processes/start-program.ts") return !options.includes("env: { ...env }");
    // The sandbox makes one up from nothing (`command-environment.ts`).
    if (name.startsWith("tools/sandbox/"))
      return !/\benv\b/u.test(options) || options.includes("process.env");
    // It runs inside the sandbox, which made its environment up.
    if (name === "external-agents/runner/agent-process.ts") return !options.includes("env: { ...process.env");
    // It is another version of the worker, which gives none of it to the programs that it starts.
    if (name === "processes/run-in-place.ts") return !options.includes("env: { ...process.env");
    return !/\benv: (?:\{\s*\.\.\.)?childEnvironment\(/u.test(options);
  });
  expect(bypassing.map(({ name, call }) => `${name}: ${call.slice(0, 60)}`)).toEqual([]);
});
