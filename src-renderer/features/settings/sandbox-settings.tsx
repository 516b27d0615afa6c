import type { IsolationView } from "#shared/contract/views/app.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/confirm.tsx";
import { attempt } from "../../state/notice-store.ts";
import { Section } from "./section.tsx";

interface SandboxSettingsProps {
  readonly isolation: IsolationView;
  /** The user has said that commands may run without a sandbox. */
  readonly allowed: boolean;
}

/** The isolation in force. Doing without one takes a yes in so many words. */
export function SandboxSettings({ isolation, allowed }: SandboxSettingsProps) {
  const set = (allowUnsandboxed: boolean): Promise<boolean> =>
    attempt("The setting was not saved", () => client.settings.change({ allowUnsandboxed }));
  const allow = async (): Promise<void> => {
    const yes = await confirm({
      title: "Run agent commands without a sandbox?",
      body: "Agent commands could then read and change everything that you can: your files, your keys, your network.",
      action: "Allow it on this machine",
      danger: true,
    });
    if (yes) await set(true);
  };
  return (
    <Section title="Sandbox">
      <p className="text-muted">{isolation.description}</p>
      {isolation.kind === "none" &&
        (allowed ? (
          <Button className="mt-2" onClick={() => void set(false)}>
            Forbid commands without a sandbox
          </Button>
        ) : (
          <Button look="danger" className="mt-2" onClick={() => void allow()}>
            Allow commands without a sandbox…
          </Button>
        ))}
    </Section>
  );
}
