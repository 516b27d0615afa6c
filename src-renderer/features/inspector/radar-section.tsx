import type { RadarPair } from "#shared/domain/conflict/conflict.ts";
import { FileName } from "../../kit/file-name.tsx";
import { Section } from "../../kit/section.tsx";
import { useMeetings } from "../../state/radar.ts";
import { WorkerLink } from "./worker-figures.tsx";

/** Everyone in the run who is about to collide. */
export function RunRadar({ pairs }: { readonly pairs: readonly RadarPair[] }) {
  if (pairs.length === 0) return null;
  return (
    <Radar>
      {pairs.map(({ a, b, files }) => (
        <li key={`${a} ${b}`} className="flex flex-col gap-0.5 text-sm">
          <span className="flex flex-wrap items-baseline gap-x-1.5">
            <WorkerLink name={a} /> <span className="text-faint">and</span> <WorkerLink name={b} />
          </span>
          <Files files={files} />
        </li>
      ))}
    </Radar>
  );
}

/** Whom one agent is about to meet. */
export function WorkerRadar({ worker }: { readonly worker: string }) {
  const meetings = useMeetings(worker);
  if (meetings.length === 0) return null;
  return (
    <Radar>
      {meetings.map(({ other, files }) => (
        <li key={other} className="flex flex-col gap-0.5 text-sm">
          <span className="flex items-baseline gap-1.5">
            <span className="text-faint">would conflict with</span> <WorkerLink name={other} />
          </span>
          <Files files={files} />
        </li>
      ))}
    </Radar>
  );
}

const Radar = ({ children }: { readonly children: React.ReactNode }) => (
  <Section title="Radar" hint="A trial merge of the current work would conflict. There is no conflict yet.">
    <ul className="flex flex-col gap-2 border-l-2 border-warning pl-2.5">{children}</ul>
  </Section>
);

function Files({ files }: { readonly files: readonly string[] }) {
  return (
    <span className="flex flex-col">
      {files.map((file) => (
        <FileName key={file} path={file} className="font-mono text-xs text-muted" />
      ))}
    </span>
  );
}
