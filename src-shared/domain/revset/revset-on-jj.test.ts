import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { translateRevset } from "./revset.ts";

// The layer of this folder may not import src-main, so jj is looked up here in the same order.
const jj =
  process.env.HOX_JJ ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "hox/tools/jj/bin/jj");
let folder = "";

const run = async (...args: string[]): Promise<string> => {
  const config = [
    "--config=user.name=Ann",
    "--config=user.email=ann@example.org",
    "--color=never",
    "--no-pager",
  ];
  const { stdout } = await execa(jj, ["-R", folder, ...config, ...args], { stdin: "ignore" });
  return stdout;
};

/** Subjects of the changes that a revset selects, sorted. */
async function select(revset: string): Promise<string[]> {
  const result = translateRevset(revset);
  if (!result.ok) throw new Error(result.error.message);
  const lines = await run(
    "log",
    "--no-graph",
    "-r",
    result.revset,
    "-T",
    'description.first_line() ++ "\\n"',
  );
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .sort();
}

const trailers = (subject: string, fields: Record<string, string>): string =>
  `${subject}\n\nA body that says Hox-Priority: high in the middle of a line.\n\n${Object.entries(fields)
    .map(([key, value]) => `Hox-${key}: ${value}`)
    .join("\n")}\n`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hox-revset-"));
  await execa(jj, ["git", "init", "--no-colocate", folder], { stdin: "ignore" });
  const put = (onto: string, subject: string, fields: Record<string, string>) =>
    run("new", onto, "-m", trailers(subject, fields)).then(() =>
      run("log", "--no-graph", "-r", "@", "-T", "change_id"),
    );
  const task = { Kind: "task", Run: "r-1", Orchestrator: "O-A-1" };
  const base = await put("root()", "base", { Kind: "base", Orchestrator: "O-A-1", Run: "r-1" });
  const first = await put(base, "first", { ...task, Status: "done", Priority: "high", Agent: "agent-1" });
  await put(first, "second", { ...task, Status: "open", Priority: "critical", Agent: "agent-22" });
  await put("@", "third", { ...task, Status: "open", Priority: "low", Agent: "agent-2" });
  await put(base, "fourth", { ...task, Status: "in_progress", Priority: "high", Agent: "a+b (c)" });
  await put(base, "all level A", { Kind: "message", "Msg-To": "O-A-*", "Msg-Type": "info" });
  await put(base, "everyone", { Kind: "message", "Msg-To": "O-*", "Msg-Type": "mutation" });
  await put(base, "one", { Kind: "message", "Msg-To": "O-A-1", "Msg-Type": "align-request" });
  await put(base, "ten", { Kind: "message", "Msg-To": "O-A-10", "Msg-Type": "info" });
  await put(base, "agents", { Kind: "message", "Msg-To": "O-A-1/*", "Msg-Type": "info" });
  const figures = (failures: number, score: string) =>
    `{"tool_calls":9,"failures":${failures},"time_ms":1200,"score":${score},"tools":{"failures":4}}`;
  await put("root()", "good work", { Metrics: figures(0, "0.912") });
  await put("root()", "poor work", { Metrics: figures(12, "0.500") });
  await put("root()", "by hand", { Kind: " task ", Status: "open " });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("translated revsets on jj", () => {
  const messages = ["agents", "all level A", "everyone", "one", "ten"];
  it.each<[string, string[]]>([
    ["priority(high)", ["first", "fourth"]],
    ["priority(high, critical) & status(open)", ["second"]],
    ["status(open|in_progress) ~ priority(low)", ["by hand", "fourth", "second"]],
    ["kind(task)", ["by hand", "first", "fourth", "second", "third"]],
    ["kind(message) & mutable()", messages],
    ["ancestors(priority(critical), 2)", ["first", "second"]],
    ["heads(kind(task) & run(r-1))", ["fourth", "third"]],
    ["roots(status(open))", ["by hand", "second"]],
    ["agent(agent-2)", ["third"]],
    ['agent("agent-2*")', ["second", "third"]],
    ['agent("agent-?")', ["first", "third"]],
    ['agent("a+b (c)")', ["fourth"]],
    ['orchestrator("O-A-*") & kind(base)', ["base"]],
    ["msg_to(O-A-1)", ["all level A", "everyone", "one"]],
    ["msg_to(O-B-2)", ["everyone"]],
    ["msg_to(O-A-10)", ["all level A", "everyone", "ten"]],
    ['msg_to("O-A-*")', ["agents", "all level A", "one", "ten"]],
    ["msg_to(O-A-1/agent-1)", ["agents"]],
    ["msg_type(mutation) | msg_type(align-request)", ["everyone", "one"]],
    ["ready()", ["by hand", "second"]],
    ["ready() & description(regex:'(?m)^Hox-Run: r-1$')", ["second"]],
    ["children(priority(high))- & ~empty() | subject('third')", ["third"]],
    ["(kind(task)::) & subject(exact:'priority(high)')", []],
    ["metrics()", ["good work", "poor work"]],
    ["metrics(failures>3)", ["poor work"]],
    ["metrics(failures<=0, failures>=13)", ["good work"]],
    ["score(>0.8)", ["good work"]],
    ["score(<=0.5) | score(=0.912)", ["good work", "poor work"]],
    ["score(>1)", []],
    ["coalesce(agent(nobody), agent(agent-1))", ["first"]],
    ["kind(base)+ & kind(task)", ["first", "fourth"]],
  ])("%s", async (revset, subjects) => {
    expect(await select(revset)).toEqual(subjects);
  });

  it("leave errors in jj's part to jj", async () => {
    await expect(select("priority(high) & nothing_like_it(")).rejects.toThrow(/Unclosed/);
    await expect(select("priority(high) & nothing_like_it()")).rejects.toThrow(/nothing_like_it/);
    await expect(select("priority(high) &")).rejects.toThrow(/Syntax error/);
  });
});
