import { Check, CircleAlert, Copy, Minus, RotateCw } from "lucide-react";
import { useState } from "react";
import { type AgentReport, agentStatus, loginExplanation } from "#shared/domain/worker/agent-report.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt, copyText } from "../../state/notify.ts";
import { shownValue, useLoaded } from "../../state/use-loaded.ts";
import { Section } from "./section.tsx";

/** Agents of other makes on the machine of the host, as `hox doctor` lists them. */
export function AgentList() {
  const repository = useHost((state) => state.repository?.path ?? null);
  const [times, setTimes] = useState(0);
  const loaded = useLoaded(`${repository} ${times}`, () => client.tools.agents({ repository }));
  const agents = shownValue(loaded) ?? [];
  return (
    <Section title="Other agents">
      <p className="mb-2 text-muted">
        Can work on tasks in place of Hox’s own agent. Name one where you choose a model:{" "}
        <code className="font-mono">{"<agent>/<model>"}</code>
      </p>
      {loaded.kind === "failed" ? (
        <LoadFailure failure={loaded.failure} again={loaded.again} />
      ) : (
        <ul className="min-h-40 rounded-md border text-sm" aria-busy={loaded.kind === "loading"}>
          {agents.map((agent) => (
            <AgentRow key={agent.name} agent={agent} changed={() => setTimes(times + 1)} />
          ))}
        </ul>
      )}
      <Button
        size="sm"
        className="mt-2"
        disabled={loaded.kind === "loading"}
        onClick={() => setTimes(times + 1)}
      >
        <RotateCw size={13} aria-hidden /> Check again
      </Button>
    </Section>
  );
}

interface AgentRowProps {
  readonly agent: AgentReport;
  /** A setting of it was changed. */
  readonly changed: () => void;
}

function AgentRow({ agent, changed }: AgentRowProps) {
  const { label, name, found, version, command, install, model } = agent;
  const { isReady, note, remedy } = agentStatus(agent);
  return (
    <li aria-label={label} className="flex items-start gap-2 border-b px-2.5 py-1.5 last:border-b-0">
      {isReady ? (
        <Check size={14} className="mt-0.5 shrink-0 text-success" aria-label="ready" />
      ) : found ? (
        <CircleAlert size={14} className="mt-0.5 shrink-0 text-warning" aria-label="not ready" />
      ) : (
        <Minus size={14} className="mt-0.5 shrink-0 text-faint" aria-label="not installed" />
      )}
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-1.5">
          <span className="font-medium">{label}</span>
          {label !== name && <code className="font-mono text-xs text-faint">{name}</code>}
          {version && <span className="text-muted tabular-nums">{version}</span>}
          {model && <span className="text-faint">{model}</span>}
        </p>
        {command && (
          <p className="truncate font-mono text-xs text-faint" title={command}>
            {command}
          </p>
        )}
        {note && (
          <p className={isReady ? "text-muted" : found ? "text-warning" : "text-faint"}>
            {found ? note : "Not installed"}
          </p>
        )}
        {!found && install !== null ? (
          <InstallCommand label={label} command={install} />
        ) : (
          remedy && <p className="text-muted">{remedy}</p>
        )}
        {agent.login && <LoginSwitch name={name} label={label} login={agent.login} changed={changed} />}
      </div>
    </li>
  );
}

/** Lets an agent use the user's login, which says before what that means. */
function LoginSwitch({
  name,
  label,
  login: { isFound, program },
  changed,
}: {
  readonly changed: () => void;
  readonly name: string;
  readonly label: string;
  readonly login: NonNullable<AgentReport["login"]>;
}) {
  const subscriptions = useHost(({ app }) => app?.settings.subscriptions ?? []);
  const others = subscriptions.filter((one) => one !== name);
  const use = (isOn: boolean): Promise<boolean> =>
    attempt("The setting was not changed", async () => {
      await client.settings.change({ subscriptions: isOn ? [...others, name] : others });
      changed();
    });
  return (
    <div className="mt-1">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          aria-label={`Let ${label} use my login in ${program}`}
          checked={subscriptions.includes(name)}
          onChange={(event) => void use(event.target.checked)}
          className="accent-[var(--accent)]"
        />
        Use my login in {program} (subscription)
      </label>
      <p className="text-muted">
        {isFound ? "Login found. " : `Login not found: log in with ${program} first. `}
        {(isFound || subscriptions.includes(name)) && loginExplanation(program)}
      </p>
    </div>
  );
}

const InstallCommand = ({ label, command }: { readonly label: string; readonly command: string }) => (
  <div className="mt-1 flex items-start gap-1.5">
    <code
      className="min-w-0 flex-1 rounded-md bg-sunken px-2 py-1 font-mono text-xs break-all"
      data-selectable
    >
      {command}
    </code>
    <Button
      size="sm"
      aria-label={`Copy the command that installs ${label}`}
      onClick={() => void copyText("command", command)}
    >
      <Copy size={13} aria-hidden /> Copy
    </Button>
  </div>
);
