import { Check, Copy, Minus, Plus, X } from "lucide-react";
import { useState } from "react";
import { fontSizes, type Settings, webhookAddress } from "#shared/contract/settings.ts";
import type { AppView, IsolationView, KeyView, ToolView } from "#shared/contract/views/app.ts";
import { maxAgentsAtOnce } from "#shared/domain/worker/roles.ts";
import { client } from "../../client.ts";
import { parseDollars, parseTokens } from "../../kit/amounts.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { confirm, Dialog } from "../../kit/dialog.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { Keys } from "../../kit/keys.tsx";
import { Segmented } from "../../kit/segmented.tsx";
import { copyDiagnostics } from "../../state/diagnostics.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { prefer, usePreference } from "../../state/preferences.ts";
import { useRefusal } from "../../state/role.ts";
import { closeDialog, useSelection } from "../../state/selection-store.ts";
import { useAttempt } from "../../state/use-loaded.ts";
import { AgentList } from "./agent-list.tsx";
import { ArchangelSettings } from "./archangel-settings.tsx";
import { FetchJj } from "./fetch-jj.tsx";
import { OpenInSettings } from "./open-in-settings.tsx";
import { PeopleSettings } from "./people-settings.tsx";
import { Section } from "./section.tsx";
import { setTheme, stepFontSize } from "./settings-actions.ts";

/** What a user sets once. Every field is saved as it is changed. */
export function SettingsDialog() {
  const open = useSelection((state) => state.dialog === "settings");
  const app = useHost((state) => state.app);
  const refusal = useRefusal("settings.change");
  if (!open || !app) return null;
  return (
    <Dialog open onClose={closeDialog} title="Settings" width="w-[600px]">
      <div className="flex flex-col gap-6">
        <LookSettings theme={app.settings.theme} />
        {refusal === null ? <HostSettings app={app} /> : <p className="text-muted">{refusal}</p>}
      </div>
    </Dialog>
  );
}

/** For whoever owns the host. */
const HostSettings = ({ app }: { readonly app: AppView }) => (
  <>
    <KeySettings keyView={app.key} />
    <RunSettings settings={app.settings} />
    <NotificationSettings webhook={app.settings.webhook} />
    <OpenInSettings chosen={app.settings.openIn} />
    <ArchangelSettings />
    {app.shell === "browser" && <PeopleSettings />}
    <SandboxSettings isolation={app.isolation} allowed={app.settings.allowUnsandboxed} />
    <AgentList />
    <ToolList tools={app.tools} version={app.version} />
  </>
);

/** Theme, size of text, room between things, and where zooming is done. */
function LookSettings({ theme }: { readonly theme: Settings["theme"] }) {
  const fontSize = usePreference("fontSize");
  const density = usePreference("density");
  const showEvents = usePreference("showEvents");
  const isDesktop = useHost((state) => state.app?.shell === "electron");
  return (
    <Section title="Appearance">
      <div className="flex flex-col gap-2">
        <Row name="Theme">
          <Segmented
            label="Theme"
            value={theme}
            options={[
              { value: "system", label: "System" },
              { value: "light", label: "Light" },
              { value: "dark", label: "Dark" },
            ]}
            onChange={(next) => void setTheme(next)}
          />
        </Row>
        <Row name="Text">
          <IconButton
            label="Smaller text"
            icon={<Minus size={14} />}
            disabled={fontSize <= fontSizes.least}
            onClick={() => stepFontSize(-1)}
          />
          <output aria-label="Text size" className="w-12 text-center tabular-nums">
            {fontSize} px
          </output>
          <IconButton
            label="Larger text"
            icon={<Plus size={14} />}
            disabled={fontSize >= fontSizes.most}
            onClick={() => stepFontSize(1)}
          />
        </Row>
        <Row name="Density">
          <Segmented
            label="Density"
            value={density}
            options={[
              { value: "comfortable", label: "Comfortable" },
              { value: "compact", label: "Compact" },
            ]}
            onChange={(next) => prefer({ density: next })}
          />
        </Row>
        <Row name="Events">
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={showEvents}
              onChange={(event) => prefer({ showEvents: event.target.checked })}
              className="accent-[var(--accent)]"
            />
            Show notifications for votes and conflicts
          </label>
        </Row>
        <Row name="Zoom">
          <span className="flex items-center gap-1.5 text-sm text-muted">
            <Keys keys="mod+=" /> <Keys keys="mod+-" /> <Keys keys="mod+0" />
            {isDesktop
              ? "or the View menu; saved for the next start"
              : "browser zoom, saved for this address"}
          </span>
        </Row>
      </div>
    </Section>
  );
}

const Row = ({ name, children }: { readonly name: string; readonly children: React.ReactNode }) => (
  <div className="flex min-h-7 items-center gap-1">
    <span className="w-24 shrink-0 text-muted">{name}</span>
    {children}
  </div>
);

type Patch = Parameters<typeof client.settings.change>[0];

const save = (patch: Patch): void =>
  void attempt("The setting was not saved", () => client.settings.change(patch));

