import { parseAllowedHost } from "../network/network-hosts.ts";
import { parseToml, parseYaml, tableIn, textIn, valueIn } from "../project/project-facts.ts";
import type { DependencyFiles } from "./choose-manager.ts";
import { above, ecosystemOf, type PackageManager } from "./request.ts";

export interface RegistryHosts {
  /** As `sandbox.hosts` lists them, each once. */
  readonly hosts: readonly string[];
  /** What says so: a file of the repository, the configuration of Hox, or what the package manager is set to. */
  readonly reason: string;
  /** Whether the repository names no registry in place of the usual one. */
  readonly areDefault: boolean;
  /** Registries of the repository that cannot be reached from a sandbox, with why, in sentences. */
  readonly problems: readonly string[];
}

/** A registry that a file names. */
interface Named {
  readonly url: string;
  readonly file: string;
  /** Replaces the default one instead of adding to it. */
  readonly isInstead: boolean;
}

/**
 * The hosts that adding a dependency may reach: from `dependencies.hosts`, else from the package manager's
 * settings in the repository, else from those on this machine.
 *
 * @param configured `dependencies.hosts`; empty: not set
 * @param defaults URLs from the package manager's settings on this machine
 */
export function registryHosts(
  manager: PackageManager,
  files: DependencyFiles,
  folder: string,
  configured: readonly string[],
  defaults: readonly string[],
): RegistryHosts {
  const named = namedRegistries(manager, files, folder);
  const areDefault = !named.some(({ isInstead }) => isInstead);
  if (configured.length > 0)
    return { hosts: configured, reason: "dependencies.hosts of .hox/config.toml", problems: [], areDefault };
  const read = named.map((one) => ({ ...one, ...hostOf(one.url) }));
  const set = areDefault ? defaults.map((url) => ({ file: settings(manager), ...hostOf(url) })) : [];
  const all = [...read, ...set];
  return {
    hosts: [...new Set(all.flatMap(({ host }) => (host === null ? [] : [host])))],
    reason: [...new Set(all.map(({ file }) => file))].join(", "),
    problems: all.flatMap(({ file, problem }) =>
      problem === null ? [] : [`The registry in ${file} ${problem}.`],
    ),
    areDefault,
  };
}

/** For the user. */
const settings = (manager: PackageManager): string => `what ${manager} is set to on this machine`;

