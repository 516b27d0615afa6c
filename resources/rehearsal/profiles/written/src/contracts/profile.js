/**
 * What a profile is, for API, client and store alike. Tasks import from here and write no name out twice.
 *
 * @typedef {object} Profile  Beside the field that names its user:
 * @property {string} headline  One line, shown beside the address.
 * @property {string} bio  Plain text.
 */

/** The field that names the user of a profile. */
export const ownerField = "user";

/** The longest text of each field, in characters. */
export const limits = { headline: 80, bio: 500 };

/** Every field, in the order of the answers. */
export const profileFields = [ownerField, ...Object.keys(limits)];
