/** Languages that a manifest tells: one row each, and what reads a row. */
import {
  type CheckWay,
  check,
  type FoundCheck,
  firstOf,
  inRepository,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  packageOf,
  parseJson,
  parseToml,
  program,
  tableIn,
  textIn,
} from "./project-facts.ts";

interface Language {
  readonly name: string;
  /** The first that is there, by its name or the end of it, makes a folder a project of this language. */
  readonly manifests: readonly (string | RegExp)[];
  readonly manager: string;
  /** What `version` is a version of. */
  readonly tool?: string;
  readonly read: (project: ProjectFolder, file: string) => Read | null;
}

/** What differs from the row, or comes with it. */
interface Read {
  readonly name?: string;
  /** Of the name; default: the manifest. */
  readonly reason?: string;
  readonly manager?: string;
  readonly version?: string | null | undefined;
  /** Default: the manifest. */
  readonly versionFile?: string;
  /** Folders of packages. */
  readonly members?: readonly string[];
  readonly memberReason?: string;
  /** Those that apply. */
  readonly checks: readonly (FoundCheck | false | undefined)[];
}

function factsOf(row: Language, project: ProjectFolder): PartialFacts | null {
  const file = row.manifests
    .map((name) =>
      typeof name === "string"
        ? firstOf(project, [name])
        : project.files.find((path) => !path.includes("/") && name.test(path)),
    )
    .find((found) => found !== undefined);
  const read = file === undefined ? null : row.read(project, file);
  if (file === undefined || read === null) return null;
  const { name = row.name, reason = file, manager = row.manager, members = [], memberReason = file } = read;
  const version = read.version ?? "";
  return {
    languages: [{ name, reason }],
    packageManagers: [{ name: manager, reason: file }],
    workspaces: members.map((member) => ({ name: member, reason: memberReason })),
    toolchains: version === "" ? [] : [{ tool: row.tool ?? "", version, file: read.versionFile ?? file }],
    checks: read.checks.filter((one) => one !== false && one !== undefined),
  };
}

const foldersOf = (paths: readonly string[]): readonly string[] =>
  paths.map((path) => path.slice(0, path.lastIndexOf("/")));

const clippy: Need = {
  name: "clippy",
  probe: "cargo clippy --version",
  remedy: "Install it with `rustup component add clippy`.",
};

/** Cargo 1.74 and later; those before it list it, and refuse it. */
const goingOn: Need = {
  name: "cargo with --keep-going",
  probe: "cargo check -h | grep -e --keep-going | grep -qv unstable",
  remedy: "Install a newer Rust (rustup), then check again.",
};

/**
 * Cargo stops at the first crate or target that does not compile, and which of several that is differs from run to run.
 * What failed before the work can only be told from new failures where all of them are named.
 */
const compiling = (name: string, reason: string, command: string, needs: readonly Need[]): FoundCheck =>
  check("fast", name, reason, [
    { command: `${command} --keep-going`, needs: [...needs, goingOn] },
    { command, needs },
  ]);

/** A wrapper in the project, which may not have fetched its tool yet, and else the tool. */
const wrapped = (
  project: ProjectFolder,
  wrapper: string,
  tool: string,
  args: string,
): readonly CheckWay[] => [
  ...(project.has(wrapper)
    ? [
        {
          command: `sh ./${wrapper} ${args}`,
          needs: [
            {
              name: wrapper,
              probe: `sh ./${wrapper} --offline --version`,
              remedy: `Run \`./${wrapper} --version\` once outside Hox, so that it fetches its ${packageOf[tool]}; or install ${packageOf[tool]}.`,
            },
          ],
        },
      ]
    : []),
  { command: `${tool} ${args}`, needs: [program(tool)] },
];

