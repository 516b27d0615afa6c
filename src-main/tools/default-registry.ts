import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { childEnvironment } from "../config/child-environment.ts";
import { searchFolders } from "../config/program-folders.mjs";
import { onPath } from "../config/tools.ts";
import { namesIn, readBoundedFileOrNull } from "../disk/repository-files.ts";
import { runProgram } from "../processes/run-program.ts";

/** Where packages of a language come from on this machine, where no repository says otherwise. */
export interface DefaultRegistry {
  /** URLs of registries and of their archives. Empty: unknown. */
  readonly urls: readonly string[];
  /** Says the same to the package manager, where its own settings do not reach. */
  readonly environment: Readonly<Record<string, string>>;
}

const unknown: DefaultRegistry = { urls: [], environment: {} };
/** A package manager that takes longer to say what it is set to waits for something. */
const patienceMs = 20_000;

/**
 * Reads the settings of the user's package managers. They run outside of every repository, so that none of
 * its settings apply, and nothing is downloaded.
 */
export function readDefaultRegistry(
  language: "javascript" | "python" | "rust" | "go",
  env: NodeJS.ProcessEnv = process.env,
): Promise<DefaultRegistry> {
  switch (language) {
    case "javascript":
      return ofJavaScript();
    case "python":
      return ofPython();
    case "rust":
      return Promise.resolve(ofRust(env));
    case "go":
      return ofGo();
  }
}

async function ofJavaScript(): Promise<DefaultRegistry> {
  const [npm, yarn] = await Promise.all([
    ask("npm", ["config", "get", "registry"]),
    ask("yarn", ["config", "get", "registry"]),
  ]);
  const urls = [...new Set([...addressesIn(npm), ...addressesIn(yarn)])];
  const [first] = urls;
  return first === undefined
    ? unknown
    : {
        urls,
        environment: {
          npm_config_registry: first,
          YARN_NPM_REGISTRY_SERVER: first,
          BUN_CONFIG_REGISTRY: first,
        },
      };
}

/** What pip is set to, else what it has built in. */
async function ofPython(): Promise<DefaultRegistry> {
  const [set] = addressesIn(await ask("python3", ["-m", "pip", "config", "get", "global.index-url"]));
  if (set !== undefined) return { urls: [set], environment: { PIP_INDEX_URL: set, UV_DEFAULT_INDEX: set } };
  const builtIn =
    "from pip._internal.models.index import PyPI as p; print(p.simple_url); print('https://' + p.file_storage_domain)";
  return { urls: addressesIn(await ask("python3", ["-c", builtIn])), environment: {} };
}

/** Each index that cargo has asked before has a folder with its host's name, and says there where its crates are. */
function ofRust(env: NodeJS.ProcessEnv): DefaultRegistry {
  const home = env.CARGO_HOME && isAbsolute(env.CARGO_HOME) ? env.CARGO_HOME : join(homedir(), ".cargo");
  const indices = join(home, "registry", "index");
  const urls = namesIn(indices).flatMap((name) => {
    const host = /^(.+)-[0-9a-f]{16}$/u.exec(name)?.[1];
    if (host === undefined) return [];
    return [
      `https://${host}`,
      ...addressesIn(readBoundedFileOrNull(join(indices, name, "config.json"), 1_000_000) ?? ""),
    ];
  });
  return { urls: [...new Set(urls)], environment: {} };
}

async function ofGo(): Promise<DefaultRegistry> {
  const [proxy = "", sums = ""] = (await ask("go", ["env", "GOPROXY", "GOSUMDB"])).split("\n");
  const urls = addressesIn(proxy);
  if (urls.length === 0) return unknown;
  const checked = /^[a-z0-9.-]+\.[a-z]+$/iu.test(sums.trim()) ? [`https://${sums.trim()}`] : [];
  return {
    urls: [...urls, ...checked],
    environment: { GOPROXY: urls.join(","), ...(sums.trim() === "" ? {} : { GOSUMDB: sums.trim() }) },
  };
}

/** What a program says, or nothing where it is not there or does not know. */
async function ask(name: string, args: readonly string[]): Promise<string> {
  const path = searchFolders().filter(isAbsolute).join(delimiter);
  const program = onPath([name], path);
  if (program === undefined) return "";
  const output: Uint8Array[] = [];
  const { exitCode } = await runProgram(
    {
      program,
      args,
      cwd: "/",
      env: {
        ...childEnvironment(),
        PATH: path,
        // Asked for its settings, and for nothing that it would have to fetch first.
        COREPACK_ENABLE_NETWORK: "0",
        COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
      },
      timeoutMs: patienceMs,
    },
    (bytes) => void output.push(bytes),
  );
  return exitCode === 0 ? Buffer.concat(output).toString("utf8") : "";
}

/** Without credentials. */
const addressesIn = (text: string): readonly string[] =>
  [...text.matchAll(/https?:\/\/[^\s"',|]+/gu)].map(([url]) => url.replace(/:\/\/[^/@]*@/u, "://"));
