import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { frontElement } from "../state/go-to.ts";
import type { Notice } from "../state/notice-store.ts";
import { dismissNotice, useNotices } from "../state/notice-store.ts";
import { useNoticePlace } from "./use-notice-place.ts";

const shownMs: Record<Notice["level"], number> = { info: 6_000, warning: 12_000, error: 20_000 };

const icons = {
  info: <Info size={15} className="text-info" aria-hidden />,
  warning: <TriangleAlert size={15} className="text-warning" aria-hidden />,
  error: <CircleAlert size={15} className="text-danger" aria-hidden />,
};

/** By its own buttons, which may have the focus and go with it. What it leads to takes the focus after that. */
function sendAway({ id }: Notice): void {
  dismissNotice(id);
  focusWhenLost(frontElement);
}

function NoticeCard({ notice, held }: { readonly notice: Notice; readonly held: boolean }) {
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => dismissNotice(notice.id), shownMs[notice.level]);
    return () => clearTimeout(timer);
  }, [held, notice.id, notice.level]);
  return (
    <li className="appear pointer-events-auto flex items-start gap-2.5 rounded-lg border bg-raised py-2.5 pr-2 pl-3 shadow-pop">
      <span className="mt-0.5">{icons[notice.level]}</span>
      <div className="min-w-0 flex-1 break-words" data-selectable>
        <p>
          {notice.text}
          {notice.count > 1 && <span className="text-faint"> ×{notice.count}</span>}
        </p>
        {notice.remedy && <p className="mt-0.5 text-muted">{notice.remedy}</p>}
        {notice.action && (
          <button
            type="button"
            className="mt-0.5 rounded-sm font-medium text-accent-text hover:underline"
            onClick={() => {
              sendAway(notice);
              notice.action?.run();
            }}
          >
            {notice.action.label}
          </button>
        )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => sendAway(notice)}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-faint hover:bg-hover hover:text-text"
      >
        <X size={13} aria-hidden />
      </button>
    </li>
  );
}

/** They wait while the pointer or the focus is on them, and lie on no control: not of the time, of a card, the queue or a text. */
export function Notices() {
  const notices = useNotices((state) => state.notices);
  const [held, setHeld] = useState(false);
  const section = useRef<HTMLElement>(null);
  useNoticePlace(section, notices, held);
  return (
    <section ref={section} aria-label="Notices" className="pointer-events-none fixed z-50">
      <ol
        aria-live="polite"
        className="flex flex-col gap-2"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {notices.map((notice) => (
          <NoticeCard key={notice.id} notice={notice} held={held} />
        ))}
      </ol>
    </section>
  );
}