/** Java or Kotlin; commands have no network and use what the tool's cache has. */
const jvm = (
  manager: string,
  manifests: readonly string[],
  module: RegExp,
  checks: (project: ProjectFolder, file: string) => readonly FoundCheck[],
): Language => ({
  name: "Java",
  manifests,
  manager,
  read: (project, file) => ({
    ...(project.files.some((path) => path.endsWith(".kt")) ? { name: "Kotlin", reason: "*.kt" } : {}),
    members: foldersOf(
      project.files.filter((path) => module.test(path) && !/(?:^|\/)(?:src|target|build)\//u.test(path)),
    ),
    checks: checks(project, file),
  }),
});

const maven = jvm("Maven", ["pom.xml"], /\/pom\.xml$/u, (project, file) => [
  check("fast", "mvn test-compile", file, wrapped(project, "mvnw", "mvn", "-B -q -o test-compile")),
  check("slow", "mvn test", file, wrapped(project, "mvnw", "mvn", "-B -o --fail-at-end test"), [], {
    every: 3,
  }),
]);

const offline = "--offline --no-daemon --console=plain";
const gradle = jvm(
  "Gradle",
  ["build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"],
  /\/build\.gradle(?:\.kts)?$/u,
  (project, file) => [
    check(
      "fast",
      "gradle testClasses",
      file,
      wrapped(project, "gradlew", "gradle", `${offline} -q testClasses`),
    ),
    check(
      "slow",
      "gradle test",
      file,
      wrapped(project, "gradlew", "gradle", `${offline} --continue test`),
      [],
      {
        every: 3,
      },
    ),
  ],
);

const gems =
  "Install its gems where commands can read them (`bundle config set --local path vendor/bundle && bundle install`), and name vendor/bundle in [workspace] caches.";

/** Through Bundler where there is a Gemfile. */
const bundled = (
  project: ProjectFolder,
  speed: FoundCheck["speed"],
  command: string,
  reason: string,
): FoundCheck => {
  const [tool = ""] = command.split(" ");
  const need = { name: tool, probe: `bundle exec ${tool} --version`, remedy: gems };
  return check(speed, command, reason, [
    ...(project.has("Gemfile") ? [{ command: `bundle exec ${command}`, needs: [need] }] : []),
    { command, needs: [program(tool, gems)] },
  ]);
};

function rubyTests(project: ProjectFolder): FoundCheck | false {
  const has = (file: RegExp): boolean => project.files.some((path) => file.test(path));
  if (project.has(".rspec")) return bundled(project, "slow", "rspec", ".rspec");
  if (has(/^spec\/.*_spec\.rb$/u)) return bundled(project, "slow", "rspec", "spec/");
  if (!has(/^test\/.*\.rb$/u)) return false;
  if (project.has("bin/rails")) return bundled(project, "slow", "rails test", "bin/rails, test/");
  return project.has("Rakefile") && bundled(project, "slow", "rake test", "Rakefile, test/");
}

const vendored = (project: ProjectFolder, path: string): Need => ({
  name: path,
  probe: `test -e ${path}`,
  remedy: `Run \`composer install\` ${inRepository(project)}. Hox copies vendor into every workspace.`,
});

/** The folders that `use` names in a go.work, as long as they are plain ones below it; "" is its own. */
function goModules(text: string): readonly string[] {
  const plain = text.replace(/\/\/.*/gu, "");
  const blocks = [...plain.matchAll(/^use\s*\(([^()]*)\)/gmu)].flatMap(([, lines = ""]) => lines.split("\n"));
  const single = [...plain.matchAll(/^use\s+([^(\s].*)$/gmu)].map(([, path = ""]) => path);
  const paths = [...single, ...blocks].map((path) => path.trim().replaceAll('"', ""));
  return [
    ...new Set(
      paths
        .filter((path) => /^(?:\.\/)?[\w@.][\w@./-]*\/?$/u.test(path) && !path.split("/").includes(".."))
        .map((path) => path.replace(/^\.(?:\/|$)/u, "").replace(/\/$/u, "")),
    ),
  ];
}

const matched = (text: string, pattern: RegExp): string | undefined => pattern.exec(text)?.[1];

/** The rows, by the name under which they are read. */
const rows = {
  rust: {
    name: "Rust",
    manifests: ["Cargo.toml"],
    manager: "cargo",
    tool: "rust",
    read(project, file) {
      const manifest = parseToml(project.text(file));
      const members = tableIn(manifest, "workspace")
        ? project.files.filter((path) => path.endsWith("/Cargo.toml") && !path.startsWith("target/"))
        : [];
      // For a workspace with a root package the default is that package alone.
      const all = members.length > 0 ? " --workspace" : "";
      const reason = members.length > 0 ? "Cargo.toml: [workspace]" : file;
      const targets = `--quiet --all-targets${all}`;
      return {
        version: textIn(manifest, "package", "rust-version"),
        members: foldersOf(members),
        memberReason: reason,
        checks: [
          compiling("cargo check", reason, `cargo check ${targets}`, [program("cargo")]),
          compiling("clippy", reason, `cargo clippy ${targets}`, [program("cargo"), clippy]),
          // One old failure must not keep the tests behind it from being run.
          check("slow", "cargo test", reason, `cargo test --quiet --no-fail-fast${all}`, ["cargo"], {
            every: 3,
          }),
        ],
      };
    },
  },
  go: {
    name: "Go",
    manifests: ["go.work", "go.mod"],
    manager: "go modules",
    tool: "go",
    read(project, file) {
      const text = project.text(file);
      const modules = file === "go.work" ? goModules(text) : [""];
      const packages = modules.map((module) => (module === "" ? "./..." : `./${module}/...`)).join(" ");
      const names = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];
      const linter = firstOf(project, names);
      const lint = file === "go.work" ? `golangci-lint run ${packages}` : "golangci-lint run";
      return {
        version: matched(text, /^toolchain\s+(\S+)/mu) ?? matched(text, /^go\s+(\S+)/mu),
        members: modules.filter((module) => module !== ""),
        // `go vet` compiles tests as well.
        checks: [
          check("fast", "go vet", file, `go vet ${packages}`, ["go"]),
          linter !== undefined && check("fast", "golangci-lint", linter, lint, ["go", "golangci-lint"]),
          check("slow", "go test", file, `go test ${packages}`, ["go"]),
        ],
      };
    },
  },
  maven,
  gradle,
  ruby: {
    name: "Ruby",
    manifests: ["Gemfile", /\.gemspec$/u],
    manager: "Bundler",
    tool: "ruby",
    read: (project) => ({
      ...(project.has("Gemfile") ? {} : { manager: "RubyGems" }),
      version: matched(project.text("Gemfile"), /^[ \t]*ruby[ \t]+["']([^"'\n]+)["']/mu),
      checks: [
        project.has(".rubocop.yml") && bundled(project, "fast", "rubocop", ".rubocop.yml"),
        rubyTests(project),
      ],
    }),
  },
  dotnet: {
    name: "C#",
    manifests: [/\.slnx?$/u, /\.(?:cs|fs)proj$/u],
    manager: "NuGet",
    tool: "dotnet",
    read(project, file) {
      const solution = project.text(file);
      // Visual Studio builds what is C++ alone, and the .NET SDK cannot.
      if (/\.vcx?proj"/iu.test(solution) && !/\.(?:cs|fs|vb)proj"/iu.test(solution)) return null;
      const isFsharp = !project.files.some((path) => path.endsWith(".csproj")) && file.endsWith(".fsproj");
      return {
        ...(isFsharp ? { name: "F#" } : {}),
        version: textIn(parseJson(project.text("global.json")), "sdk", "version"),
        versionFile: "global.json",
        members: foldersOf(project.files.filter((path) => /\/[^/]+\.(?:cs|fs)proj$/u.test(path))),
        checks: [
          check("fast", "dotnet build", file, "dotnet build --nologo --verbosity quiet", ["dotnet"]),
          check("slow", "dotnet test", file, "dotnet test --nologo", ["dotnet"]),
        ],
      };
    },
  },
  php: {
    name: "PHP",
    manifests: ["composer.json"],
    manager: "Composer",
    tool: "php",
    read(project, file) {
      const manifest = parseJson(project.text(file));
      const scripts = Object.keys(tableIn(manifest, "scripts") ?? {});
      const hints = [vendored(project, "vendor/autoload.php")];
      const run = (name: string, speed: FoundCheck["speed"]): FoundCheck =>
        check(
          speed,
          name,
          `composer.json: scripts.${name}`,
          `composer run-script --no-interaction ${name}`,
          ["php", "composer"],
          { hints },
        );
      const stan = firstOf(project, ["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"]);
      const unit = firstOf(project, ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
      const fast = ["lint", "phpstan", "analyse", "analyze", "stan"].filter((name) => scripts.includes(name));
      const analyse = "php vendor/bin/phpstan analyse --no-progress";
      const [ownUnit, ownStan] = [
        vendored(project, "vendor/bin/phpunit"),
        vendored(project, "vendor/bin/phpstan"),
      ];
      return {
        version: textIn(manifest, "require", "php"),
        checks: [
          ...fast.map((name) => run(name, "fast")),
          stan !== undefined &&
            fast.length === 0 &&
            check("fast", "phpstan", stan, analyse, ["php", ownStan]),
          scripts.includes("test") && run("test", "slow"),
          unit !== undefined &&
            !scripts.includes("test") &&
            check(
              "slow",
              "phpunit",
              unit,
              [
                { command: "php vendor/bin/phpunit", needs: [program("php"), ownUnit] },
                { command: "phpunit", needs: [program("phpunit", ownUnit.remedy)] },
              ],
              [],
              { hints },
            ),
        ],
      };
    },
  },
  elixir: {
    name: "Elixir",
    manifests: ["mix.exs"],
    manager: "Mix",
    read(project, file) {
      const remedy = `Run \`mix deps.get\` ${inRepository(project)}. Hox copies deps into every workspace.`;
      const hints = project.has("mix.lock") ? [{ name: "deps", probe: "test -d deps", remedy }] : [];
      return {
        checks: [
          check("fast", "mix compile", file, "mix compile", ["mix"], { hints }),
          project.has(".credo.exs") && check("fast", "credo", ".credo.exs", "mix credo", ["mix"], { hints }),
          check("slow", "mix test", file, "mix test", ["mix"], { hints }),
        ],
      };
    },
  },
} satisfies Readonly<Record<string, Language>>;

/** What a row says of a folder; null: it is no such project. Maven's comes before Gradle's. */
export const manifestProject =
  (...names: readonly (keyof typeof rows)[]) =>
  (project: ProjectFolder): PartialFacts | null =>
    names.map((name) => factsOf(rows[name], project)).find((facts) => facts !== null) ?? null;
