import { expect, test, vi } from "vitest";
import { bent } from "../testing/breaking.ts";
import { createFixture, type Fixture } from "../testing/run-fixture.ts";

let fixture: Fixture | null = null;

type Call = readonly [readonly { readonly patch?: { readonly status?: string } }[]];

/** The steps with which an agent takes up its task, and the reading before its workspace is made. */
const isStep = (name: string, args: readonly unknown[]): boolean => {
  const [first] = args as Call;
  if (name === "setMetadata") return first[0]?.patch?.status === "in_progress";
  return name === "addWorkspace" || name === "refs";
};

test.each(["setMetadata", "refs"])(
  "an app that closes while agents start their tasks, at %s, starts nothing more for them; the next start does",
  async (at) => {
    let isClosing = false;
    const begunWhileClosing: string[] = [];
    const held = Promise.withResolvers<void>();
    let isPaused = false;
    /** An agent has said that it takes up its task. */
    let isStarted = false;
    let madeAfterwards = 0;
    fixture = await createFixture({
      around: (repository) =>
        bent(repository, (name, args) => {
          if (!isStep(name, args)) return undefined;
          if (isClosing) begunWhileClosing.push(name);
          if (isPaused && !isClosing && name === "addWorkspace") madeAfterwards += 1;
          isStarted ||= name === "setMetadata";
          if (isPaused || name !== at || !isStarted) return undefined;
          isPaused = true;
          return held.promise.then(() => Reflect.apply(Reflect.get(repository, name), repository, args));
        }),
    });
    const one = fixture;
    await one.start();
    await vi.waitUntil(() => isPaused, { timeout: 120_000 });
    isClosing = true;
    const reopened = one.reopen(async () => {
      isClosing = false;
    });
    held.resolve();
    await reopened;
    expect(begunWhileClosing).toEqual([]);
    await vi.waitUntil(() => madeAfterwards >= 3, { timeout: 120_000 });
  },
  300_000,
);
