/** The door to Hox's revset language: translation for jj, and suggestions for the filter box. */
export { completeRevset, type KnownNames, type Suggestion, type Suggestions } from "./completion.ts";
export { type FunctionUse, type RevsetError, type Translation, translateRevset } from "./translate.ts";
