/** Menus of both kinds (button and right click) from one description of their items. */
import { ContextMenu } from "@base-ui/react/context-menu";
import { Menu as Base } from "@base-ui/react/menu";
import { Check, ChevronRight } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import type { CommandName } from "#shared/contract/commands.ts";
import { cx } from "./class-names.ts";
import { Keys } from "./keys.tsx";

export type MenuEntry =
  | "separator"
  | {
      readonly label: string;
      readonly icon?: ReactNode;
      readonly keys?: string;
      /** What is said beside it. */
      readonly note?: string;
      /** Somebody is waited for there. */
      readonly isWaiting?: boolean;
      readonly checked?: boolean;
      readonly danger?: boolean;
      readonly disabled?: boolean;
      /** Why it is disabled, in a sentence below it. */
      readonly reason?: string | null;
      readonly title?: string;
      /** What it asks of the host, or leads to. */
      readonly command?: CommandName;
      readonly onSelect: () => void;
    }
  | {
      readonly label: string;
      readonly icon?: ReactNode;
      /** What all of its entries ask of the host. */
      readonly command?: CommandName;
      readonly items: readonly MenuEntry[];
    };

const popup =
  "appear z-50 min-w-44 rounded-md border bg-raised p-1 text-base text-text shadow-pop outline-none origin-[var(--transform-origin)]";
const item =
  "flex h-7 items-center gap-2 rounded-sm px-2 outline-none data-[highlighted]:bg-selected data-[disabled]:opacity-45";

/** Where the entries of any menu are drawn. */
const PoppedUp = ({ children, ...place }: Base.Positioner.Props) => (
  <Base.Portal>
    <Base.Positioner className="z-50" {...place}>
      <Base.Popup className={popup}>{children}</Base.Popup>
    </Base.Positioner>
  </Base.Portal>
);

const Icon = ({ icon }: { readonly icon: ReactNode }) => (
  <span className="flex w-4 shrink-0 justify-center text-muted">{icon}</span>
);

function MenuItems({ entries }: { readonly entries: readonly MenuEntry[] }) {
  return entries.map((entry, index) => {
    if (entry === "separator") {
      // biome-ignore lint/suspicious/noArrayIndexKey: separators have no other name
      return <Base.Separator key={`separator-${index}`} className="mx-1 my-1 h-px bg-line" />;
    }
    if ("items" in entry) {
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have one label
        <Base.SubmenuRoot key={`${index} ${entry.label}`}>
          <Base.SubmenuTrigger className={item}>
            <Icon icon={entry.icon} />
            <span className="flex-1">{entry.label}</span>
            <ChevronRight size={14} className="text-faint" aria-hidden />
          </Base.SubmenuTrigger>
          <PoppedUp sideOffset={2} alignOffset={-4}>
            <MenuItems entries={entry.items} />
          </PoppedUp>
        </Base.SubmenuRoot>
      );
    }
    const body = (
      <>
        <Icon icon={entry.icon} />
        <span className="flex-1">
          {entry.label}
          {entry.reason && (
            <span className="block max-w-60 text-sm whitespace-normal text-muted">{entry.reason}</span>
          )}
        </span>
        {entry.note !== undefined && (
          <span
            className={cx("max-w-72 truncate pl-4 text-sm", entry.isWaiting ? "text-warning" : "text-muted")}
          >
            {entry.note}
          </span>
        )}
        {entry.checked && <Check size={14} className="text-accent-text" aria-hidden />}
        {entry.keys && <Keys keys={entry.keys} />}
      </>
    );
    const common = {
      className: cx(
        item,
        entry.danger && "text-danger",
        entry.reason && "h-auto items-start py-1 data-[disabled]:text-faint data-[disabled]:opacity-100",
      ),
      disabled: (entry.disabled ?? false) || Boolean(entry.reason),
      title: entry.title,
      onClick: entry.onSelect,
    };
    const key = `${index} ${entry.label}`;
    return entry.checked === undefined ? (
      <Base.Item key={key} {...common}>
        {body}
      </Base.Item>
    ) : (
      <Base.CheckboxItem key={key} {...common} checked={entry.checked} closeOnClick>
        {body}
      </Base.CheckboxItem>
    );
  });
}

interface MenuProps {
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
}

/** A button that opens a menu. */
export function Menu({ trigger, entries, align = "start" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <PoppedUp sideOffset={4} align={align}>
        <MenuItems entries={entries} />
      </PoppedUp>
    </Base.Root>
  );
}

interface ContextMenuAreaProps {
  readonly children: ReactElement<Record<string, unknown>>;
  /** Asked when the menu opens, so that a thousand rows do not each prepare one. */
  readonly entries: () => readonly MenuEntry[];
}

/** An area with a right-click menu (also the context-menu key and Shift+F10). */
export function ContextMenuArea({ children, entries }: ContextMenuAreaProps) {
  return (
    <ContextMenu.Root>
      <ContextMenu.Trigger render={children} />
      <PoppedUp>
        <LazyItems entries={entries} />
      </PoppedUp>
    </ContextMenu.Root>
  );
}

const LazyItems = ({ entries }: Pick<ContextMenuAreaProps, "entries">) => <MenuItems entries={entries()} />;

interface MenuAtProps {
  readonly at: { readonly x: number; readonly y: number } | null;
  readonly onClose: () => void;
  readonly entries: readonly MenuEntry[];
}

/** A menu at a point of the window: one for a whole list. */
export function MenuAt({ at, onClose, entries }: MenuAtProps) {
  const anchor = at && { getBoundingClientRect: () => new DOMRect(at.x, at.y, 0, 0) };
  return (
    <Base.Root open={at !== null} onOpenChange={(open) => !open && onClose()} modal={false}>
      <PoppedUp anchor={anchor} side="bottom" align="start">
        <MenuItems entries={entries} />
      </PoppedUp>
    </Base.Root>
  );
}

/** A menu that was opened, and where. */
export interface OpenMenu {
  readonly at: { readonly x: number; readonly y: number };
  readonly entries: readonly MenuEntry[];
}
