/**
 * React Flow marks its drawing as an application, in which screen readers do not read on their own. Ours contains plain
 * groups, buttons and words like anywhere else.
 */
export const asDocument = (drawing: HTMLElement | null): void =>
  drawing?.setAttribute("role", "presentation");
