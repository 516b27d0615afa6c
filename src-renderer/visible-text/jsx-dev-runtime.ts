/** The same as `jsx-runtime.ts`, as a build for development calls it. */
import * as react from "react/jsx-dev-runtime";
import { visibleProps } from "./visible-props.ts";

export type { JSX } from "react/jsx-dev-runtime";
export const Fragment = react.Fragment;

export const jsxDEV: typeof react.jsxDEV = (type, props, ...rest) =>
  react.jsxDEV(type, visibleProps(type, props), ...rest);
