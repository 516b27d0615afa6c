/** When what came in is drawn: with the next frame, but never so often that a window does nothing else. */

/** After a drawing it rests so many times as long as that took. */
const restFactor = 4;
/** What is shown is never older than this, however long a drawing takes. */
const maxFrameDelayMs = 250;
/** Below it a drawing costs no frame. */
const noticeableMs = 4;
/** A hidden window gets no animation frames; it still must not fall behind without bound. */
const hiddenDelayMs = 200;

/** Of a window; a test has a clock of its own. */
export interface Frames {
  now(): number;
  isHidden(): boolean;
  /** Before the next frame is drawn. */
  requestFrame(task: () => void): void;
  /** After the frame has been drawn that is being prepared. */
  afterFrame(task: () => void): void;
  /** @returns takes it back */
  later(task: () => void, ms: number): () => void;
}

const windowFrames: Frames = {
  now: () => performance.now(),
  isHidden: () => document.visibilityState === "hidden",
  requestFrame: (task) => requestAnimationFrame(task),
  afterFrame(task) {
    // A message comes after what the frame needs: styles, layout and paint. A timer would be held back.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      task();
    };
    port2.postMessage(null);
  },
  later(task, ms) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Draws what is asked for at most once a frame, and rests after drawings that took long: fifty agents who speak at once
 * leave room for whoever clicks.
 * @returns asks for a drawing; an urgent one does not wait for the rest to be over
 */
export function pacedFrames(
  draw: () => void,
  frames: Frames = windowFrames,
): (ask: { readonly isUrgent: boolean }) => void {
  let isRequested = false;
  let takeBack: (() => void) | null = null;
  let restUntil = 0;

  const drawNow = (): void => {
    isRequested = false;
    const begun = frames.now();
    draw();
    frames.afterFrame(() => {
      const now = frames.now();
      const took = now - begun;
      restUntil = took < noticeableMs ? 0 : now + Math.min(maxFrameDelayMs, took * restFactor);
    });
  };
  const request = (): void => {
    takeBack?.();
    takeBack = null;
    isRequested = true;
    if (frames.isHidden()) frames.later(drawNow, hiddenDelayMs);
    else frames.requestFrame(drawNow);
  };
  return ({ isUrgent }) => {
    if (isRequested) return;
    const rest = isUrgent ? 0 : restUntil - frames.now();
    if (rest <= 0) request();
    else takeBack ??= frames.later(request, rest);
  };
}
