/** What a window of a named person is sent: their own settings and role, and nothing of repositories that are not theirs. */
import { sep } from "node:path";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import type { Settings } from "#shared/contract/settings.ts";
import type { AppView } from "#shared/contract/views/app.ts";
import { isEnough, type Present, roleIn } from "#shared/domain/people/role.ts";
import type { Person } from "../people/people.ts";

/** Whether somebody may look at a repository. */
export const maySee = (person: Person | null, root: string): boolean =>
  person !== null && isEnough(roleIn(person, root), "watch");

/** A person as they are when an event is sent, and who can give them roles. */
type Viewer = Person & { readonly owners: readonly string[] };

/** @param viewerNow null: removed meanwhile, and nothing more is sent */
export async function* seenBy(
  stream: AsyncGenerator<NumberedEvent, void, void>,
  viewerNow: () => Viewer | null,
): AsyncGenerator<NumberedEvent, void, void> {
  for await (const { seq, event } of stream) {
    const person = viewerNow();
    if (person === null) return;
    yield { seq, event: eventFor(person, event) };
  }
}

function eventFor(person: Viewer, event: HostEvent): HostEvent {
  const sees = ({ path }: { readonly path: string }): boolean => maySee(person, path);
  switch (event.kind) {
    case "snapshot":
      return {
        ...event,
        app: appFor(person, event.app),
        ...(event.open === undefined ? {} : { open: event.open.filter(sees) }),
        ...(event.present === undefined ? {} : { present: presentFor(person, event.present) }),
      };
    case "app":
      return { kind: "app", app: appFor(person, event.app) };
    case "open-repositories":
      return { ...event, repositories: event.repositories.filter(sees) };
    case "repository-opening":
      return sees(event) ? event : { kind: "alive" };
    case "presence":
      return { kind: "presence", present: presentFor(person, event.present) };
    case "notice":
      return event.repository === undefined || maySee(person, event.repository) ? event : { kind: "alive" };
    default:
      return event;
  }
}

/** Part by part, so that a new one is shown to nobody before somebody has thought of it here. */
function appFor(person: Viewer, app: AppView): AppView {
  const { name, role, repositories, owners } = person;
  const isOwner = role === "own";
  const { version, shell, platform, isolation, tools, jjFetch, rehearsals, rehearsalTempo, owner } = app;
  return {
    ...{ version, shell, platform, isolation, tools, jjFetch, rehearsals, rehearsalTempo },
    ...(owner === undefined ? {} : { owner }),
    me: { name, role, repositories, owners },
    key: isOwner ? app.key : { ...app.key, hint: null, baseUrl: null },
    slowCommands: app.slowCommands.filter(({ folder }) => maySeeIn(person, folder)),
    recent: app.recent.filter(({ path }) => maySee(person, path)),
    fleet: {
      ...app.fleet,
      machines: app.fleet.machines.map((machine) => ({
        ...machine,
        places: machine.places.filter(({ repository }) => maySee(person, repository)),
      })),
    },
    folderToOpen: isOwner ? app.folderToOpen : null,
    nativeDialog: false,
    settings: settingsFor(person, app.settings),
  };
}

/** A workspace is in no repository: who has a role in only some of them sees none. */
const maySeeIn = (person: Viewer, folder: string): boolean =>
  person.role !== null ||
  Object.keys(person.repositories).some((root) => folder === root || folder.startsWith(root + sep));

function settingsFor({ role, settings: own }: Viewer, settings: Settings): Settings {
  const { model, maxParallelAgents, defaultMicroDollars, defaultTokens } = settings;
  const { allowUnsandboxed, subscriptions } = settings;
  const isOwner = role === "own";
  return {
    ...{ model, maxParallelAgents, defaultMicroDollars, defaultTokens, allowUnsandboxed, subscriptions },
    // Its address may hold a secret.
    webhook: isOwner ? settings.webhook : "",
    proxy: isOwner ? settings.proxy : { header: "", address: "", secretEnv: "", publicAddress: "" },
    openIn: isOwner ? settings.openIn : { editor: "", terminal: "", files: "" },
    theme: own.theme ?? settings.theme,
    window: { ...settings.window, ...own.window },
  };
}

/** Who is there is no secret; what they look at is one where the repository is. */
const presentFor = (person: Person, present: readonly Present[]): readonly Present[] =>
  present.map((one) =>
    one.repository === null || maySee(person, one.repository)
      ? one
      : { name: one.name, repository: null, run: null, worker: null, card: null },
  );
