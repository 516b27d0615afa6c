/** One host, several people: over real sockets, with a run whose model is scripted. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import type { PersonRole } from "#shared/domain/people/role.ts";
import { repositoryStateFolder } from "./config/state-folder.ts";
import { createHost } from "./host.ts";
import type { Host } from "./host-interface.ts";
import { createTestRepository, type TestRepository } from "./jj/testing/create-test-repository.ts";
import { createPeople, hostOwner } from "./people/people.ts";
import { withJournalOrNone } from "./replay/open-recording-file.ts";
import { eventually, tempDir } from "./testing/kit.ts";
import { servePeople } from "./transport/serve-people.ts";
import { openOwnWindow } from "./transport/testing/own-window.ts";
import { openWindow, type Server, type Window } from "./transport/testing/people-client.ts";
import { selfSignedCertificate } from "./transport/testing/self-signed-certificate.ts";

const { cert, key } = selfSignedCertificate(["localhost"]);
let state: string;
let host: Host;
let server: Server;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  const folder = tempDir();
  state = join(folder, "state");
  const tls = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  await writeFile(tls.cert, cert);
  await writeFile(tls.key, key);
  await writeFile(join(folder, "index.html"), "");
  host = await createHost({ shell: "browser", version: "0", stateFolder: state });
  const served = await servePeople(host, {
    ...{ listen: "127.0.0.1", tls, proxy: null, publicAddress: null, files: folder, people: host.people },
  });
  server = { ...served, ca: cert };
  ends.push(() => host.close(), served.close);
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Person extends Window {
  readonly seen: HostEvent[];
  until<K extends HostEvent["kind"]>(
    kind: K,
    fits?: (event: Extract<HostEvent, { kind: K }>) => boolean,
  ): Promise<Extract<HostEvent, { kind: K }>>;
}

/** Invites somebody, and opens a window that listens. @param here the one repository that the role is for */
async function enter(
  name: string,
  role: PersonRole,
  show: string | null,
  here: string | null = null,
): Promise<Person> {
  const { token } = host.people.invite({ name, role, repository: here, hours: 1 });
  const identity = host.people.accept(token)?.identity ?? "";
  const opened = await openWindow(server, identity, { show });
  if (typeof opened === "number") throw new Error(`refused: ${opened}`);
  ends.push(() => opened.close());
  const seen: HostEvent[] = [];
  const stream = await opened.client.watch({ since: null, ...(show === null ? {} : { repository: show }) });
  void follow(stream, seen);
  const until: Person["until"] = async (kind, fits = () => true) => {
    let found: HostEvent | undefined;
    await eventually(() => {
      found = seen.find((event) => event.kind === kind && fits(event as never));
      expect(found).toBeDefined();
    });
    return found as never;
  };
  await until("snapshot");
  return { ...opened, seen, until };
}

async function follow(stream: AsyncIterable<NumberedEvent>, seen: HostEvent[]): Promise<void> {
  try {
    for await (const { event } of stream) seen.push(event);
  } catch {
    // The socket was closed.
  }
}

const cardIn = async (person: Person, kind: InboxItem["kind"]): Promise<InboxItem> => {
  let card: InboxItem | undefined;
  await eventually(async () => {
    const { inbox } = await person.client.run.state();
    card = inbox.find((item) => item.kind === kind);
    expect(card).toBeDefined();
  });
  return card as InboxItem;
};

const answer = (person: Person, { run, id, nonce, shown }: InboxItem, decision: CardAnswer) =>
  person.client.inbox.answer({ run, id, nonce, shown, decision });

/** @param of the repository where the role would be enough; left out: the host */
const refused = (needs: PersonRole, of?: string) => ({
  code: "REFUSED",
  message: expect.stringContaining(`needs the role ${needs}`),
  data: {
    remedy: expect.stringMatching(
      new RegExp(
        `^Ask ${hostOwner()}.*--role ${needs}${of === undefined ? "" : ` --here --repo ${of}`}$`,
        "u",
      ),
    ),
  },
});

