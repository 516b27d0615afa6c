import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LeaseTimes } from "#shared/domain/places/lease.ts";
import { sharedHistoryFolder } from "../../jj/git/git-view.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import {
  externalAgentFiles,
  externalAgentScript,
  project,
  reportsStore,
} from "../testing/external-agent-script.ts";
import { createFixture, type Fixture, over } from "../testing/run-fixture.ts";
import { stubbornScript } from "../testing/stubborn-script.ts";
import { calmAgents, threeAgents, vote } from "../testing/three-agents-script.ts";
import { openWorkerMachines, quickTimes } from "../testing/worker-machines.ts";

async function openMachines(times?: LeaseTimes) {
  const machines = await openWorkerMachines(times);
  onTestFinished(() => machines.close());
  return machines;
}

const configured = (preflight: "ask" | "off") =>
  `[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "${preflight}"\n`;

const rowsOf = ({ events }: Fixture) =>
  events.flatMap((event) =>
    event.kind === "conversation" ? event.rows.map((row) => ({ worker: event.worker, row })) : [],
  );
const noticesOf = (fixture: Fixture): readonly string[] =>
  rowsOf(fixture).flatMap(({ row }) => (row.kind === "notice" ? [row.text] : []));
const outcomesOf = (fixture: Fixture): readonly string[] =>
  rowsOf(fixture)
    .flatMap(({ row }) => (row.kind === "checks" ? row.results : []))
    .map(({ outcome }) => outcome);

/** The sandbox of the host, and what it ran in fresh checkouts of a run. @param folder of the repository, once there is one */
function watchedSandbox(folder: () => string) {
  const commands: string[] = [];
  const sandbox = async (): Promise<Sandbox> => {
    const readable = [sharedHistoryFolder(join(folder(), "state"))];
    const real = await createSandbox({ allowUnsandboxed: false, readable });
    return {
      ...real,
      run(placed) {
        if (placed.workspace.includes("/checkouts/")) commands.push(placed.command);
        return real.run(placed);
      },
    };
  };
  return { commands, sandbox };
}

test("checks and judges come to the same on workers as on the host, also of what failed before", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  // An old failure, named with the folder in which the check runs, and Git as checks use it.
  const check =
    'git cat-file -e HEAD || exit 2\necho "FAILED $PWD/src/test_old.py::test_old - Old."\necho "=== 1 failed in 0.15s ==="\nexit 1\n';
  const command = "git log -1 --format=%s; cat src/index.txt; echo; cat made/at";
  const look = { calls: [{ tool: "run_command", input: { command } }] };
  const judge = (answer: "approve" | "reject") =>
    vote(answer).map((scene) => ({ ...scene, steps: [look, ...scene.steps] }));
  const routes = { ...threeAgents.routes, "validator-3": judge("reject"), "validator-*": judge("approve") };
  const outcome = async (on: string) => {
    const machines = await openMachines();
    if (on !== "") for (const name of ["box", "other"]) await machines.start(name);
    let folder = "";
    const { commands, sandbox } = watchedSandbox(() => folder);
    const fixture = await createFixture({
      ...{ places: machines.connected, sandbox },
      script: { ...threeAgents, routes },
      files: {
        "check.sh": check,
        ".gitignore": "made/\n",
        ".hox/config.toml": `${configured("ask")}[workspace]\nsetup = ["mkdir -p made; date +%s%N > made/at"]\n`,
      },
    });
    folder = fixture.repo.folder;
    await fixture.start({ on });
    const { stage, validation } = await fixture.until(over);
    const printed = rowsOf(fixture).flatMap(({ worker, row }) =>
      row.kind === "tool-result" && row.tool === "run_command"
        ? [{ worker, lines: row.output.split("\n") }]
        : [],
    );
    return {
      result: {
        stage,
        files: await fixture.repo.terminal(["file", "show", "-r", "main", "."]),
        votes: validation?.seats.map(({ seat, vote }) => [seat, vote]),
        checks: validation?.checks.map(({ name, command, outcome }) => ({ name, command, outcome })),
        outcomes: [...new Set(outcomesOf(fixture))],
        // Without how long each took.
        printed: printed.map(({ worker, lines }) => [worker, ...lines.slice(1, -1)].join("\n")).toSorted(),
      },
      setUps: new Set(printed.map(({ lines }) => lines.at(-1))).size,
      onHost: commands,
      held: machines.places.held(),
      notices: noticesOf(fixture).filter((text) => text.startsWith("The checks run on worker")),
    };
  };
  const [onHost, onWorkers] = [await outcome(""), await outcome("test")];
  expect(onWorkers.result).toEqual(onHost.result);
  expect(onHost.result).toMatchObject({ stage: "complete", outcomes: ["known-failure"] });
  expect(onHost.onHost.length).toBeGreaterThan(1);
  // Only the preflight, before the run.
  expect(onWorkers).toMatchObject({ onHost: [expect.stringContaining("made"), "sh check.sh"], held: [] });
  expect(onWorkers.notices).not.toEqual([]);
  // Four judges of the same files on two workers.
  expect(onWorkers.setUps).toBeLessThanOrEqual(2);
});

