/** Tries the checks of a project on one commit, in a workspace as agents get one. Knows no run. */
import { createHash } from "node:crypto";
import { cachePaths, deepestPath, filesToRead } from "#shared/domain/project/find-project.ts";
import { type InstalledTool, readVersion, versionProbe } from "#shared/domain/project/installed-versions.ts";
import type { LookedCheck, NamedChecks, Preflight } from "#shared/domain/project/preflight.ts";
import type { FoundCheck, Need, ProjectFiles, ToolchainWish } from "#shared/domain/project/project-facts.ts";
import { readProject } from "../../checks/found-checks.ts";
import { checkName, runCheck } from "../../checks/run-check.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import { failureOf } from "../kernel/best-effort.ts";
import { cacheStamps, keepCachesOf, type SetUpHost, setUpCheckouts } from "../workspaces/set-up-checkouts.ts";
import type { CheckoutHandle } from "../workspaces/workspace-interface.ts";
import { keepLook, keptLook } from "./kept-looks.ts";

export interface LookHost extends SetUpHost {
  readonly now: () => number;
}

export interface LookRequest {
  /** The commit that is looked at. */
  readonly commit: string;
  /** The user's checks, which replace the found ones. */
  readonly given: NamedChecks | null;
  /** Command of a check → what runs in its place. */
  readonly changed?: Readonly<Record<string, string>>;
  /** Outcomes of this commit that count again, by command. */
  readonly known?: Preflight | null;
  /** Whether its tools' caches are kept for the workspaces of the run: no agent wrote what the commit holds. */
  readonly keepsBuildCaches?: boolean;
  /** False: run everything again. */
  readonly usesKept: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** A short text of the current activity. */
  readonly show: (activity: string) => void;
  /** Before the first command; what it throws ends the look. */
  readonly mayRun: () => Promise<void>;
}

/** Rises when a look means something else than before. */
const version = 3;
/** Of what a check prints, the end says most. */
const maxOutputLength = 4_000;
/** Asking for programs starts some of them. */
const probeSeconds = 120;

/** @throws Interrupted when its signal aborts */
export async function lookAtBase(
  host: LookHost,
  request: LookRequest,
): Promise<{ readonly look: Preflight; readonly isKept: boolean }> {
  const { commit, signal } = request;
  const { backpressure } = host.config;
  request.show("preflight: reading the project");
  const files = await filesAt(host.repository, commit, signal);
  const { checks: found, packageFolders, ...facts } = await readProject(files);
  const candidates = candidatesOf(host.config, request, found);
  const empty: Preflight = {
    commitId: commit,
    at: host.now(),
    facts,
    installed: [],
    isConfigured: { fast: backpressure.fastChecks !== null, slow: backpressure.slowChecks !== null },
    checks: [],
    setUpMs: 0,
    setUpFailures: [],
    timeoutSeconds: backpressure.timeoutSeconds,
  };
  if (candidates.length === 0) return { look: empty, isKept: false };
  const key = await keyOf(host, commit, candidates, packageFolders);
  const known = request.usesKept ? await keptLook(host.stateFolder, key) : null;
  // What was missing may have been installed since.
  if (known?.checks.every(({ outcome }) => outcome !== "missing")) return { look: known, isKept: true };
  await request.mayRun();
  const look = await tryChecks(host, request, candidates, empty, known ?? request.known ?? null);
  await keepLook(host.stateFolder, key, look);
  return { look, isKept: false };
}

/**
 * The checks to try: configured, given or found, each as the user may have changed it. The configuration
 * comes first, then the user's, then found ones; separately for each speed.
 */