test("people watch, steer and approve one run, and its record says who did what", {
  timeout: 120_000,
}, async () => {
  const own = openOwnWindow(host);
  ends.push(own.close);
  const { path } = await own.client.rehearsal.start({ name: "profiles" });
  const root = path ?? "";
  const wanda = await enter("Wanda", "watch", root);
  const sam = await enter("Sam", "steer", root);
  const ann = await enter("Ann", "approve", root);
  const { app, present } = (await ann.until("snapshot")) as Extract<HostEvent, { kind: "snapshot" }>;
  expect(app.me).toMatchObject({ name: "Ann", role: "approve", owners: [hostOwner()] });
  expect(present?.map(({ name }) => name)).toContain("Wanda");

  const plan = await cardIn(wanda, "plan");
  const { run } = plan;
  await expect(wanda.client.run.pause({ run })).rejects.toMatchObject(refused("steer", root));
  await expect(answer(wanda, plan, { kind: "approve" })).rejects.toMatchObject(refused("approve", root));
  await expect(answer(sam, plan, { kind: "approve" })).rejects.toMatchObject(refused("approve", root));
  await expect(ann.client.settings.setKey({ key: "x" })).rejects.toMatchObject(refused("own"));
  await expect(ann.client.folder.list({ path: null })).rejects.toMatchObject(refused("own"));
  await expect(
    ann.client.people.invite({ name: "Eve", role: "own", repository: null }),
  ).rejects.toMatchObject(refused("own"));

  // Less may be spent by whoever steers, more only by whoever approves.
  await own.client.run.setLimits({ repository: root, run, microDollars: 2_000_000 });
  await sam.client.run.setLimits({ run, microDollars: 1_900_000 });
  await expect(sam.client.run.setLimits({ run, microDollars: 2_000_000 })).rejects.toMatchObject(
    refused("approve", root),
  );
  await expect(sam.client.run.setLimits({ run, microDollars: null })).rejects.toMatchObject(
    refused("approve", root),
  );
  await ann.client.run.setLimits({ run, microDollars: 5_000_000 });

  // Others see that somebody is about to answer.
  await ann.client.presence.look({ repository: root, run, worker: null, card: plan.id });
  await wanda.until("presence", (event) =>
    event.present.some((one) => one.name === "Ann" && one.card === plan.id),
  );

  await sam.client.run.pause({ run });
  await sam.client.run.resume({ run });
  await answer(ann, plan, { kind: "approve" });
  // What was shown is answered once, whoever does it.
  await expect(answer(ann, plan, { kind: "approve" })).rejects.toMatchObject({ code: "STALE" });

  // Each sets up their own windows.
  await wanda.client.settings.change({ theme: "dark", window: { density: "compact" } });
  await wanda.until("app", (event) => event.app.settings.theme === "dark");
  expect((await own.snapshot()).app.settings.theme).toBe("system");
  await expect(wanda.client.settings.change({ model: "other" })).rejects.toMatchObject({ code: "REFUSED" });

  const stateFolder = repositoryStateFolder(state, root);
  const recorded = withJournalOrNone(stateFolder, (journal) => ({
    card: journal.cards(run).find(({ item }) => item.id === plan.id),
    acts: journal.events(run).flatMap(({ event }) => (event.kind === "UserActed" ? [event] : [])),
  }));
  expect(recorded?.card?.item.answeredBy).toBe("Ann");
  expect(recorded?.acts.map(({ by, did }) => `${by} ${did}`)).toEqual([
    ...[`${hostOwner()} changed the limits`, "Sam changed the limits", "Ann changed the limits"],
    ...["Sam paused the run", "Sam resumed the run"],
  ]);

  const log = host.people.log(100).map(({ name, did, outcome }) => `${name} ${did}: ${outcome}`);
  expect(log).toContain("Wanda paused the run: refused");
  expect(log).toContain(`Ann answered a card plan/1: done`);
  expect(log).toContain("Ann invited a person Eve: refused");
  expect(log).toContain("Sam paused the run: done");

  // A replay is of one person, for as long as they may see its repository.
  const { id } = await wanda.client.replay.open({ run });
  for (let one = 0; one < 8; one++) await sam.client.replay.open({ run });
  expect(await wanda.client.replay.events({ replay: id })).not.toEqual([]);
  const gone = { message: expect.stringContaining("no longer open") };
  await expect(sam.client.replay.events({ replay: id })).rejects.toMatchObject(gone);
  host.people.remove("Wanda");
  const elsewhere = await enter("Wanda", "watch", null, "/elsewhere");
  await expect(elsewhere.client.replay.events({ replay: id })).rejects.toMatchObject(gone);
});