const writes = stubbornScript("Write a file", [{ write: "src/a.txt" }, { run: ["touch here.tmp"] }]);

/** A quick run whose check does this in fresh checkouts on `box`, and passes elsewhere. */
async function startCheck(machines: Awaited<ReturnType<typeof openMachines>>, onBox: string) {
  const check = `test -e here.tmp && exit 0\ncase "$PWD" in */box/places/*) ${onBox};; esac\n`;
  const fixture = await createFixture({
    ...{ places: machines.connected, script: writes, workflow: "auto" },
    files: { "check.sh": check, ".gitignore": "*.tmp\n", ".hox/config.toml": configured("off") },
  });
  await fixture.start({ goal: "Write a file", quick: true, on: "test" });
  return fixture;
}

const hasBegun = ({ folder }: { readonly folder: string }): boolean => {
  const places = join(folder, "places");
  return (
    existsSync(places) &&
    readdirSync(places).some((one) => existsSync(join(places, one, "files", "began.tmp")))
  );
};

test.each(["on another worker", "on this machine"])(
  "a check whose worker is killed runs again %s",
  {
    tags: ["long"],
    timeout: 120_000,
  },
  async (where) => {
    const machines = await openMachines();
    const box = await machines.start("box");
    const fixture = await startCheck(machines, "touch began.tmp; sleep 300");
    await machines.until("the check runs", () => hasBegun(box));
    if (where === "on another worker") await machines.start("other");
    box.child.kill("SIGKILL");
    expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
    expect(new Set(outcomesOf(fixture))).toEqual(new Set(["passed"]));
    expect(noticesOf(fixture)).toContain(
      `Worker box is gone. What ran in a fresh checkout on worker box does not count and runs again ${where === "on this machine" ? where : "on worker other"}.`,
    );
    expect(machines.places.held()).toEqual([]);
  },
);

test("a validator whose worker is killed hears that its checkout is fresh elsewhere", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const machines = await openMachines();
  const box = await machines.start("box");
  const command = 'case "$PWD" in */box/places/*) touch began.tmp; sleep 300;; esac; cat src/index.txt';
  const look = { calls: [{ tool: "run_command", input: { command } }] };
  const judge = vote("approve").map((scene) => ({ ...scene, steps: [look, look, ...scene.steps] }));
  const fixture = await createFixture({
    ...{ places: machines.connected, workflow: "one-judge" },
    script: { ...calmAgents, routes: { ...calmAgents.routes, "validator-*": judge } },
    files: { ".gitignore": "*.tmp\n" },
  });
  await fixture.start({ on: "test" });
  await machines.until("the command runs", () => hasBegun(box));
  box.child.kill("SIGKILL");
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", validation: { verdict: "approved" } });
  const answers = rowsOf(fixture).flatMap(({ worker, row }) =>
    /^validator/u.test(worker) && row.kind === "tool-result" && row.tool === "run_command"
      ? [row.output]
      : [],
  );
  expect(answers).toEqual([
    expect.stringContaining("Worker box is gone. This checkout is fresh elsewhere"),
    expect.stringContaining("the store\nthe view"),
  ]);
});

test("a result of a worker that was stopped past its lease does not count", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const machines = await openMachines(quickTimes);
  const box = await machines.start("box");
  const fixture = await startCheck(machines, "touch began.tmp; sleep 7; exit 1");
  await machines.until("the check runs", () => hasBegun(box));
  box.child.kill("SIGSTOP");
  await machines.until("the host has the place", () => machines.places.held().length === 0);
  // Or the check would run there again, and fail.
  machines.machines.setState(box.id, "draining");
  box.child.kill("SIGCONT");
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(new Set(outcomesOf(fixture))).toEqual(new Set(["passed"]));
});

test("an agent of another make works on the host and says so, and its finished work is checked on a worker", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const machines = await openMachines();
  await machines.start("box");
  const fixture = await createFixture({
    ...{ places: machines.connected, script: externalAgentScript, workflow: "auto" },
    files: externalAgentFiles([[{ write: "src/store.txt", text: "the store\n" }, reportsStore]]),
    sandbox: () => createSandbox({ allowUnsandboxed: false, readable: [project] }),
  });
  await fixture.start({ models: { agent: "scripted/claude-sonnet-5-5" }, on: "test" });
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  const notices = rowsOf(fixture).flatMap(({ worker, row }) =>
    worker === "agent-1" && row.kind === "notice" ? [row.text] : [],
  );
  expect(notices).toContain("The checks run on worker box.");
  expect(notices.filter((text) => text.startsWith("Works on"))).toEqual([
    expect.stringContaining("scripted is started by a command in the configuration"),
  ]);
});

test("a check whose program a worker does not have runs on the host", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const machines = await openMachines();
  await machines.start("box");
  const fixture = await startCheck(machines, "no-such-program");
  expect(await fixture.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(new Set(outcomesOf(fixture))).toEqual(new Set(["passed"]));
  expect(noticesOf(fixture).join("\n")).toContain("Worker box lacks a program of `sh check.sh`.");
});