/** What a new run starts with, unless the repository's own configuration or the user says otherwise. */
function RunSettings({ settings }: { readonly settings: Settings }) {
  return (
    <Section title="New runs">
      <div className="grid grid-cols-2 gap-x-3 gap-y-1">
        <SavedField
          label="Model"
          initial={settings.model}
          parse={(text) => text.trim() || undefined}
          onSave={(model) => save({ model })}
          mistake="Name a model"
        />
        <SavedField
          label="Agents at once"
          initial={String(settings.maxParallelAgents)}
          parse={(text) =>
            /^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= maxAgentsAtOnce
              ? Number(text)
              : undefined
          }
          onSave={(maxParallelAgents) => save({ maxParallelAgents })}
          mistake={`A number from 1 to ${maxAgentsAtOnce}`}
        />
        <SavedField
          label="Cost limit ($)"
          hint="Leave empty for no limit"
          initial={
            settings.defaultMicroDollars === null ? "" : String(settings.defaultMicroDollars / 1_000_000)
          }
          parse={parseDollars}
          onSave={(defaultMicroDollars) => save({ defaultMicroDollars })}
          mistake="Such as 5 or 2.50"
        />
        <SavedField
          label="Token limit"
          hint="Leave empty for no limit"
          initial={settings.defaultTokens === null ? "" : String(settings.defaultTokens)}
          parse={parseTokens}
          onSave={(defaultTokens) => save({ defaultTokens })}
          mistake="Such as 200k"
        />
      </div>
    </Section>
  );
}

/** What is told elsewhere; what this window and the system show is in the command palette. */
const NotificationSettings = ({ webhook }: { readonly webhook: string }) => (
  <Section title="Notifications by webhook">
    <SavedField
      label="Webhook"
      hint="Gets a small JSON message when a run waits for you, is done or has stopped. Leave empty for none"
      initial={webhook}
      parse={(text) => webhookAddress.safeParse(text.trim()).data}
      onSave={(address) => save({ webhook: address })}
      mistake="Such as https://ntfy.example.com/my-topic, without a name and password"
    />
  </Section>
);

interface SavedFieldProps<T> {
  readonly label: string;
  readonly hint?: string;
  readonly initial: string;
  /** Undefined: not a value. */
  readonly parse: (text: string) => T | undefined;
  readonly onSave: (value: T) => void;
  readonly mistake: string;
}

/** Saved when the user leaves the field or presses Enter, if it is a value and has changed. */
function SavedField<T>({ label, hint, initial, parse, onSave, mistake }: SavedFieldProps<T>) {
  const [text, setText] = useState(initial);
  const value = parse(text);
  const commit = (): void => {
    if (value !== undefined && text !== initial) onSave(value);
  };
  return (
    <Field label={label} hint={hint ?? " "} error={value === undefined ? mistake : null}>
      <TextInput
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
    </Field>
  );
}

const sources: Readonly<Record<KeyView["source"], string>> = {
  environment: "from the environment (ANTHROPIC_API_KEY)",
  keychain: "from the system keychain",
  session: "for this session only",
  none: "none",
};

/** The key goes to the host and never comes back; only its last four characters are shown. */
function KeySettings({ keyView }: { readonly keyView: KeyView }) {
  const [key, setKey] = useState("");
  const [isSaving, attemptOnce] = useAttempt();
  const save = (): Promise<boolean> =>
    attemptOnce("The key was not saved", async () => {
      await client.settings.setKey({ key: key.trim() });
      setKey("");
    });
  return (
    <Section title="API key">
      <p className="mb-2 text-muted">
        {keyView.source === "none" ? (
          "No key yet. Only your own runs need one."
        ) : (
          <>
            <code className="font-mono">…{keyView.hint}</code>, {sources[keyView.source]}
            {keyView.isVerified && <span className="text-success">, verified with the provider</span>}
          </>
        )}
        {keyView.baseUrl && (
          <>
            , sent to <code className="font-mono">{keyView.baseUrl}</code>
          </>
        )}
      </p>
      {keyView.warning && (
        <p className="mb-2 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">{keyView.warning}</p>
      )}
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") void save();
        }}
      >
        <div className="flex-1">
          <Field label={keyView.source === "none" ? "Key" : "New key"}>
            <TextInput type="password" value={key} onChange={(event) => setKey(event.target.value)} />
          </Field>
        </div>
        <Button type="submit" disabled={key.trim() === "" || isSaving} className="mt-[22px]">
          {isSaving ? "Checking…" : "Save"}
        </Button>
        {(keyView.source === "keychain" || keyView.source === "session") && (
          <Button
            look="danger"
            className="mt-[22px]"
            onClick={() => void attempt("The key was not removed", () => client.settings.clearKey())}
          >
            Remove
          </Button>
        )}
      </form>
    </Section>
  );
}

interface SandboxSettingsProps {
  readonly isolation: IsolationView;
  /** The user has said that commands may run without a sandbox. */
  readonly allowed: boolean;
}

/** The isolation in force. Turning it off asks for an explicit confirmation. */
function SandboxSettings({ isolation, allowed }: SandboxSettingsProps) {
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

interface ToolListProps {
  readonly tools: readonly ToolView[];
  readonly version: string;
}

/** The tools that Hox depends on, as `hox doctor` finds them. */
function ToolList({ tools, version }: ToolListProps) {
  return (
    <Section title={`Hox ${version}`}>
      <ul className="rounded-md border text-sm">
        {tools.map((tool) => (
          <li key={tool.part} className="flex items-start gap-2 border-b px-2.5 py-1.5 last:border-b-0">
            {tool.found ? (
              <Check size={14} className="mt-0.5 shrink-0 text-success" aria-label="found" />
            ) : (
              <X size={14} className="mt-0.5 shrink-0 text-danger" aria-label="not found" />
            )}
            <div className="min-w-0 flex-1">
              <p>
                <span className="font-medium">{tool.part}</span>{" "}
                <span className="text-muted tabular-nums">{tool.version}</span>
              </p>
              {tool.note && <p className="text-faint">{tool.note}</p>}
              {tool.remedy && <p className="text-warning">{tool.remedy}</p>}
              {tool.canFetch && <FetchJj />}
            </div>
          </li>
        ))}
      </ul>
      <Button size="sm" className="mt-2" onClick={() => void copyDiagnostics()}>
        <Copy size={13} aria-hidden /> Copy diagnostics
      </Button>
    </Section>
  );
}
