import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import { IconButton } from "../kit/button.tsx";
import { focusWhenLost } from "../kit/focus-soon.ts";
import { isTyping } from "../kit/key-table.ts";
import type { Page } from "../registry/feature.ts";
import { registeredPages } from "../registry/registry.ts";
import { graphElement } from "../state/go-to.ts";
import { useHost } from "../state/host-store.ts";
import { showPage, useSelection } from "../state/selection-store.ts";
import { ErrorBoundary } from "./error-boundary.tsx";

/** The page that is shown in place of the graph. */
export const useShownPage = (): Page | null => {
  const id = useSelection((state) => state.page);
  return registeredPages().find((page) => page.id === id) ?? null;
};

/**
 * Covers the queue, the graph and the right side, which keep their state: closing the page shows
 * everything as it was.
 */
export function PagePanel({ page: { id, title, Body } }: { readonly page: Page }) {
  const panel = useRef<HTMLElement>(null);
  const path = useHost((state) => state.repository?.path ?? "");
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page takes the focus as the first one did
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
      if (isThere) before.focus();
      // What it was opened from may be gone by now: a mark of the canvas, the badge of a conflict that is settled.
      else focusWhenLost(graphElement);
    };
  }, [id]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { target } = event;
      // Where nothing has the focus, as after a notice that is gone, the key is the page's as well.
      const isHere = target instanceof Node && (target === document.body || panel.current?.contains(target));
      if (event.key !== "Escape" || event.defaultPrevented || !isHere) return;
      event.preventDefault();
      // The first one leaves a field with its words, the next one closes the page.
      if (isTyping(target)) panel.current?.focus();
      else showPage(null);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <section
      data-page-panel
      ref={panel}
      aria-label={title}
      tabIndex={-1}
      className="appear notice-region absolute inset-0 z-30 flex flex-col overflow-hidden bg-surface outline-none"
    >
      <header className="flex h-9 shrink-0 items-center gap-2 border-b bg-canvas pr-2 pl-4">
        <h1 className="flex-1 font-semibold">{title}</h1>
        <IconButton
          label="Back to the graph"
          keys="Escape"
          className="size-6"
          icon={<X size={14} />}
          onClick={() => showPage(null)}
        />
      </header>
      <div className="min-h-0 flex-1">
        <ErrorBoundary name={title}>
          {/* Another repository has other patterns and other runs. */}
          <Body key={path} />
        </ErrorBoundary>
      </div>
    </section>
  );
}
