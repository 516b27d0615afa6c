/**
 * What JSX of the window is compiled to: React's own, with the texts of all elements made visible in this one place. A
 * component that shows words of others cannot forget it.
 */
import * as react from "react/jsx-runtime";
import { visibleProps } from "./visible-props.ts";

export type { JSX } from "react/jsx-runtime";
export const Fragment = react.Fragment;

export const jsx: typeof react.jsx = (type, props, key) => react.jsx(type, visibleProps(type, props), key);
export const jsxs: typeof react.jsxs = (type, props, key) => react.jsxs(type, visibleProps(type, props), key);
