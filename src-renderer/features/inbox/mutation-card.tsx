import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { ItemOf } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { FileName } from "../../kit/file-name.tsx";
import { inspect } from "../../state/selection-store.ts";
import { type CardBodyProps, CardDiff, CardFrame } from "./card-frame.tsx";

/** A structural decision: why, whom it binds, whom it will put in conflict (tried on the real graph), and the edit itself. */
export function MutationCard({ item, isWide }: CardBodyProps<ItemOf<"mutation">>) {
  const [also, setAlso] = useState<readonly string[]>([]);
  return (
    <CardFrame
      item={item}
      approve={{
        label: also.length > 0 ? "Approve, and ask there" : "Approve",
        decision: () => ({ kind: "approve", ...(also.length > 0 ? { also } : {}) }),
      }}
      reject={{ label: "Reject", reason: "Why? The orchestrator will read it." }}
    >
      <p className="whitespace-pre-wrap text-muted" data-selectable>
        {shownText(item.reason)}
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.5 text-sm">
        <dt className="text-faint">Binds</dt>
        <dd className="flex flex-wrap gap-1">
          {item.binds.length === 0 ? (
            <span className="text-muted">no agents yet</span>
          ) : (
            item.binds.map((name) => (
              <Badge key={name}>
                <Avatar name={name} />
                {name}
              </Badge>
            ))
          )}
        </dd>
        <dt className="text-faint">Conflicts</dt>
        <dd>
          {item.conflicts.length === 0 ? (
            <span className="text-success">None (dry run on the current graph)</span>
          ) : (
            <ul className="flex flex-col gap-1">
              {item.conflicts.map((conflict) => (
                <li key={conflict.changeId} className="flex flex-wrap items-center gap-1.5">
                  <TriangleAlert size={13} className="text-danger" aria-hidden />
                  <LinkButton className="font-medium text-danger!" onClick={() => inspect(conflict.changeId)}>
                    {conflict.worker}
                  </LinkButton>
                  {conflict.files.map((file) => (
                    <FileName key={file} path={file} className="font-mono text-xs text-danger" />
                  ))}
                </li>
              ))}
            </ul>
          )}
        </dd>
        {item.otherRuns && (
          <>
            <dt className="text-faint">Other runs</dt>
            <dd className="flex flex-col gap-1">
              {item.otherRuns.map(({ root, goal }) => (
                <label key={root} className="flex items-start gap-2">
                  <input
                    type="checkbox"
                    className="mt-0.5"
                    checked={also.includes(root)}
                    onChange={({ target: { checked } }) =>
                      setAlso(checked ? [...also, root] : also.filter((one) => one !== root))
                    }
                  />
                  <span className="min-w-0 flex-1">
                    Also ask for it in {root}: <span className="text-muted">{shownText(goal)}</span>
                  </span>
                </label>
              ))}
            </dd>
          </>
        )}
      </dl>
      <CardDiff item={item} isWide={isWide} height="max-h-[max(20rem,calc(100vh-26rem))]" />
    </CardFrame>
  );
}
