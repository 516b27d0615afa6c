import type { InboxItem } from "#shared/contract/cards.ts";

/** The inbox item of one kind. */
export type ItemOf<Kind extends InboxItem["kind"]> = Extract<InboxItem, { kind: Kind }>;
