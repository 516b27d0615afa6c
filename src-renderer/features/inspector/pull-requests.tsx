import { Copy } from "lucide-react";
import { forgeNames } from "#shared/domain/forge/forge-facts.ts";
import {
  type Publication,
  type PublishedPart,
  pullRequestState,
} from "#shared/domain/landing/publication.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { Button } from "../../kit/button.tsx";
import { Section } from "../../kit/section.tsx";
import { notify } from "../../state/notify.ts";

/** The result on a forge: what waits there, and for whom. */
export function PullRequests({ publication }: { readonly publication: Publication }) {
  const { repository, base, parts, problem } = publication;
  return (
    <Section title="Pull requests">
      <p className="text-sm text-muted">
        To {shownName(base)} of {shownName(repository.path)} on {forgeNames[repository.forge]}
      </p>
      {problem !== null && (
        <p className="text-sm text-pretty text-warning" role="status" data-selectable>
          {problem}
        </p>
      )}
      <ol className="flex flex-col gap-2">
        {parts.toReversed().map((part) => (
          <PullRequestRow key={part.branch} part={part} />
        ))}
      </ol>
    </Section>
  );
}

function PullRequestRow({ part }: { readonly part: PublishedPart }) {
  const { pullRequest, title, worker, seen } = part;
  const threads = seen?.threads.filter(({ isResolved }) => !isResolved) ?? [];
  return (
    <li className="rounded-md border px-2.5 py-1.5 text-sm">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate" title={shownLine(title)}>
          {pullRequest !== null && <span className="text-muted">#{pullRequest.number} </span>}
          {shownLine(title)}
        </span>
        {worker !== null && <span className="shrink-0 text-xs text-muted">{shownName(worker)}</span>}
        {pullRequest !== null && (
          <Button size="sm" look="ghost" onClick={() => void copy(pullRequest.url)}>
            <Copy size={13} aria-hidden /> Copy address
          </Button>
        )}
      </div>
      <p className="text-xs text-muted" data-selectable>
        {pullRequestState(part)}
      </p>
      {threads.map(({ id, file, line, author, text, worker: asked }) => (
        <blockquote key={id} className="mt-1 border-l-2 pl-2 text-xs text-pretty" data-selectable>
          <span className="text-muted">
            {shownLine(author)}
            {file !== null && ` on ${shownName(file)}${line === null ? "" : `:${line}`}`}
            {asked !== null && ` → ${shownName(asked)}`}
          </span>{" "}
          {shownLine(text)}
        </blockquote>
      ))}
    </li>
  );
}

async function copy(address: string): Promise<void> {
  await navigator.clipboard.writeText(address);
  notify("success", "The address was copied.");
}