test("a role for one repository shows nothing of another, and edits of the graph carry a name", async () => {
  const repos: TestRepository[] = [
    await createTestRepository({ isUnique: true }),
    await createTestRepository({ isUnique: true }),
  ];
  ends.unshift(...repos.map((repo) => () => repo.remove()));
  const [first = "", second = ""] = repos.map(({ repository }) => repository.root);
  const own = openOwnWindow(host);
  ends.push(own.close);
  await own.client.repository.open({ path: first });
  await own.client.repository.open({ path: second });
  const only = await enter("Only", "steer", null, first);
  const { app, repository, open } = (await only.until("snapshot")) as Extract<
    HostEvent,
    { kind: "snapshot" }
  >;
  expect(open?.every(({ path }) => path === first)).toBe(true);
  expect(repository?.view.path ?? first).toBe(first);
  expect(app.recent.map(({ path }) => path)).toEqual([first]);
  const filter = (root: string) => only.client.graph.filter({ repository: root, revset: "@" });
  await expect(filter(second)).rejects.toMatchObject({ message: expect.stringContaining("you have none") });
  await expect(only.client.repository.open({ path: second })).rejects.toMatchObject({ code: "REFUSED" });
  await own.client.repository.open({ path: first });
  const { commits } = await filter(first);
  const { change } = await only.client.change.details({ repository: first, commitId: commits[0] ?? "" });
  await only.client.change.describe({ repository: first, changeId: change.changeId, description: "by Only" });
  const operations = await repos[0]?.repository.operations({ limit: 5 });
  expect(operations?.map(({ actor }) => actor)).toContain("@Only");
});

test("what was begun when a host was killed is in the log as unknown", () => {
  const people = createPeople(join(state, "killed"));
  people.invite({ name: "Ann", role: "steer", repository: null, hours: 1 });
  people.begun({ name: "Ann", did: "paused the run", repository: "/r", run: "r" });
  // No `ended`: the process is gone. The next one reads what was written.
  const next = createPeople(join(state, "killed"));
  expect(next.log(10)).toMatchObject([{ name: "Ann", did: "paused the run", outcome: "unknown" }]);
  next.close();
  people.close();
});

test("a host that one user has to themselves keeps no file of people and names no person", async () => {
  const repo = await createTestRepository({ isUnique: true });
  ends.unshift(() => repo.remove());
  const own = openOwnWindow(host);
  ends.push(own.close);
  await own.client.repository.open({ path: repo.repository.root });
  const { app, present } = await own.snapshot();
  expect([app.owner, app.me, present]).toEqual([undefined, undefined, undefined]);
  expect(host.people.any()).toBe(false);
  expect(await own.client.people.list()).toEqual([]);
  // Nobody could use an invitation: this host listens for nobody else.
  await expect(
    own.client.people.invite({ name: "Eve", role: "watch", repository: null }),
  ).rejects.toMatchObject({
    code: "REFUSED",
    data: { remedy: expect.stringContaining("hox serve --listen") },
  });
  expect(host.people.any()).toBe(false);
});

test("a person cannot have the configuration read of a folder that is not open", async () => {
  const folder = tempDir();
  const wanda = await enter("Wanda", "watch", null);
  await expect(wanda.client.tools.agents({ repository: folder })).rejects.toMatchObject({ code: "NOT_OPEN" });
  expect(await wanda.client.tools.agents({ repository: null })).not.toEqual([]);
});

test("a list of people that another version wrote lets in only the user who started the host, and says so", async () => {
  const repo = await createTestRepository({ isUnique: true });
  ends.unshift(() => repo.remove());
  const folder = tempDir();
  const database = new DatabaseSync(join(folder, "people.sqlite"));
  database.exec("PRAGMA user_version = 99");
  database.close();
  const other = await createHost({ shell: "browser", version: "0", stateFolder: folder });
  const own = openOwnWindow(other);
  ends.push(() => other.close(), own.close);
  await own.client.repository.open({ path: repo.repository.root });
  await own.client.settings.change({ theme: "dark" });
  expect((await own.snapshot()).app.owner).toBeUndefined();
  await expect(own.client.people.list()).rejects.toMatchObject({
    message: expect.stringContaining("another version of Hox"),
    data: { remedy: expect.stringContaining("move the file away") },
  });
});

test("the log of what people did keeps the newest while the host runs", () => {
  const people = createPeople(join(state, "much"));
  people.invite({ name: "Ann", role: "steer", repository: null, hours: 1 });
  const line = { name: "Ann", did: "paused the run", repository: null, run: null };
  people.begun(line);
  const raw = new DatabaseSync(join(state, "much", "people.sqlite"));
  raw.exec(
    "INSERT INTO log (seq, at, name, did, outcome) VALUES (59999, 0, 'Ann', 'resumed the run', 'done')",
  );
  raw.close();
  expect(people.log(10)).toHaveLength(2);
  people.begun(line);
  expect(people.log(10).map(({ did }) => did)).toEqual(["paused the run", "resumed the run"]);
  people.close();
});
