import { sep } from "node:path";
import { expect, test } from "vitest";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import type { AppView } from "#shared/contract/views/app.ts";
import { seenBy } from "./seen-by.ts";

const place = (repository: string) => ({
  ...{ repository, run: `run of ${repository}`, worker: "agent-1", epoch: 1, grantedAt: 0 },
});
const machine = { id: "0".repeat(16), name: "box", held: 2, places: [place("/theirs"), place("/other")] };
const app = {
  ...{ recent: [], folderToOpen: null, added: "of tomorrow" },
  key: { source: "keychain", hint: "9abc", baseUrl: "https://models.internal" },
  slowCommands: [`/theirs${sep}web`, "/other"].map((folder) => ({ command: "jj status", folder })),
  settings: {
    ...{ window: {}, webhook: "https://hooks/secret", added: "of tomorrow" },
    proxy: { header: "x-user", address: "10.0.0.2", secretEnv: "PROXY_SECRET", publicAddress: "https://hox" },
    openIn: { editor: "/opt/editor", terminal: "", files: "" },
  },
  fleet: { machines: [machine], isServedElsewhere: false, pool: null },
} as unknown as AppView;

const viewer = { name: "Ada", role: null, repositories: { "/theirs": "watch" }, settings: {}, owners: [] };

/** @param as what is different of Ada */
async function sentTo(as: object, ...events: readonly HostEvent[]): Promise<readonly HostEvent[]> {
  async function* stream(): AsyncGenerator<NumberedEvent, void, void> {
    for (const [seq, event] of events.entries()) yield { seq, event };
  }
  const sent: HostEvent[] = [];
  for await (const { event } of seenBy(stream(), () => ({ ...viewer, ...as }) as never)) sent.push(event);
  return sent;
}

test("a person sees that a worker is in use, and by whom only in repositories that are theirs", async () => {
  const sent = await sentTo({}, { kind: "app", app });
  expect(sent).toMatchObject([{ app: { fleet: { machines: [{ held: 2 }] } } }]);
  expect(JSON.stringify(sent)).toContain("run of /theirs");
  expect(JSON.stringify(sent)).not.toContain("/other");
});

test("a person hears of no trouble in repositories that are not theirs", async () => {
  const notice = (text: string) => ({ kind: "notice", level: "error", text, remedy: null }) as const;
  const sent = await sentTo(
    {},
    { ...notice("theirs: disk full"), repository: "/theirs" },
    { ...notice("other: disk full"), repository: "/other" },
    notice("of the host"),
  );
  expect(sent.map((event) => (event.kind === "notice" ? event.text : event.kind))).toEqual([
    ...["theirs: disk full", "alive", "of the host"],
  ]);
});

const secrets = ["9abc", "models.internal", "hooks/secret", "10.0.0.2", "PROXY_SECRET", "/opt/editor"];

test("settings of the host go to those who may change them, and what has no rule to no one", async () => {
  const watches = JSON.stringify(await sentTo({ role: "watch" }, { kind: "app", app }));
  for (const secret of [...secrets, "of tomorrow"]) expect(watches).not.toContain(secret);
  const owns = JSON.stringify(await sentTo({ role: "own" }, { kind: "app", app }));
  for (const secret of secrets) expect(owns).toContain(secret);
});

test("a person sees slow commands of only those repositories that are theirs", async () => {
  const folders = async (as: object) =>
    (await sentTo(as, { kind: "app", app })).flatMap((event) =>
      event.kind === "app" ? event.app.slowCommands.map(({ folder }) => folder) : [],
    );
  expect(await folders({})).toEqual([`/theirs${sep}web`]);
  expect(await folders({ role: "watch" })).toEqual([`/theirs${sep}web`, "/other"]);
});
