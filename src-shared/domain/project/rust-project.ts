import { parseToml, tableIn, textIn } from "./parse-text.ts";
import {
  check,
  type FoundCheck,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  program,
} from "./project-facts.ts";

const cargo = program("cargo", "Install Rust (rustup), then check again.");
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
 * Cargo stops at the first crate or target that does not compile, and which one that is differs from run to
 * run. Baseline failures can be told from new ones only if all are named.
 */
function compiling(found: Pick<FoundCheck, "name" | "reason">, command: string, needs: readonly Need[]) {
  const plain = check({ ...found, speed: "fast", command, needs });
  return {
    ...plain,
    ways: [{ command: `${command} --keep-going`, needs: [...needs, goingOn] }, ...plain.ways],
  };
}

/** Rust: cargo checks, lints and tests. (PLAN-6a) */
export function rustProject(project: ProjectFolder): PartialFacts | null {
  if (!project.has("Cargo.toml")) return null;
  const manifest = parseToml(project.text("Cargo.toml"));
  const members = tableIn(manifest, "workspace")
    ? project.files.filter((path) => path.endsWith("/Cargo.toml") && !path.startsWith("target/"))
    : [];
  // For a workspace with a root package the default is that package alone.
  const all = members.length > 0 ? " --workspace" : "";
  const rust = textIn(manifest, "package", "rust-version");
  const reason = members.length > 0 ? "Cargo.toml: [workspace]" : "Cargo.toml";
  return {
    languages: [{ name: "Rust", reason: "Cargo.toml" }],
    packageManagers: [{ name: "cargo", reason: "Cargo.toml" }],
    workspaces: members.map((path) => ({ name: path.slice(0, -"/Cargo.toml".length), reason })),
    toolchains: rust === null ? [] : [{ tool: "rust", version: rust, file: "Cargo.toml" }],
    checks: [
      compiling({ name: "cargo check", reason }, `cargo check --quiet --all-targets${all}`, [cargo]),
      compiling({ name: "clippy", reason }, `cargo clippy --quiet --all-targets${all}`, [cargo, clippy]),
      check({
        name: "cargo test",
        speed: "slow",
        everyNIterations: 3,
        reason,
        // One old failure must not keep the tests behind it from being run.
        command: `cargo test --quiet --no-fail-fast${all}`,
        needs: [cargo],
      }),
    ],
  };
}
