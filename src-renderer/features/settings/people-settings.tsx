import { Copy, UserMinus } from "lucide-react";
import { useState } from "react";
import type { PeopleLogEntry, PersonView } from "#shared/contract/commands/people.ts";
import { type PersonRole, peopleRoles, roleMeanings } from "#shared/domain/people/role.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { client } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { PersonAvatar } from "../../kit/person-avatar.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { attempt, copyText } from "../../state/notify.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { Section } from "./section.tsx";

interface Shown {
  readonly people: readonly PersonView[];
  readonly log: readonly PeopleLogEntry[];
}

const load = async (): Promise<Shown> => {
  const [people, log] = await Promise.all([client.people.list(), client.people.log({ limit: 30 })]);
  return { people, log };
};

/** Who else may use this host, and what they did. */
export function PeopleSettings() {
  const [version, setVersion] = useState(0);
  const loaded = useLoaded(`people ${version}`, load);
  const shown = shownValue(loaded);
  const reload = (): void => setVersion(version + 1);
  return (
    <Section title="People">
      <p className="mb-2 text-pretty text-muted">
        Others watch and steer this host in their own browser. They reach it while{" "}
        <code className="font-mono text-xs">hox serve --listen</code> runs.
      </p>
      {loaded.kind === "failed" && <LoadFailure failure={loaded.failure} again={loaded.again} />}
      {shown && shown.people.length > 0 && (
        <ul aria-label="People" className="mb-2 rounded-md border text-sm">
          {shown.people.map((person) => (
            <PersonRow key={person.name} person={person} onRemoved={reload} />
          ))}
        </ul>
      )}
      <InviteForm people={shown?.people ?? []} onInvited={reload} />
      {shown && shown.log.length > 0 && (
        <details className="mt-3">
          <summary className="text-sm text-muted">What people did</summary>
          <ul aria-label="What people did" className="mt-1 flex flex-col gap-0.5 text-sm">
            {shown.log.map(({ at, name, did, outcome, repository }) => (
              <li key={`${at} ${name} ${did}`} className="flex gap-2">
                <RelativeTime at={at} className="w-16 shrink-0 text-faint" />
                <span className="min-w-0" title={repository ?? ""}>
                  <span className="font-medium">{shownLine(name)}</span> {shownLine(did)}
                  {outcome !== "done" && <span className="text-warning"> ({outcome})</span>}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

const rolesText = ({ role, repositories }: Pick<PersonView, "role" | "repositories">): string =>
  [
    ...(role === null ? [] : [role]),
    ...Object.entries(repositories).map(([root, own]) => `${own} in ${shownName(root)}`),
  ].join(", ");

interface PersonRowProps {
  readonly person: PersonView;
  readonly onRemoved: () => void;
}

function PersonRow({ person, onRemoved }: PersonRowProps) {
  const { name, isPresent } = person;
  const remove = async (): Promise<void> => {
    const sure = await confirm({
      title: `Remove ${shownLine(name)}?`,
      body: "Their open windows are closed at once. What they did stays in the list.",
      action: "Remove",
      danger: true,
    });
    if (sure && (await attempt("The person was not removed", () => client.people.remove({ name }))))
      onRemoved();
  };
  return (
    <li className="flex items-center gap-2 border-b px-2.5 py-1.5 last:border-b-0">
      <PersonAvatar name={name} />
      <span className="min-w-0 flex-1 truncate">
        <span className="font-medium">{shownLine(name)}</span>{" "}
        <span className="text-muted">{rolesText(person)}</span>
        {isPresent && <span className="text-success"> · connected</span>}
      </span>
      <IconButton
        label={`Remove ${shownLine(name)}`}
        icon={<UserMinus size={14} />}
        onClick={() => void remove()}
      />
    </li>
  );
}

interface InviteFormProps {
  /** Those who are known already. */
  readonly people: readonly PersonView[];
  readonly onInvited: () => void;
}

/** A role in all repositories takes the place of those in single ones: the user agrees to that first. */
async function mayReplaceRoles(known: PersonView | undefined, role: PersonRole): Promise<boolean> {
  if (known === undefined || Object.keys(known.repositories).length === 0) return true;
  const lost = rolesText({ ...known, role: null });
  return confirm({
    title: `Replace the roles of ${shownLine(known.name)}?`,
    body: `The role ${role} in all repositories takes the place of ${lost}. To change one of these only: hox people invite --here`,
    action: "Replace",
    danger: false,
  });
}

function InviteForm({ people, onInvited }: InviteFormProps) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<PersonRole>("watch");
  const [address, setAddress] = useState<string | null>(null);
  const invite = async (): Promise<void> => {
    const known = people.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
    if (!(await mayReplaceRoles(known, role))) return;
    await attempt("The person was not invited", async () => {
      const invited = await client.people.invite({ name: name.trim(), role, repository: null });
      setAddress(invited.address);
      setName("");
      onInvited();
    });
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") void invite();
      }}
    >
      <div className="flex items-start gap-2">
        <div className="flex-1">
          <Field label="Name">
            <TextInput value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
        </div>
        <Button type="submit" disabled={name.trim() === ""} className="mt-[22px]">
          Invite
        </Button>
      </div>
      <Segmented
        label="Role"
        value={role}
        options={peopleRoles.map((value) => ({ value, label: value }))}
        onChange={setRole}
      />
      <p className="text-sm text-muted">
        {role}: {roleMeanings[role]}.
      </p>
      {address !== null && (
        <div className="flex items-center gap-2 rounded-md bg-accent-soft px-3 py-2 text-sm">
          <code className="min-w-0 flex-1 truncate font-mono text-xs">{address}</code>
          <IconButton
            label="Copy the invitation"
            icon={<Copy size={13} />}
            onClick={() => void copyText("invitation", address)}
          />
        </div>
      )}
    </form>
  );
}