function hostOf(url: string): { readonly host: string | null; readonly problem: string | null } {
  const [, scheme, hostname = "", port] =
    /^(?:sparse\+)?([a-z][a-z+.-]*):\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?(?:[/?#]|$)/iu.exec(
      url,
    ) ?? [];
  if (scheme === undefined) return { host: null, problem: "is no address" };
  if (!/^https?$/iu.test(scheme)) return { host: null, problem: `is reached by ${scheme} and not by HTTPS` };
  if (hostname.toLowerCase() === "localhost")
    return { host: null, problem: "is on this machine's own loopback, which no sandbox reaches" };
  const host = (port === undefined ? hostname : `${hostname}:${port}`).toLowerCase();
  const allowed = parseAllowedHost(host);
  return "mistake" in allowed ? { host: null, problem: allowed.mistake } : { host, problem: null };
}

function namedRegistries(
  manager: PackageManager,
  { texts }: DependencyFiles,
  folder: string,
): readonly Named[] {
  /** The nearest comes first. */
  const each = (name: string, named: (text: string, file: string) => readonly Named[]): readonly Named[] =>
    above(folder).flatMap((at) => {
      const file = at === "" ? name : `${at}/${name}`;
      const text = texts.get(file);
      return text === undefined ? [] : named(text, file);
    });
  switch (ecosystemOf(manager)) {
    case "javascript":
      return [
        ...each(".npmrc", inNpmSettings),
        ...(manager === "yarn"
          ? [...each(".yarnrc.yml", inYarnSettings), ...each(".yarnrc", inOldYarnSettings)]
          : []),
        ...(manager === "bun" ? each("bunfig.toml", inBunSettings) : []),
      ];
    case "python":
      return manager === "pip"
        ? [...texts].flatMap(([file, text]) =>
            isRequirements(file, folder) ? inRequirements(text, file) : [],
          )
        : [...each("pyproject.toml", inPythonProject), ...each("uv.toml", inUvSettings)];
    case "rust":
      return [".cargo/config.toml", ".cargo/config"].flatMap((file) => {
        const text = texts.get(file);
        return text === undefined ? [] : inCargoSettings(text, file);
      });
    case "go":
      // Nothing in a repository says where its modules come from.
      return [];
  }
}

const inNpmSettings = (text: string, file: string): readonly Named[] =>
  [...text.matchAll(/^[ \t]*(@[^:\s]+:)?registry[ \t]*=[ \t]*["']?([^"'\s]+)/gmu)].map(
    ([, scope, url = ""]) => ({ url, file, isInstead: scope === undefined }),
  );

const inOldYarnSettings = (text: string, file: string): readonly Named[] =>
  [...text.matchAll(/^[ \t]*"?(@[^:\s]+:)?registry"?[ \t]+"?([^"\s]+)/gmu)].map(([, scope, url = ""]) => ({
    url,
    file,
    isInstead: scope === undefined,
  }));

function inYarnSettings(text: string, file: string): readonly Named[] {
  const settings = parseYaml(text);
  const own = textIn(settings, "npmRegistryServer");
  const scopes = Object.values(tableIn(settings, "npmScopes") ?? {}).flatMap((scope) => {
    const url =
      typeof scope === "object" && scope !== null ? valueIn(scope as never, "npmRegistryServer") : null;
    return typeof url === "string" ? [{ url, file, isInstead: false }] : [];
  });
  return [...(own === null ? [] : [{ url: own, file, isInstead: true }]), ...scopes];
}

function inBunSettings(text: string, file: string): readonly Named[] {
  const settings = parseToml(text);
  const urlOf = (value: unknown): readonly string[] =>
    typeof value === "string"
      ? [value]
      : typeof value === "object" && value !== null
        ? urlOf((value as { readonly url?: unknown }).url)
        : [];
  return [
    ...urlOf(valueIn(settings, "install", "registry")).map((url) => ({ url, file, isInstead: true })),
    ...Object.values(tableIn(settings, "install", "scopes") ?? {}).flatMap((scope) =>
      urlOf(scope).map((url) => ({ url, file, isInstead: false })),
    ),
  ];
}

const inRequirements = (text: string, file: string): readonly Named[] =>
  [...text.matchAll(/^[ \t]*(?:(--index-url|-i)|--extra-index-url|--find-links|-f)[ \t=]+(\S+)/gmu)].map(
    ([, instead, url = ""]) => ({ url, file, isInstead: instead !== undefined }),
  );

function inPythonProject(text: string, file: string): readonly Named[] {
  const settings = parseToml(text);
  const poetry = tablesOf(valueIn(settings, "tool", "poetry", "source")).flatMap(({ url, priority }) =>
    typeof url === "string" ? [{ url, file, isInstead: priority === "default" }] : [],
  );
  return [...inUvTable(tableIn(settings, "tool", "uv"), file), ...poetry];
}

const inUvSettings = (text: string, file: string): readonly Named[] => inUvTable(parseToml(text), file);

function inUvTable(settings: ReturnType<typeof parseToml>, file: string): readonly Named[] {
  const own = textIn(settings, "index-url");
  const extra = valueIn(settings, "extra-index-url");
  return [
    ...(own === null ? [] : [{ url: own, file, isInstead: true }]),
    ...(Array.isArray(extra) ? extra : []).flatMap((url) =>
      typeof url === "string" ? [{ url, file, isInstead: false }] : [],
    ),
    ...tablesOf(valueIn(settings, "index")).flatMap((index) =>
      typeof index.url === "string" ? [{ url: index.url, file, isInstead: index.default === true }] : [],
    ),
  ];
}

/** Replacements of the public index, and additional ones. */
function inCargoSettings(text: string, file: string): readonly Named[] {
  const settings = parseToml(text);
  const sources = tableIn(settings, "source");
  const instead = textIn(sources, "crates-io", "replace-with");
  const replaced = instead === null ? null : textIn(sources, instead, "registry");
  return [
    ...(replaced === null ? [] : [{ url: replaced, file, isInstead: true }]),
    ...Object.keys(tableIn(settings, "registries") ?? {}).flatMap((name) => {
      const url = textIn(settings, "registries", name, "index");
      return url === null ? [] : [{ url, file, isInstead: false }];
    }),
  ];
}

const tablesOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value)
    ? value.filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null)
    : [];

/** A list of requirements in a folder, or in one for such lists, or in those above. */
const isRequirements = (file: string, folder: string): boolean =>
  above(folder).some((place) => {
    const below = place === "" ? file : file.startsWith(`${place}/`) ? file.slice(place.length + 1) : "";
    return below === "requirements.txt" || /^requirements\/[^/]+\.txt$/u.test(below);
  });
