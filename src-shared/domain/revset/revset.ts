/** The door to Hox's revset language: translation for jj, and suggestions for the filter box. */
export { completeRevset, type Suggestion } from "./completion.ts";
export { translateRevset } from "./translate.ts";
