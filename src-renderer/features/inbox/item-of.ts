import type { InboxItem } from "#shared/contract/views.ts";

/** The inbox item of one kind. */
export type ItemOf<Kind extends InboxItem["kind"]> = Extract<InboxItem, { kind: Kind }>;
