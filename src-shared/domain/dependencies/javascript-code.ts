import { parseJson, parseYaml, tableIn, valueIn } from "../project/parse-text.ts";

/** Settings of pnpm that name a program or a plugin which it runs while it installs, whatever it is told of scripts. */
const programs = ["pnpmfile", "globalPnpmfile", "configDependencies", "scriptShell"];
const maxSettings = 100_000;

/** A specification that is fetched from somewhere else than a registry, and may be built. */
const address = /^(?:git|github|gitlab|bitbucket|gist|ssh|https?)[+:@]|^[\w.-]+\/[\w.-]+(?:#.*)?$/iu;

const lists = ["dependencies", "devDependencies", "optionalDependencies", "resolutions", "overrides"];

/**
 * Where a package manager of JavaScript runs code although no install script runs: refused, or said on the card.
 * @param otherwise what the card says else
 * @param texts of package.json, and of pnpm-workspace.yaml
 */
export function codeOfJavascript(
  manager: string,
  otherwise: string,
  { manifest, settings }: { readonly manifest: string; readonly settings: string },
): { readonly scripts: string; readonly problem?: string } {
  const program = manager === "pnpm" ? programOf(settings) : null;
  if (program !== null)
    return {
      scripts: otherwise,
      problem: `${program} of pnpm-workspace.yaml may name code that pnpm runs while it installs. Ask for the package with align_request: the user adds it by hand.`,
    };
  const table = parseJson(manifest);
  const named = lists.flatMap((list) =>
    Object.entries(tableIn(table, list) ?? {}).flatMap(([name, spec]) =>
      typeof spec === "string" && address.test(spec) ? [name] : [],
    ),
  );
  const others = named.length > 5 ? " and others" : "";
  return {
    scripts:
      named.length === 0
        ? otherwise
        : `${otherwise} package.json names ${named.slice(0, 5).join(", ")}${others} by an address: ${manager} may build what it finds there, with these hosts and nothing else.`,
  };
}

function programOf(settings: string): string | null {
  if (settings.length > maxSettings) return "The length";
  const table = parseYaml(settings);
  return programs.find((key) => valueIn(table, key) !== undefined) ?? null;
}
