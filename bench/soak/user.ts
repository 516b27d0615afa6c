import { setTimeout as pause } from "node:timers/promises";
import type { TestRepository } from "../../src-main/jj/testing/create-test-repository.ts";
import type { Chance } from "./random.ts";

/**
 * Somebody who works in a terminal on the same repository, at full speed and by chance: edits files, describes,
 * commits, squashes, rebases and abandons what is theirs, moves bookmarks, and asks jj to look again and again. Once
 * in a while they write a remark into a task that an agent is at.
 */
export class User {
  readonly #repo: TestRepository;
  readonly #chance: Chance;
  readonly #meanMs: number;
  /** Files that they wrote and did not abandon. */
  readonly #files = new Set<string>();
  readonly #refusals = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #stopped = false;
  #written = 0;

  constructor(repo: TestRepository, chance: Chance, meanMs: number) {
    this.#repo = repo;
    this.#chance = chance;
    this.#meanMs = meanMs;
  }

  get files(): ReadonlySet<string> {
    return this.#files;
  }

  /** Commands by kind; a refusal of jj is an answer to a user, not a finding. */
  get commands(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  get refusals(): ReadonlyMap<string, number> {
    return this.#refusals;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Goes on until stopped. */
  async work(): Promise<void> {
    while (!this.#stopped) {
      const [name, act] = this.#chance.pick(this.#acts);
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      await act();
      await pause(this.#chance.next() * 2 * this.#meanMs);
    }
  }

  readonly #acts: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["edit", () => this.#edit()],
    ["edit", () => this.#edit()],
    ["edit", () => this.#edit()],
    ["status", () => this.#jj("status")],
    ["log", () => this.#jj("log", "--limit", "20")],
    ["describe", () => this.#jj("describe", "-m", `mine ${this.#chance.below(1000)}`)],
    ["commit", () => this.#jj("commit", "-m", `mine: part ${this.#chance.below(1000)}`)],
    ["new", () => this.#jj("new", "-m", "mine: next")],
    ["new on main", () => this.#jj("new", "main", "-m", "mine: on what has landed")],
    ["squash", () => this.#squash()],
    ["rebase", () => this.#rebase()],
    ["abandon", () => this.#abandon()],
    ["bookmark", () => this.#jj("bookmark", "set", "--allow-backwards", "mine", "-r", "@")],
    ["snapshots", () => this.#storm()],
    ["remark", () => this.#remark()],
  ];

  async #edit(): Promise<void> {
    const path = `user/${++this.#written}.txt`;
    await this.#repo.write(path, `written by hand, number ${this.#written}\n`);
    // Written down once jj has recorded it.
    if (await this.#jj("util", "snapshot")) this.#files.add(path);
  }

  /** Changes of their own, newest first: those that are no run's. */
  async #own(): Promise<readonly string[]> {
    const mine = 'mutable() & description(glob:"mine*") ~ description(regex:"(?m)^Hox-Run: ")';
    return this.#lines("log", "--no-graph", "-r", mine, "-T", 'change_id ++ "\\n"');
  }

  async #squash(): Promise<void> {
    const above = await this.#lines(
      "log",
      "--no-graph",
      "-r",
      '@- & mutable() & description(glob:"mine*")',
      "-T",
      '"x\\n"',
    );
    if (above.length > 0) await this.#jj("squash", "--use-destination-message");
  }

  async #rebase(): Promise<void> {
    const own = await this.#own();
    if (own.length < 2) return;
    const onto = this.#chance.pick(["main", ...own]);
    await this.#jj("rebase", this.#chance.pick(["-r", "-s"]), this.#chance.pick(own), "-d", onto);
  }

  async #abandon(): Promise<void> {
    const own = await this.#own();
    if (own.length < 3) return;
    const change = this.#chance.pick(own);
    const files = await this.#lines("diff", "--name-only", "-r", change);
    if (await this.#jj("abandon", change)) for (const file of files) this.#files.delete(file);
  }

  async #storm(): Promise<void> {
    await Promise.all(
      [["util", "snapshot"], ["status"], ["util", "snapshot"], ["log", "-r", "@"]].map((args) =>
        this.#jj(...args),
      ),
    );
  }

  async #remark(): Promise<void> {
    const tasks = await this.#lines(
      ...["log", "--no-graph", "-r", 'mutable() & description(regex:"(?m)^Hox-Kind: task$")'],
      ...["-T", 'change_id ++ "\\n"'],
    );
    if (tasks.length === 0) return;
    const task = this.#chance.pick(tasks);
    const words = await this.#repo
      .terminal(["log", "--no-graph", "-r", task, "-T", "description"])
      .catch(() => null);
    if (words === null) return;
    const [title, ...rest] = words.split("\n");
    const text = `${[title, "", `A remark, number ${this.#chance.below(1000)}.`, ...rest].join("\n")}\n`;
    await this.#jj("describe", "-r", task, "-m", text);
  }

  async #lines(...args: readonly string[]): Promise<readonly string[]> {
    const text = await this.#repo.terminal(args).catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  }

  /** True when jj did it. */
  async #jj(...args: readonly string[]): Promise<boolean> {
    try {
      await this.#repo.terminal(args);
      return true;
    } catch (error) {
      const messages = String((error as { stderr?: unknown }).stderr ?? error);
      const line = (messages.split("\n").find((one) => one.trim() !== "") ?? "").replaceAll(
        /[0-9a-z]{8,}/gu,
        "…",
      );
      this.#refusals.set(line, (this.#refusals.get(line) ?? 0) + 1);
      return false;
    }
  }
}
