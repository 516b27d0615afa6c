import { check, firstOf, type PartialFacts, type ProjectFolder, program } from "./project-facts.ts";

const go = program("go", "Install Go, then check again.");

/** Go: `go vet`, which compiles tests as well, and `go test`, of one module or of all in a workspace. */
export function goProject(project: ProjectFolder): PartialFacts | null {
  const file = firstOf(project, ["go.work", "go.mod"]);
  if (file === undefined) return null;
  const [, version] = /^go\s+(\S+)/mu.exec(project.text(file)) ?? [];
  const [, toolchain] = /^toolchain\s+(\S+)/mu.exec(project.text(file)) ?? [];
  const modules = file === "go.work" ? modulesOf(project.text(file)) : [""];
  const packages = modules.map((module) => (module === "" ? "./..." : `./${module}/...`)).join(" ");
  const linter = firstOf(project, [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"]);
  return {
    languages: [{ name: "Go", reason: file }],
    packageManagers: [{ name: "go modules", reason: file }],
    workspaces: modules.filter((module) => module !== "").map((name) => ({ name, reason: file })),
    toolchains: (toolchain ?? version) ? [{ tool: "go", version: toolchain ?? version ?? "", file }] : [],
    checks: [
      check({ name: "go vet", speed: "fast", reason: file, command: `go vet ${packages}`, needs: [go] }),
      ...(linter === undefined
        ? []
        : [
            check({
              name: "golangci-lint",
              speed: "fast",
              reason: linter,
              command: file === "go.work" ? `golangci-lint run ${packages}` : "golangci-lint run",
              needs: [go, program("golangci-lint", "Install golangci-lint, then check again.")],
            }),
          ]),
      check({ name: "go test", speed: "slow", reason: file, command: `go test ${packages}`, needs: [go] }),
    ],
  };
}

/** The folders that `use` names in a go.work, as long as they are plain ones below it; "" is its own. */
function modulesOf(text: string): readonly string[] {
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
