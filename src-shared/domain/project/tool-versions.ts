import { firstLine, parseToml, tableIn, textIn } from "./parse-text.ts";
import type { ProjectFolder, ToolchainWish } from "./project-facts.ts";

/** Files of one line, by the tool that they are about. */
const ofOneTool: readonly (readonly [string, string])[] = [
  [".nvmrc", "node"],
  [".node-version", "node"],
  [".python-version", "python"],
  [".ruby-version", "ruby"],
  [".java-version", "java"],
  [".php-version", "php"],
  [".go-version", "go"],
  [".bun-version", "bun"],
];

/** Versions that a project asks for in files of version managers. */
export function toolVersions(project: ProjectFolder): readonly ToolchainWish[] {
  const mise = ["mise.toml", ".mise.toml"].find((name) => project.has(name));
  const wishes: readonly ToolchainWish[] = [
    ...ofOneTool.map(([file, tool]) => ({ tool, version: firstLine(project.text(file)), file })),
    ...rustToolchain(project),
    ...pairs(project.text(".tool-versions"), /^(\S+)\s+(\S+)/u, ".tool-versions"),
    ...pairs(project.text(".sdkmanrc"), /^(\w+)=(\S+)/u, ".sdkmanrc"),
    ...(mise === undefined
      ? []
      : Object.entries(tableIn(parseToml(project.text(mise)), "tools") ?? {}).flatMap(([tool, version]) =>
          typeof version === "string" ? [{ tool, version, file: mise }] : [],
        )),
  ];
  return wishes.filter(({ version }) => version !== "");
}

function rustToolchain(project: ProjectFolder): readonly ToolchainWish[] {
  const file = ["rust-toolchain.toml", "rust-toolchain"].find((name) => project.has(name));
  if (file === undefined) return [];
  const text = project.text(file);
  const version = textIn(parseToml(text), "toolchain", "channel") ?? firstLine(text);
  return [{ tool: "rust", version, file }];
}

const pairs = (text: string, line: RegExp, file: string): readonly ToolchainWish[] =>
  text.split(/\r?\n/u).flatMap((one) => {
    const [, tool, version] = line.exec(one.trim()) ?? [];
    return tool === undefined || version === undefined || tool.startsWith("#")
      ? []
      : [{ tool, version, file }];
  });
