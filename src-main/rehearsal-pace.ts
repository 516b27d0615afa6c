/** Milliseconds per ~20 characters of a scripted model's answer: slow enough to follow. 0 is for tests. */
const defaultRehearsalPace = 60;

/** The pace that `HOX_REHEARSAL_PACE` names, or the usual one. */
export function rehearsalPace(text: string | undefined = process.env.HOX_REHEARSAL_PACE): number {
  if (text === undefined || text === "") return defaultRehearsalPace;
  const pace = Number(text);
  if (!Number.isFinite(pace) || pace < 0)
    throw new Error(`Invalid rehearsal pace "${text}": give milliseconds, 0 or more.`);
  return pace;
}
