import { expect, test } from "vitest";
import type { NumberedEvent } from "#shared/contract/events.ts";
import type { AppView } from "#shared/contract/views/app.ts";
import { seenBy } from "./seen-by.ts";

const place = (repository: string) => ({
  ...{ repository, run: `run of ${repository}`, worker: "agent-1", epoch: 1, grantedAt: 0 },
});
const machine = { id: "0".repeat(16), name: "box", held: 2, places: [place("/theirs"), place("/other")] };
const app = {
  ...{ recent: [], settings: { window: {} }, folderToOpen: null },
  fleet: { machines: [machine], isServedElsewhere: false },
} as unknown as AppView;

test("a person sees that a worker is in use, and by whom only in repositories that are theirs", async () => {
  const viewer = { name: "Ada", role: null, repositories: { "/theirs": "watch" }, settings: {}, owners: [] };
  async function* stream(): AsyncGenerator<NumberedEvent, void, void> {
    yield { seq: 1, event: { kind: "app", app } };
  }
  const sent: NumberedEvent[] = [];
  for await (const event of seenBy(stream(), () => viewer as never)) sent.push(event);
  expect(sent).toMatchObject([{ event: { app: { fleet: { machines: [{ held: 2 }] } } } }]);
  expect(JSON.stringify(sent)).toContain("run of /theirs");
  expect(JSON.stringify(sent)).not.toContain("/other");
});
