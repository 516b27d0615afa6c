/** Somebody else lands between the yes to a result and the move of its branch: nothing of theirs is lost. */
import { afterEach, expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import { crossedAt, landedElsewhere, removeCrossings } from "../../../testing/crossing-jj.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { judgedFiles, judgedScript, seat } from "../../../testing/verdict-script.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
  await removeCrossings();
});

const files = (...more: readonly string[]) =>
  judgedFiles(["validator_count = 1"], "[workflow]", 'learning = "off"', ...more);

async function begin(
  more: readonly string[],
  around?: (repository: Repository) => Repository,
): Promise<Fixture> {
  fixture = await createFixture({
    script: judgedScript({ "validator-1": seat(() => "approve") }),
    files: files(...more),
    ...(around ? { around } : {}),
  });
  fixture.answers = { ...agreeable, land: () => null };
  return fixture;
}

/** What another run does when it lands: main moves on, to a commit beside the result. */
const landElsewhere = async ({ repo }: Fixture): Promise<void> => {
  await repo.terminal(["new", "main", "-m", landedElsewhere]);
  await repo.terminal(["bookmark", "set", "main", "-r", "@"]);
};

/** The result is offered with what came, and lands on it. */
async function expectBothToLand(one: Fixture, before: string | null = null): Promise<void> {
  const isAskedAgain = (item: InboxItem): boolean => item.kind === "land" && item.nonce !== before;
  await one.until((run, inbox) => over(run) || run.failure !== null || inbox.some(isAskedAgain));
  const again = one.engine.state().inbox.find(isAskedAgain);
  if (again === undefined) throw new Error("It was not asked about again.");
  expect(again).toMatchObject({ brought: { branch: "main", commits: [landedElsewhere], commitCount: 1 } });
  expect(one.engine.state().run).toMatchObject({ stage: "landing", failure: null, landed: null });
  const yes = { kind: "approve", bookmark: "main" } as const;
  await one.execute("inbox.answer", { ...again, decision: yes });
  expect(await one.until(over)).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
  const held = [
    "log",
    "--no-graph",
    "-r",
    `::main & description(substring:"${landedElsewhere}")`,
    "-T",
    '"x"',
  ];
  expect(await one.repo.terminal(held)).toBe("x");
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toBe("keeps users");
}

test("a branch that moves during jj's move is not moved back, and the result is offered on it", {
  tags: ["long"],
}, async () => {
  const arm = await crossedAt("bookmark set", "main");
  const one = await begin([]);
  await one.start();
  const card = await one.card("land");
  await arm();
  await one.execute("inbox.answer", {
    ...card,
    decision: { kind: "approve", bookmark: "main" },
  });
  await expectBothToLand(one, card.nonce);
});

test("a branch that moves right before its move is not moved back, and the result is offered on it", async () => {
  let isCrossed = false;
  const one = await begin(
    ['[gates]\nland = "auto"'],
    (repository) =>
      new Proxy(repository, {
        get(target, property, proxy) {
          const value: unknown = Reflect.get(target, property, proxy);
          if (property !== "refusalToMove") return typeof value === "function" ? value.bind(target) : value;
          // The last look before a result lands by itself.
          return async (move: Parameters<typeof target.refusalToMove>[0]) => {
            const refusal = await target.refusalToMove(move);
            if (!isCrossed) await landElsewhere(one);
            isCrossed = true;
            return refusal;
          };
        },
      }),
  );
  await one.start();
  await expectBothToLand(one);
});