function candidatesOf(
  { backpressure }: Config,
  {
    given,
    changed = {},
  }: { readonly given: NamedChecks | null; readonly changed?: Readonly<Record<string, string>> },
  found: readonly FoundCheck[],
): readonly FoundCheck[] {
  const fast = backpressure.fastChecks ?? given?.fast ?? null;
  const slow = backpressure.slowChecks ?? given?.slow ?? null;
  const named = (
    command: string,
    speed: FoundCheck["speed"],
    everyNIterations: number,
    reason: string,
  ): FoundCheck => ({
    name: checkName(command),
    speed,
    everyNIterations,
    reason,
    ways: [{ command, needs: [] }],
    hints: found.find(({ ways }) => ways.some((way) => way.command === command))?.hints ?? [],
  });
  const reason = (isConfigured: boolean): string =>
    isConfigured ? "set in .hox/config.toml" : "set for this run";
  const candidates = [
    ...(fast === null
      ? found.filter(({ speed }) => speed === "fast")
      : fast.map((command) => named(command, "fast", 1, reason(backpressure.fastChecks !== null)))),
    ...(slow === null
      ? found.filter(({ speed }) => speed === "slow")
      : slow.map(({ command, everyNIterations }) =>
          named(command, "slow", everyNIterations, reason(backpressure.slowChecks !== null)),
        )),
  ];
  return candidates.map((one) => changedCheck(one, changed));
}

/** Whatever way it would have run by. */
function changedCheck(check: FoundCheck, changed: Readonly<Record<string, string>>): FoundCheck {
  const instead = check.ways.flatMap(({ command }) => changed[command] ?? [])[0];
  if (instead === undefined) return check;
  return {
    ...check,
    ways: [{ command: instead, needs: [] }],
    reason: `${check.reason}; changed for this run`,
  };
}

/** The files of a commit, as far as they say what the project is. */
async function filesAt(repository: Repository, commit: string, signal: AbortSignal): Promise<ProjectFiles> {
  const paths = (await repository.listFiles(commit)).filter((path) => path.split("/").length <= deepestPath);
  const texts = await repository.readTexts(commit, filesToRead(paths), {
    maxFileBytes: 500_000,
    maxBytes: 20_000_000,
    signal,
  });
  return { paths, texts };
}

