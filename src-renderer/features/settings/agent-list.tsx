import { Check, CircleAlert, Copy, Minus, RotateCw } from "lucide-react";
import { useState } from "react";
import { type AgentReport, agentStatus } from "#shared/domain/worker/agent-report.ts";
import { client } from "../../client.ts";
import { Button } from "../../kit/button.tsx";
import { LoadFailure } from "../../kit/load-failure.tsx";
import { useHost } from "../../state/host-store.ts";
import { copyText } from "../../state/notify.ts";
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
            <AgentRow key={agent.name} agent={agent} />
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

function AgentRow({ agent }: { readonly agent: AgentReport }) {
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
        {note && <p className={found ? "text-warning" : "text-faint"}>{found ? note : "Not installed"}</p>}
        {!found && install !== null ? (
          <InstallCommand label={label} command={install} />
        ) : (
          remedy && <p className="text-muted">{remedy}</p>
        )}
      </div>
    </li>
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
