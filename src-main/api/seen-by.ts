/** What a window of a named person is sent: their own settings and role, and nothing of repositories that are not theirs. */
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
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

function appFor(person: Viewer, app: AppView): AppView {
  const { name, role, repositories, settings, owners } = person;
  return {
    ...app,
    me: { name, role, repositories, owners },
    recent: app.recent.filter(({ path }) => maySee(person, path)),
    fleet: {
      ...app.fleet,
      machines: app.fleet.machines.map((machine) => ({
        ...machine,
        places: machine.places.filter(({ repository }) => maySee(person, repository)),
      })),
    },
    folderToOpen: role === "own" ? app.folderToOpen : null,
    nativeDialog: false,
    settings: {
      ...app.settings,
      // Its address may hold a secret.
      webhook: role === "own" ? app.settings.webhook : "",
      theme: settings.theme ?? app.settings.theme,
      window: { ...app.settings.window, ...settings.window },
    },
  };
}

/** Who is there is no secret; what they look at is one where the repository is. */
const presentFor = (person: Person, present: readonly Present[]): readonly Present[] =>
  present.map((one) =>
    one.repository === null || maySee(person, one.repository)
      ? one
      : { name: one.name, repository: null, run: null, worker: null, card: null },
  );
