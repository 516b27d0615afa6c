import type { MessageView } from "#shared/contract/views/message.ts";
import { Avatar } from "../../kit/avatar.tsx";
import { Badge } from "../../kit/badge.tsx";
import { RelativeTime } from "../../kit/relative-time.tsx";
import { inspect } from "../../state/selection-store.ts";

const tones = { mutation: "warning", info: "neutral", "align-request": "info" } as const;

const kinds = { mutation: "decision", info: "message", "align-request": "question" } as const;

export function MessagesView({ messages }: { readonly messages: readonly MessageView[] }) {
  return (
    <ol className="flex flex-col gap-2 p-3">
      {messages.map((message) => (
        <li key={message.changeId} className="rounded-md border px-2.5 py-2">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            <span className="flex min-w-0 items-center gap-1.5 whitespace-nowrap">
              <Avatar name={message.from} />
              <span className="font-medium">{message.from}</span>
              <span className="text-faint">to</span>
              <code className="truncate font-mono text-xs">{message.to}</code>
            </span>
            <span className="flex shrink-0 items-center gap-1.5">
              <Badge tone={tones[message.type]}>{kinds[message.type]}</Badge>
              {!message.handled && <Badge tone="accent">unread</Badge>}
            </span>
            <RelativeTime at={message.at} className="ml-auto text-xs text-faint" />
          </div>
          <p className="mt-1 whitespace-pre-wrap" data-selectable>
            {message.text}
          </p>
          <button
            type="button"
            className="mt-1 text-xs text-accent-text hover:underline"
            onClick={() => inspect(message.changeId)}
          >
            Show in graph
          </button>
        </li>
      ))}
    </ol>
  );
}
