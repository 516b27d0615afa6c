/**
 * React Flow calls what it draws an application, in which a screen reader reads nothing by itself. What is in ours are
 * groups, buttons and words like anywhere else.
 */
export const asDocument = (drawing: HTMLElement | null): void =>
  drawing?.setAttribute("role", "presentation");