/** All on which the outcome depends and that can be seen without running anything. */
async function keyOf(
  host: LookHost,
  commit: string,
  candidates: readonly FoundCheck[],
  folders: readonly string[],
): Promise<string> {
  const { config, repository } = host;
  const caches = await cacheStamps(repository, cachePaths(config.workspace.caches, folders));
  const parts = [
    version,
    commit,
    candidates,
    caches,
    config.workspace.setup,
    config.workspace.setupHosts,
    config.backpressure.timeoutSeconds,
    config.protectedFiles,
    config.sandbox,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

async function tryChecks(
  host: LookHost,
  request: LookRequest,
  candidates: readonly FoundCheck[],
  empty: Preflight,
  known: Preflight | null,
): Promise<Preflight> {
  const { commit, signal, environment, show } = request;
  const unlessStopped = (): void => {
    if (signal.aborted) throw new Interrupted();
  };
  show("preflight: setting up a workspace");
  const begun = performance.now();
  const setUpFailures: string[] = [];
  const places = await setUpCheckouts(host, commit, {
    environment,
    signal,
    show: (activity) => show(`preflight: ${activity}`),
    failed: (what, detail) => setUpFailures.push(`${what}. ${detail.split("\n")[0] ?? ""}`),
  });
  try {
    unlessStopped();
    const place = await places.checkout();
    const setUpMs = Math.round(performance.now() - begun);
    show("preflight: looking for the programs of the checks");
    const { isThere, installed } = await probe(host, place, request, {
      candidates,
      wishes: empty.facts.toolchains,
    });
    unlessStopped();
    const checks: LookedCheck[] = [];
    for (const [index, candidate] of candidates.entries()) {
      show(`preflight: running ${candidate.name} (${index + 1} of ${candidates.length})`);
      const way = candidate.ways.find(({ needs }) => needs.every(isThere));
      const before = known?.checks.find(
        ({ command, outcome }) => command === way?.command && outcome !== "missing",
      );
      if (way === undefined) checks.push(missing(candidate, isThere));
      else if (before) checks.push({ ...before, name: candidate.name });
      else {
        const ran = await runCheck({
          run: place.run,
          location: () => place.location,
          command: way.command,
          environment,
          timeoutSeconds: host.config.backpressure.timeoutSeconds,
          protectedFiles: host.config.protectedFiles,
          signal,
        });
        // What was cut short says nothing about the project.
        unlessStopped();
        // What names its failures has run.
        const isExplained = ran.outcome === "passed" || ran.failures !== null;
        const lacking = isExplained ? undefined : candidate.hints.find((hint) => !isThere(hint));
        checks.push({
          ...described(candidate),
          command: way.command,
          outcome: ran.outcome,
          failures: ran.failures,
          ...(ran.why === undefined ? {} : { why: ran.why }),
          ms: Math.round(ran.ms),
          output: ran.output.slice(-maxOutputLength),
          remedy:
            lacking?.remedy ??
            (ran.outcome === "missing"
              ? "Its program was not found. Install it, or remove the check."
              : null),
        });
      }
    }
    if (request.keepsBuildCaches === true) {
      const failed = await failureOf(() => keepCachesOf(host, place, commit, signal));
      unlessStopped();
      if (failed) setUpFailures.push(`Build caches could not be kept. ${explain(failed.error).message}`);
    }
    return { ...empty, installed, checks, setUpMs, setUpFailures };
  } finally {
    await places.remove();
  }
}

const described = ({ name, speed, everyNIterations, reason }: FoundCheck) => ({
  name,
  speed,
  everyNIterations,
  reason,
});

/** The plain command, with what is missing for it. */
function missing(candidate: FoundCheck, isThere: (need: Need) => boolean): LookedCheck {
  const way = candidate.ways.at(-1);
  const lacking = way?.needs.find((need) => !isThere(need));
  return {
    ...described(candidate),
    command: way?.command ?? "",
    outcome: "missing",
    failures: null,
    ms: 0,
    output: lacking === undefined ? "" : `${lacking.name} was not found.`,
    remedy: lacking === undefined || lacking.remedy === "" ? null : lacking.remedy,
  };
}

interface Probed {
  readonly isThere: (need: Need) => boolean;
  readonly installed: readonly InstalledTool[];
}

/** Finds in one command all programs that any command needs, and the versions of required tools. */
async function probe(
  host: LookHost,
  place: CheckoutHandle,
  { environment, signal }: LookRequest,
  {
    candidates,
    wishes,
  }: { readonly candidates: readonly FoundCheck[]; readonly wishes: readonly ToolchainWish[] },
): Promise<Probed> {
  const probes = [
    ...new Set(
      candidates.flatMap(({ ways, hints }) =>
        [...ways.flatMap(({ needs }) => needs), ...hints].map((need) => need.probe),
      ),
    ),
  ];
  const asked = wishes.flatMap((wish) => {
    const command = versionProbe(wish);
    return command === null ? [] : [{ wish, command }];
  });
  if (probes.length + asked.length === 0) return { isThere: () => true, installed: [] };
  const [mark, versionMark] = ["hox-has", "hox-version"];
  const { output } = await place.run({
    command: [
      ...probes.map((one, index) => `( ${one} ) >/dev/null 2>&1 </dev/null && echo ${mark} ${index}.`),
      ...asked.map(
        ({ command }, index) =>
          `said=$( ( ${command} ) 2>/dev/null </dev/null ) && echo "${versionMark} ${index}." $said`,
      ),
    ].join("\n"),
    environment,
    protectedFiles: host.config.protectedFiles,
    timeoutMs: probeSeconds * 1000,
    signal,
  });
  const lines = output.split("\n");
  const there = new Set(probes.filter((_, index) => lines.includes(`${mark} ${index}.`)));
  const installed = asked.flatMap(({ wish: { tool, file } }, index) => {
    const begin = `${versionMark} ${index}. `;
    const versionLine = lines.find((line) => line.startsWith(begin));
    const found = versionLine === undefined ? null : readVersion(tool, versionLine.slice(begin.length));
    return found === null ? [] : [{ tool, file, version: found }];
  });
  return { isThere: (need) => there.has(need.probe), installed };
}
